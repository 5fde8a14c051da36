"""Beliefs listed and looked up: what is held true, when, and the evidence behind it.

History: what a belief replaced, what replaced it, and on whose word.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from remanent.beliefs.model import FadedBelief
from remanent.beliefs.rules import as_of
from remanent.beliefs.rules import as_of as past
from remanent.beliefs.rules import belief as rules
from remanent.core import checks, event_lookup
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus, Support
from remanent.core.model.event import event_key
from remanent.core.model.page import Chapter, Evidence, Ground, History, Occurrence, title_of
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.ports.graph import Nodes
from remanent.core.read import SHORTEST_PREFIX, every, resolve
from remanent.errors import InvalidInput

MOST_CHANGED = 100_000
MOST_ALIKE = 100  # keys with one beginning that are looked at for the only belief among them


def list_beliefs(
    env: Env,
    scope: Scope,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    least: int = 0,
) -> list[Belief]:
    """Active beliefs, or those that were true at `as_of`, or as we held them at `known_at`;
    most important first, then oldest. With `least`, those that are less important and do not instruct
    may be left out."""
    if least and known_at is None:
        weighty = Nodes(Belief, {"weight >=": least}, own=True)
        beliefs = env.graph.select(scope, weighty)
    else:
        beliefs = every(env.graph, scope, Belief)
    if known_at is not None:
        as_known = (past.as_known(one, known_at, env.config.belief) for one in beliefs)
        beliefs = [one for one in as_known if one is not None]
    if as_of is None:
        held = [one for one in beliefs if one.status is BeliefStatus.ACTIVE]
    else:
        held = [one for one in beliefs if past.was_true(one, as_of)]
    return sorted(held, key=lambda one: (-one.importance, one.since, one.key))


def still_active(env: Env, scope: Scope, keys: Sequence[str]) -> list[Belief]:
    """The beliefs of these keys that are held true now, in the order of the keys."""
    nodes = env.graph.get_many(scope, keys).values()
    return [one for one in nodes if isinstance(one, Belief) and one.status is BeliefStatus.ACTIVE]


def own_belief(env: Env, scope: Scope, key: str) -> Belief:
    """The user's own belief of that key, or of the beginning of one; read again where it is changed."""
    node = env.graph.get(scope, get_belief(env, scope, checks.plain("key", key)).key)
    if not isinstance(node, Belief) or node.user_id != scope.user_id:
        raise InvalidInput("key", f"{key!r} is not a belief")
    return node


def belief_outlook(
    env: Env, scope: Scope, since: datetime | None, *, limit: int | None = None
) -> list[FadedBelief]:
    """What is held true, or what came, changed or went after `since`, the latest first; each with what
    is left of its confidence and how that goes on."""
    if since is None:
        beliefs = list_beliefs(env, scope)
    else:
        changed = Nodes(
            Belief, {"updated_at >": since}, ("updated_at",), limit=MOST_CHANGED, own=True
        )
        beliefs = env.graph.select(scope, changed)[::-1]
    now, figures = env.clock.now(), env.config.belief
    return [
        FadedBelief(
            belief=one,
            effective_confidence=rules.effective_confidence(one, now, figures),
            course=rules.course(one, figures),
        )
        for one in beliefs[:limit]
    ]


def get_belief(env: Env, scope: Scope, key: str) -> Belief:
    """The belief of that key, or the one belief whose key begins so; held true or not."""
    node = env.graph.get(scope, key.strip())
    if node is None and len(key.strip()) >= SHORTEST_PREFIX:
        keys = env.graph.keys_beginning(scope, key.strip(), limit=MOST_ALIKE)
        beliefs = [
            one for one in env.graph.get_many(scope, keys).values() if isinstance(one, Belief)
        ]
        if len(beliefs) == 1 and len(keys) < MOST_ALIKE:
            return beliefs[0]
    node = env.graph.get(scope, resolve(env, scope, key)) if node is None else node
    if not isinstance(node, Belief):
        raise InvalidInput("key", f"{key!r} is not a belief")
    return node


def why(env: Env, scope: Scope, key: str) -> list[Evidence]:
    """The episodes behind a belief, oldest first, in the words of the source.

    Behind an inference: those of the beliefs it was drawn from, and of those they were drawn from.
    """
    return evidence(env, scope, get_belief(env, scope, key))


def evidence(env: Env, scope: Scope, belief: Belief) -> list[Evidence]:
    """The same for a belief at hand."""
    return _evidence_of(env, scope, belief, (), {belief.key})


def _evidence_of(
    env: Env, scope: Scope, belief: Belief, through: tuple[Ground, ...], seen: set[str]
) -> list[Evidence]:
    supports = sorted(belief.supports, key=lambda one: (one.at, one.event_id))
    evidence = [replace(_evidence(env, scope, support), through=through) for support in supports]
    grounds = env.graph.get_many(scope, belief.derived_from)
    for key in belief.derived_from:
        ground = grounds.get(key)
        if isinstance(ground, Belief) and key not in seen:
            seen.add(key)
            step = Ground(key=key, statement=ground.statement, status=ground.status)
            evidence += _evidence_of(env, scope, ground, (*through, step), seen)
    return evidence


def _evidence(env: Env, scope: Scope, support: Support) -> Evidence:
    passage = None
    if support.passage_key is not None:
        passage = env.graph.passages_by_key(scope, [support.passage_key]).get(support.passage_key)
    node = env.graph.get(scope, support.source_key or event_key(scope.user_id, support.event_id))
    title = "" if node is None or not isinstance(node, Source) else title_of(node)
    if passage is None:
        return Evidence(
            support=support, quote=support.statement, speaker=support.speaker, title=title
        )
    return Evidence(support=support, quote=passage.text, speaker=passage.speaker, title=title)


def history_of(env: Env, scope: Scope, key: str) -> History:
    """All that a belief replaced or gave way to, oldest first, with what happened to each."""
    belief = get_belief(env, scope, key)
    known = every(env.graph, scope, Belief)
    return History(
        key=belief.key,
        chapters=tuple(_chapter(env, scope, one) for one in as_of.chain(belief.key, known)),
    )


def _chapter(env: Env, scope: Scope, belief: Belief) -> Chapter:
    return Chapter(
        belief=belief,
        occurrences=tuple(
            Occurrence(change=one, words=_words(env, scope, one.by)) for one in belief.changes
        ),
        evidence=tuple(evidence(env, scope, belief)),
    )


def _words(env: Env, scope: Scope, by: str | None) -> str:
    """Of the belief, the episode or the relationship that brought a change about."""
    if by is None:
        return ""
    node = env.graph.get(scope, by)
    if node is not None:
        return title_of(node)
    relationship = env.graph.relationship(scope, by)
    if relationship is not None:
        return relationship.description
    return event_lookup.words(env, scope, by)
