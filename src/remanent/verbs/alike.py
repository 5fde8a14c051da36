"""Alike: which of a user's beliefs resemble each other, and what the mind says to each pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remanent.model.belief import Belief, BeliefStatus
from remanent.model.node import Kind
from remanent.model.reading import Judgement
from remanent.model.scope import Scope
from remanent.ports.embedder import Embedder
from remanent.ports.graph import Graph
from remanent.ports.index import Index
from remanent.ports.mind import Mind
from remanent.rules import belief as rule
from remanent.rules import upkeep
from remanent.rules.upkeep import Alike as Pair
from remanent.rules.upkeep import UpkeepRules
from remanent.verbs.read import every

Progress = Callable[[float], None]
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
class Alike:
    """Compares all beliefs, not a sample: block by block, by the vectors that the index has."""

    graph: Graph
    index: Index
    mind: Mind
    embedder: Embedder
    rules: UpkeepRules

    def active(self, scope: Scope) -> list[Belief]:
        """The user's active beliefs, oldest first."""
        nodes = every(self.graph, scope, Kind.BELIEF)
        held = [
            one
            for one in nodes
            if isinstance(one, Belief)
            and one.status is BeliefStatus.ACTIVE
            and one.user_id == scope.user_id
        ]
        return sorted(held, key=upkeep.age)

    def pairs(self, scope: Scope, beliefs: Sequence[Belief], from_: float) -> Comparison:
        """Each of these beliefs with the older ones it resembles by `from_` or more."""
        vectors = self.index.vectors(scope, [one.key for one in beliefs])
        seen = [one for one in beliefs if one.key in vectors]
        matrix = np.array([vectors[one.key] for one in seen], dtype=np.float32)
        return Comparison(
            beliefs=seen,
            unseen=len(beliefs) - len(seen),
            matrix=matrix,
            from_=from_,
            scale=self.embedder.scale,
            most=self.rules.compare_with,
        )

    def judged(self, compared: Comparison, progress: Progress | None = None) -> Iterator[Judged]:
        """The same pairs with the mind's word on each, as it would have judged the newer statement
        when it came. One question for each belief that has any pair."""
        for place, found in compared.rows():
            newer = compared.beliefs[place]
            olders = [compared.beliefs[other] for other, _ in found]
            answers = self.mind.judge(newer.statement, [one.statement for one in olders])
            for older, (_, alike), answer in zip(olders, found, answers, strict=True):
                yield Judged(newer, older, alike, answer)
            if progress is not None:
                progress((place + 1) / len(compared.beliefs))


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
        least = upkeep.least_cosine(self.from_, self.scale) - _ROUNDING
        for start in range(0, len(self.beliefs), _ROWS):
            block = self.matrix[start : start + _ROWS]
            cosines = np.round(block @ self.matrix[: start + len(block)].T, 6)
            for row in range(len(block)):
                found = self._row(cosines[row, : start + row], least)
                if found:
                    yield start + row, found

    def pairs(self) -> Iterator[Pair]:
        """The same as keys, for the rules."""
        for place, found in self.rows():
            for other, alike in found:
                yield Pair(self.beliefs[place].key, self.beliefs[other].key, alike)

    def _row(self, cosines: NDArray[np.float32], least: float) -> list[tuple[int, float]]:
        near = np.flatnonzero(cosines >= least)
        order = near[np.argsort(-cosines[near], kind="stable")][: self.most]
        alike = (
            (int(other), round(rule.similarity(float(cosines[other]), self.scale), 6))
            for other in order
        )
        return [(other, value) for other, value in alike if value >= self.from_]
