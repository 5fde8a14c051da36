"""Similarity: which of a user's beliefs resemble each other, and what the mind says to each pair.

Compares all beliefs, not a sample: block by block, by the vectors that the index has.

Reflect: what is held twice, what contradicts itself, what has faded (SPEC 5). Changes nothing.

A pair is a duplicate only if the mind calls it the same: embeddings put "lives in Oslo" as
near to "lives in Bergen" as to another wording of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from remanent.beliefs.model import Cluster, ContradictingPair, FadedBelief, Reflection
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import edge_match, maintenance
from remanent.beliefs.rules.maintenance import Alike as Pair
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.mind_types import Judgement
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import mind_for_words_of
from remanent.core.ports.graph import Nodes

Progress = Callable[[float], None]
Wanted = Callable[[Belief, Belief, float], bool]
_PAGE = 500
_ROWS = 256  # beliefs compared with all others at a time: bounds the memory it takes
_ROUNDING = 1e-5  # of cosines in single precision


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair of beliefs and what the mind made of it."""

    newer: Belief
    older: Belief
    similarity: float
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBeliefs:
    """The moment that a night's upkeep is for, and the active beliefs that changed since the last."""

    at: datetime
    fresh: Sequence[Belief]


class Compared(Protocol):
    """Beliefs, oldest first, and the pairs of them that are alike."""

    @property
    def beliefs(self) -> Sequence[Belief]: ...

    @property
    def unseen(self) -> int: ...

    def rows(self) -> Iterator[tuple[int, list[tuple[int, float]]]]:
        """The place of each belief with any, and the older ones most like it, most similar first."""


def active(env: Env, scope: Scope) -> list[Belief]:
    """The user's active beliefs, oldest first."""
    return sorted(iterate_active(env, scope), key=maintenance.age)


def iterate_active(env: Env, scope: Scope) -> Iterator[Belief]:
    """The same in order of key, read page by page: as many as there may be, a page is in memory."""
    nodes = Nodes(Belief, limit=_PAGE)
    while page := env.graph.select(scope, nodes):
        yield from (one for one in page if _is_held(one, scope))
        nodes = replace(nodes, after=page[-1].key)


def around(env: Env, scope: Scope, fresh: Sequence[Belief], from_: float) -> Nearby:
    """Each pair of one of these beliefs and any other, older or newer, alike by `from_` or more.

    The index is asked for the nearest to each: what it costs grows with the fresh ones.
    """
    vectors = env.index.vectors(scope, [one.key for one in fresh])
    near: dict[str, dict[str, float]] = {}
    for belief in (one for one in fresh if one.key in vectors):
        matches = env.index.near(
            scope,
            vectors[belief.key],
            kinds=(Kind.BELIEF,),
            limit=env.config.upkeep.compare_with + 1,
        )
        alike = {
            match.key: round(rule.similarity(match.score, env.embedder.scale), 6)
            for match in matches
            if match.key != belief.key
        }
        near[belief.key] = {key: value for key, value in alike.items() if value >= from_}
    keys = sorted({*near, *(key for others in near.values() for key in others)})
    nodes = env.graph.get_many(scope, keys).values()
    beliefs = sorted((one for one in nodes if _is_held(one, scope)), key=maintenance.age)
    return Nearby(beliefs=beliefs, near=near, unseen=len(fresh) - len(near))


def pairs(env: Env, scope: Scope, beliefs: Sequence[Belief], from_: float) -> Comparison:
    """Each of these beliefs with the older ones it resembles by `from_` or more."""
    vectors = env.index.vectors(scope, [one.key for one in beliefs])
    seen = [one for one in beliefs if one.key in vectors]
    matrix = np.array([vectors[one.key] for one in seen], dtype=np.float32)
    return Comparison(
        beliefs=seen,
        unseen=len(beliefs) - len(seen),
        matrix=matrix,
        from_=from_,
        scale=env.embedder.scale,
        most=env.config.upkeep.compare_with,
    )


