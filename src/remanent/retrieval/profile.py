"""Profile: what a memory knows about its owner, short, each line with the key by which it can be changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from remanent.beliefs.query import list_beliefs
from remanent.beliefs.rules.belief import effective_confidence
from remanent.core.checks import limited, point
from remanent.core.env import Env
from remanent.core.model.belief import Belief
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.retrieval.context import open_storylines
from remanent.retrieval.rules import packing
from remanent.retrieval.rules import profile as rule
from remanent.retrieval.rules.profile import Profile, ProfileLine, ProfileSection
from remanent.retrieval.search import contributor
from remanent.stories import rules as story


def owner_profile(
    env: Env,
    scope: Scope,
    limit: int = 40,
    *,
    budget: int = 4000,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Profile:
    """What this memory knows about its owner, short: at most `limit` lines of `budget` characters
    together, by section, surest and newest first, each with its key.

    `restate`, `forget` and `erase` take these keys. Nothing is counted as access.
    """
    user = env.registry.known(scope.user_id)
    as_of, known_at = point("as_of", as_of), point("known_at", known_at)
    most, room = limited(limit), packing.budgeted(budget, *rule.BUDGETS, of="characters")
    lines = list(_lines(env, scope, as_of, known_at))
    chosen = rule.fitting(lines, most, room)
    left = len(lines) - len(chosen)
    return Profile(name=user.name, lines=chosen, omitted=left, as_of=as_of, known_at=known_at)


def _lines(
    env: Env, scope: Scope, as_of: datetime | None, known_at: datetime | None
) -> Iterator[ProfileLine]:
    when, is_past = as_of or known_at or env.clock.now(), (as_of or known_at) is not None
    most = env.config.context.line_characters
    for one in list_beliefs(env, scope, as_of=as_of, known_at=known_at):
        section = rule.section_of(one)
        if section is not None and (is_past or _is_current(one)):
            left = effective_confidence(one, when, env.config.belief)
            text = f"{one.statement} (for {one.instructs})" if one.instructs else one.statement
            yield ProfileLine(
                section=section,
                key=one.key,
                kind=Kind.BELIEF,
                text=packing.on_one_line(text, most),
                since=one.since,
                confidence=left if one.instructs is None else 1.0,
                contributed_by=contributor(scope, one),
            )
    for told in open_storylines(env, scope, when, as_of, known_at):
        text = story.text_as_of(told, as_of, known_at)
        yield ProfileLine(
            section=ProfileSection.STORIES,
            key=told.key,
            kind=Kind.STORYLINE,
            text=packing.on_one_line(f"{told.name}: {text}" if text else told.name, most),
            since=told.started_at,
            confidence=1.0,
        )


def _is_current(belief: Belief) -> bool:
    """Not so once something else has taken its place, even beside it, or it has faded."""
    faded = belief.life.state is State.ARCHIVED and belief.instructs is None
    return belief.superseded_by is None and not faded
