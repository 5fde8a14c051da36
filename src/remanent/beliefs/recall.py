"""Recall: the beliefs that come to mind (SPEC 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TypeGuard

from remanent.beliefs.rules import as_of, edge_match
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import explain as recalling
from remanent.beliefs.rules.as_of import NOW, When
from remanent.beliefs.rules.belief import RecallParts
from remanent.core import checks, lifecycle, read
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.index_entries import belief_entry
from remanent.core.model.belief import OWNER, Belief, BeliefStatus, BeliefType
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.search import RecallPart, Recollection
from remanent.core.on_behalf import embedder_for, withheld_from
from remanent.core.ports.embedder import question_scale
from remanent.core.ports.index import Vector
from remanent.core.read import if_writable
from remanent.errors import BusyMemory, EmbedderError

# Beliefs weighed at first: far more than are returned, so that importance and subject can lift one.
POOL = 500
WIDER = 4  # times as many where one that was not weighed might be among the best
MOST_USES = 1000  # that wait for a busy memory
CATCH_UP = 32  # beliefs made without an embedding that one recall embeds
OVER_BY_NOW = 0.8  # of its likeness, for what tells of an end where what is now is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecallQuery:
    """The query, how alike beliefs are to it, whom it names, and from when it looks. None that is not in
    `near` is more alike than `rest`; with None, nothing was left out."""

    near: Mapping[str, float]
    rest: float | None
    by_words: bool
    query: str
    names: Collection[str]
    now: datetime


def recall_beliefs(
    env: Env,
    scope: Scope,
    query: str,
    *,
    limit: int,
    explain: bool = False,
    touch: bool = True,
    when: When = NOW,
) -> list[Recollection]:
    """The strongest beliefs and the neighbours of the top three; where `when` lies in the past, those
    held at the time. With `explain` each tells the parts of its score; without `touch` nothing is
    written. Whoever hands them out counts their use."""
    words = checks.statement("query", query, env.config.intake.max_statement_characters)
    best = _best_of_all(env, scope, words, when, limit=limit, explain=explain, keep=touch)
    return _best([*best, *_neighbours(env, scope, best, when, explain=explain)], limit)


def _best_of_all(
    env: Env, scope: Scope, query: str, when: When, *, limit: int, explain: bool, keep: bool
) -> list[Recollection]:
    """The best of all that is held, as if each were scored: more and more are, until none that is less
    alike could come among them with all else in its favour."""
    pool = POOL
    while True:
        recall_query = _recall_query(env, scope, query, when, pool, keep=keep and when.is_now)
        held = _believed_at(env, scope, list(recall_query.near), when)
        named = _named(recall_query, {node.subject for node in held})
        best = _best(
            [
                _scored(env, recall_query, node, is_named=named[node.subject], explain=explain)
                for node in held
            ],
            limit,
        )
        if recall_query.rest is None:
            return best
        most = recalling.most_recalled(recall_query.rest, env.config.belief)
        if len(best) >= limit and best[-1].score > most:
            return best
        pool *= WIDER


def _believed_at(env: Env, scope: Scope, keys: Sequence[str], when: When) -> list[Belief]:
    """Those of these that are held true; of the past, as they were held then."""
    nodes = env.graph.get_many(scope, keys).values()
    then = (
        as_of.belief_as_of(one, when, env.config.belief) for one in nodes if isinstance(one, Belief)
    )
    return [one for one in then if one is not None]


def _recall_query(
    env: Env, scope: Scope, query: str, when: When, pool: int, *, keep: bool
) -> _RecallQuery:
    """Similarity to the query by meaning; by words when there is no embedding to be had."""
    names, by_words = _names_in(env, scope, query), False
    try:
        vector = embedder_for(env.embedder, scope, "recall").embed([query], kind="question")[0]
        least = recalling.least_cosine(env.config.belief.cosine_from, question_scale(env.embedder))
        matches = env.index.near(scope, vector, kinds=_kinds(when), limit=pool, least=least)
        cosines = {match.key: match.score for match in matches}
        near = _similar(env, cosines)
        rest = _rest(near, pool)
        late = _caught_up(env, scope, query, when, keep=keep)
        near |= _similar(env, {key: float(vector @ one) for key, one in late.items()})
        near |= _by_words(env, scope, query, when)
    except EmbedderError:
        near = _matched(env, scope, query, when, pool)
        by_words, rest = True, _rest(near, pool)
    now = when.as_of or when.known_at or env.clock.now()
    return _RecallQuery(near=near, rest=rest, by_words=by_words, query=query, names=names, now=now)


def _rest(near: Mapping[str, float], pool: int) -> float | None:
    """How alike what is not in the pool can be; None where the pool has room for more."""
    return min(near.values()) if len(near) >= pool else None


def _matched(env: Env, scope: Scope, query: str, when: When, pool: int) -> dict[str, float]:
    matches = env.index.match(scope, query, kinds=_kinds(when), limit=pool)
    return recalling.normalised({match.key: match.score for match in matches})


def _similar(env: Env, cosines: Mapping[str, float]) -> dict[str, float]:
    scale = question_scale(env.embedder)
    similar = {key: rule.similarity(cosine, scale) for key, cosine in cosines.items()}
    return {key: value for key, value in similar.items() if value >= env.config.belief.cosine_from}


def _by_words(env: Env, scope: Scope, query: str, when: When) -> dict[str, float]:
    """What no embedder elsewhere may see has no meaning to go by: its words have to do."""
    if env.embedder.is_local:
        return {}
    scores = _matched(env, scope, query, when, POOL)
    kept = withheld_from(env.embedder, scope, env.graph, list(scores))
    kept -= env.index.vectors(scope, sorted(kept)).keys()
    return {key: score for key, score in scores.items() if key in kept}


def _caught_up(env: Env, scope: Scope, query: str, when: When, *, keep: bool) -> dict[str, Vector]:
    """Beliefs with words of the query that were made when there was no embedder: embedded now."""
    missing = env.index.match(scope, query, kinds=_kinds(when), limit=CATCH_UP, unmeant=True)
    held = _believed_at(env, scope, sorted(one.key for one in missing), when) if missing else []
    kept = withheld_from(env.embedder, scope, env.graph, [one.key for one in held])
    late = [one for one in held if one.key not in kept]
    if not late:
        return {}
    hand = embedder_for(env.embedder, scope, "recall")
    vectors = hand.embed([one.statement for one in late], kind="statement")
    if keep:
        _index(env, scope, dict(zip([one.key for one in late], vectors, strict=True)))
    return {one.key: vector for one, vector in zip(late, vectors, strict=True)}


def _index(env: Env, scope: Scope, vectors: Mapping[str, Vector]) -> None:
    """Read again inside the transaction: one that has ended meanwhile stays out."""
    with if_writable(), env.atomic(scope):
        nodes = env.graph.get_many(scope, list(vectors))
        held = [one for one in nodes.values() if _is_held(one)]
        env.index.put([belief_entry(one, vectors[one.key]) for one in held])


def _names_in(env: Env, scope: Scope, query: str) -> frozenset[str]:
    """All that whoever the query names is called; the owner is `owner`."""
    words = set(canonical_name(query).split("-"))
    names: set[str] = set()
    for anchor in env.graph.names(scope, words=words):
        called = (anchor.name, *anchor.aliases)
        if edge_match.is_named(query, called):
            names |= {OWNER} if anchor.is_owner else {canonical_name(name) for name in called}
    return frozenset(names)


def _named(recall_query: _RecallQuery, subjects: Collection[str]) -> dict[str, bool]:
    """Which of these subjects the query names, under whatever name."""
    return {
        subject: rule.subject_matches(recall_query.query, subject)
        or (subject if subject == OWNER else canonical_name(subject)) in recall_query.names
        for subject in subjects
    }


def _scored(
    env: Env, recall_query: _RecallQuery, belief: Belief, *, is_named: bool, explain: bool
) -> Recollection:
    accessed = recalling.as_accessed(belief, recall_query.now)
    is_over = edge_match.is_over_by_now(recall_query.query, belief.statement)
    parts = RecallParts(
        cosine=recall_query.near[belief.key] * (OVER_BY_NOW if is_over else 1.0),
        importance=belief.importance,
        days_since_access=rule.days_since_access(accessed, recall_query.now),
        stability=belief.stability,
        subject_match=is_named,
        is_insight=belief.type is BeliefType.INSIGHT,
    )
    explanation: tuple[RecallPart, ...] = ()
    if explain:
        explanation = recalling.explained(
            parts,
            subject=belief.subject,
            is_recalled=accessed.life.last_accessed_at is not None,
            by_words=recall_query.by_words,
            rules=env.config.belief,
        )
    signals = rule.recall_signals(parts, env.config.belief)
    return Recollection(
        belief=belief, score=sum(signals.values()), signals=signals, parts=explanation
    )


def _neighbours(
    env: Env, scope: Scope, best: Sequence[Recollection], when: When, *, explain: bool
) -> list[Recollection]:
    recollections: dict[str, Recollection] = {}
    parents = best[: env.config.belief.neighbours_of_top]
    linked = _linked(env, scope, [one.belief.key for one in parents], when) if parents else []
    held = _believed_at(env, scope, [other for _, other in linked], when) if linked else []
    for parent in parents:
        part = recalling.explained_neighbour(parent.statement, parent.score, env.config.belief)
        for belief in (one for one in held if (parent.belief.key, one.key) in linked):
            kept = recollections.get(belief.key)
            if kept is None or kept.score < part.points:
                recollections[belief.key] = Recollection(
                    belief=belief,
                    score=part.points,
                    signals={part.name: part.points},
                    parts=(part,) if explain else (),
                    through=parent.belief.key,
                )
    return list(recollections.values())


def _linked(env: Env, scope: Scope, keys: list[str], when: When) -> list[tuple[str, str]]:
    """Each of these with each of its neighbours."""
    links = env.graph.links(scope, *keys, kinds=(LinkKind.NEIGHBOUR,))
    known = [one for one in links if when.known_at is None or one.created_at <= when.known_at]
    both = [pair for one in known for pair in ((one.src, one.dst), (one.dst, one.src))]
    return [pair for pair in both if pair[0] in keys]


def record_use(env: Env, scope: Scope, keys: Iterable[str], *, unasked: Iterable[str] = ()) -> None:
    """Count that these memories of the caller's own were handed out (SPEC 7): an access of each, at most
    once an hour; a belief is steadier for it, and what was archived is called back. What was given
    `unasked` counts if it was never called on before: standing in every prompt is no reason to stay there.

    An answer waits for nobody: while somebody else writes, uses are kept, and written with the next ones.
    """
    with env.caches.lock:
        waiting = env.caches.uses.pop(scope.user_id, {})
    asked, others = ({key.partition("#")[0] for key in some} for some in (keys, unasked))
    uses = dict.fromkeys(sorted(asked | others), env.clock.now()) | waiting
    lives = {
        one.key: uses[one.key]
        for one in read.by_keys(env, scope, list(uses))
        if lifecycle.used(one.life, uses[one.key], env.config.lifecycle) is not one.life
        and (one.key not in others - asked or one.life.last_accessed_at is None)
    }
    try:
        with if_writable():
            _write_uses(env, scope, lives)
    except BusyMemory:
        with env.caches.lock:
            env.caches.uses[scope.user_id] = dict(list(lives.items())[:MOST_USES])


def _write_uses(env: Env, scope: Scope, uses: Mapping[str, datetime]) -> None:
    """In one small transaction; each belief is read again, for another may have settled on it meanwhile."""
    if not uses:
        return
    rules = env.config.lifecycle
    with env.atomic(patient=False):
        nodes = env.graph.get_many(scope, list(uses))
        held = filter(_is_held, nodes.values())
        used = [rule.recalled(one, uses[one.key], env.config.belief, rules) for one in held]
        if used:
            env.graph.put(scope, *used)
        others = {key: at for key, at in uses.items() if not _is_held(nodes.get(key))}
        for at in sorted(set(others.values())):
            then = [key for key, when in others.items() if when == at]
            env.graph.touch(scope, then, partial(lifecycle.used, now=at, rules=rules))


def _kinds(when: When) -> tuple[Kind, ...]:
    """What no longer holds is looked for only by who asks about the past."""
    return (Kind.BELIEF,) if when.is_now else (Kind.BELIEF, Kind.PAST_BELIEF)


def _is_held(node: object) -> TypeGuard[Belief]:
    return isinstance(node, Belief) and node.status is BeliefStatus.ACTIVE


def _best(recollections: Sequence[Recollection], limit: int) -> list[Recollection]:
    """Best first, each belief once at its best; ties in order of key."""
    ranked = sorted(recollections, key=lambda one: (-one.score, one.belief.key))
    once = {one.belief.key: one for one in reversed(ranked)}
    return [one for one in ranked if once[one.belief.key] is one][:limit]