def judged(
    env: Env,
    scope: Scope,
    compared: Compared,
    progress: Progress | None = None,
    *,
    wanted: Wanted | None = None,
) -> Iterator[Judged]:
    """The same pairs, or those `wanted` of them, with the mind's word on each, as it would have
    judged the newer statement when it came. One question for each belief that has any pair."""
    for place, near in compared.rows():
        newer, others = compared.beliefs[place], near
        if wanted is not None:
            others = [one for one in near if wanted(newer, compared.beliefs[one[0]], one[1])]
        if not others:
            continue
        olders = [compared.beliefs[other] for other, _ in others]
        keys = [newer.key, *(one.key for one in olders)]
        mind = mind_for_words_of(env.mind, scope, "upkeep", env.graph, keys)
        answers = mind.judge(newer.statement, [one.statement for one in olders])
        for older, (_, alike), answer in zip(olders, others, answers, strict=True):
            answer = edge_match.judged(newer.statement, older.statement, answer)
            yield Judged(newer, older, alike, answer)
        if progress is not None:
            progress((place + 1) / len(compared.beliefs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """Some beliefs and those that the index found near them, oldest first."""

    beliefs: Sequence[Belief]
    near: Mapping[str, Mapping[str, float]]  # of each that was asked for, by key
    unseen: int

    def rows(self) -> Iterator[tuple[int, list[tuple[int, float]]]]:
        """The place of each belief with any, and the older ones most like it, most similar first."""
        places = {one.key: place for place, one in enumerate(self.beliefs)}
        rows: dict[int, dict[int, float]] = {}
        for key, others in self.near.items():
            for other, alike in others.items():
                if key in places and other in places:
                    older, newer = sorted((places[key], places[other]))
                    rows.setdefault(newer, {})[older] = alike
        for place, older_ones in sorted(rows.items()):
            yield place, sorted(older_ones.items(), key=lambda one: (-one[1], one[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Beliefs, oldest first, that are to be held against each other."""

    beliefs: Sequence[Belief]
    unseen: int
    matrix: NDArray[np.float32]
    from_: float
    scale: tuple[tuple[float, float], ...]
    most: int

    def rows(self) -> Iterator[tuple[int, list[tuple[int, float]]]]:
        """The place of each belief with any, and the older ones most like it, most similar first."""
        least = maintenance.least_cosine(self.from_, self.scale) - _ROUNDING
        for start in range(0, len(self.beliefs), _ROWS):
            block = self.matrix[start : start + _ROWS]
            cosines = np.round(block @ self.matrix[: start + len(block)].T, 6)
            for row in range(len(block)):
                others = self._row(cosines[row, : start + row], least)
                if others:
                    yield start + row, others

    def pairs(self) -> Iterator[Pair]:
        """The same as keys, for the rules."""
        for place, others in self.rows():
            for other, alike in others:
                yield Pair(self.beliefs[place].key, self.beliefs[other].key, alike)

    def _row(self, cosines: NDArray[np.float32], least: float) -> list[tuple[int, float]]:
        near = np.flatnonzero(cosines >= least)
        order = near[np.argsort(-cosines[near], kind="stable")][: self.most]
        alike = (
            (int(other), round(rule.similarity(float(cosines[other]), self.scale), 6))
            for other in order
        )
        return [(other, value) for other, value in alike if value >= self.from_]


def _is_held(node: Node, scope: Scope) -> TypeGuard[Belief]:
    """Standing instructions are let be: they neither fade nor say anything of the world."""
    own = node.user_id == scope.user_id and isinstance(node, Belief) and node.instructs is None
    return own and isinstance(node, Belief) and node.status is BeliefStatus.ACTIVE


def belief_report(
    env: Env, scope: Scope, *, progress: Progress | None = None, night: NewBeliefs | None = None
) -> Reflection:
    """All active beliefs, held against each other; those of a `night` against all of them, and
    what has faded is left out."""
    from_ = env.config.belief.duplicate_from
    if night is None:
        beliefs, now = active(env, scope), env.clock.now()
        compared: Compared = pairs(env, scope, beliefs, from_)
        stale = maintenance.faded(beliefs, now, env.config.belief.stale_below, env.config.belief)
    else:
        now, stale = night.at, []
        compared = around(env, scope, night.fresh, from_)
    same, clashes = _judged(env, scope, compared, progress)
    apart = [(one.newer.key, one.older.key) for one in clashes]
    held = {one.key: one for one in compared.beliefs}
    return Reflection(
        duplicates=tuple(
            _cluster(env, [held[key] for key in keys], least, now)
            for keys, least in maintenance.clusters(same, apart)
        ),
        contradictions=tuple(
            one for one in clashes if not maintenance.is_settled(one.newer, one.older)
        ),
        stale=tuple(FadedBelief(belief=one, effective_confidence=left) for one, left in stale),
        compared=len(compared.beliefs),
        unseen=compared.unseen,
    )


def _judged(
    env: Env, scope: Scope, compared: Compared, progress: Progress | None
) -> tuple[list[Pair], list[ContradictingPair]]:
    same: list[Pair] = []
    clashes: list[ContradictingPair] = []
    for pair in judged(env, scope, compared, progress):
        if pair.judgement is Judgement.SAME:
            same.append(Pair(pair.newer.key, pair.older.key, pair.similarity))
        elif pair.judgement is Judgement.CONTRADICTS:
            clashes.append(
                ContradictingPair(newer=pair.newer, older=pair.older, similarity=pair.similarity)
            )
    return same, clashes


def _cluster(env: Env, beliefs: list[Belief], similarity: float, now: datetime) -> Cluster:
    ordered = maintenance.winner_first(beliefs, now, env.config.belief)
    return Cluster(beliefs=tuple(ordered), similarity=similarity)
