"""Synthesize: beliefs that belong together give one principle (SPEC 5).

A principle enters the ledger before it is held; whoever is killed in between finds it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from datetime import datetime
from itertools import chain

from remanent.beliefs import compare
from remanent.beliefs.believe import infer
from remanent.beliefs.compare import Comparison, Progress
from remanent.beliefs.model import Principle, Synthesis
from remanent.beliefs.rules import maintenance as upkeep
from remanent.beliefs.rules.maintenance import Theme
from remanent.clock import SteppedClock
from remanent.core.env import Env, Quota
from remanent.core.model.belief import Belief
from remanent.core.model.event import BELIEF_SYNTHESIZED, Event
from remanent.core.model.keys import key_for
from remanent.core.model.page import Outcome, Settled
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at, new_event
from remanent.core.on_behalf import mind_for_words_of
from remanent.core.read import every
from remanent.errors import InvalidInput


def synthesize_beliefs(
    env: Env,
    scope: Scope,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
    at: datetime | None = None,
    quota: Quota | None = None,
) -> Synthesis:
    """Up to `clusters_most` new principles, from the busiest themes that have none yet; they bear
    the moment `at` (now). A night takes them out of its `quota`, and waits until enough of a
    theme is new."""
    groups = _groups(env, scope)
    held = {one.key: one for group in groups for one in group.beliefs}
    inferences = [one for one in every(env.graph, scope, Belief) if one.derived_from]
    drawn: list[Principle] = []
    seen = 0
    pairs = chain.from_iterable(group.pairs() for group in groups)
    for theme in upkeep.themes(pairs, env.config.upkeep):
        if quota is None and len(drawn) >= env.config.belief.clusters_most:
            break
        when = at or env.clock.now()
        if _is_told(env, theme, inferences, is_nightly=quota is not None):
            continue
        if quota is not None and not quota.left and not _is_begun(env, scope, theme, when):
            continue
        seen += 1
        members = [held[key] for key in theme.keys]
        one = _derive_principle(env, scope, members, theme, when, dry_run=dry_run, quota=quota)
        if one is not None:
            drawn.append(one)
        if progress is not None:
            progress(min(1.0, len(drawn) / max(1, env.config.belief.clusters_most)))
    compared = sum(len(group.beliefs) for group in groups)
    return Synthesis(drawn=tuple(drawn), clusters=seen, compared=compared, dry_run=dry_run)


def _is_told(env: Env, theme: Theme, inferences: Sequence[Belief], *, is_nightly: bool) -> bool:
    if is_nightly:
        return not upkeep.is_new_enough(theme.keys, inferences, env.config.upkeep)
    return upkeep.is_drawn(theme.keys, inferences)


def _is_begun(env: Env, scope: Scope, theme: Theme, at: datetime) -> bool:
    """Whether a night that was killed had entered it, and so counted it, and got no further."""
    event = env.ledger.event(scope, _event_id(scope, theme.keys))
    return event is not None and effective_at(event) == at


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Hold the principle once more; not if one of its grounds has fallen, as it was then."""
    try:
        _infer(env, scope, event)
    except InvalidInput as problem:
        if problem.field != "derived_from":
            raise


def _groups(env: Env, scope: Scope) -> list[Comparison]:
    """Comparisons of what may take part, one for each subject that has enough of it."""
    subjects: dict[str, list[Belief]] = {}
    for belief in compare.active(env, scope):
        if upkeep.may_join(belief, env.config.upkeep):
            subjects.setdefault(belief.subject, []).append(belief)
    return [
        compare.pairs(env, scope, beliefs, env.config.belief.cluster_from)
        for _, beliefs in sorted(subjects.items())
        if len(beliefs) >= env.config.upkeep.synthesize_from
    ]


def _derive_principle(
    env: Env,
    scope: Scope,
    beliefs: Sequence[Belief],
    theme: Theme,
    at: datetime,
    *,
    dry_run: bool,
    quota: Quota | None,
) -> Principle | None:
    members = sorted(beliefs, key=upkeep.age)
    subject = members[0].subject
    mind = mind_for_words_of(env.mind, scope, "upkeep", env.graph, [one.key for one in members])
    answer = mind.principle([one.statement for one in members], subject)
    statement = " ".join(answer.split())
    if not statement:
        return None
    event = _event(scope, statement, members, at, env.clock.now())
    settled = _believe_principle(env, scope, event, dry_run=dry_run, quota=quota)
    if settled is None or settled.outcome is Outcome.REPEATED:
        return None
    return Principle(
        statement=settled.belief.statement,
        subject=subject,
        derived_from=tuple(members),
        similarity=theme.similarity,
        outcome=settled.outcome,
        belief=settled.belief,
    )


def _believe_principle(
    env: Env, scope: Scope, event: Event, *, dry_run: bool, quota: Quota | None
) -> Settled | None:
    """What became of the principle; None when one of its grounds fell while the mind thought."""
    if not dry_run:
        with env.atomic(durable=True):
            event, is_new = env.ledger.append(event)
            if is_new and quota is not None:
                quota.take(1)
    try:
        with env.transaction(dry_run=True) if dry_run else nullcontext():
            return _infer(env, scope, event)
    except InvalidInput as problem:
        if problem.field != "derived_from":
            raise
        return None


def _infer(env: Env, scope: Scope, event: Event) -> Settled:
    payload, clock = event.payload, SteppedClock(effective_at(event))
    return infer(
        env.at(clock),
        scope,
        str(payload["statement"]),
        list(payload["derived_from"]),
        subject=str(payload["subject"]),
        importance=int(payload["importance"]),
    )


def _event(
    scope: Scope, statement: str, members: Sequence[Belief], at: datetime, now: datetime
) -> Event:
    """One event for one set of beliefs, however often a principle is drawn from it."""
    keys = sorted(one.key for one in members)
    payload = {
        "statement": statement,
        "derived_from": keys,
        "subject": members[0].subject,
        "importance": upkeep.importance_of(members),
        "at": at.isoformat(),
    }
    return new_event(
        scope.user_id, BELIEF_SYNTHESIZED, payload, now=now, event_id=_event_id(scope, keys)
    )


def _event_id(scope: Scope, keys: Iterable[str]) -> str:
    return key_for(scope.user_id, "synthesized", *sorted(keys))
