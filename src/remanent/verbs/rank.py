"""Rank: how well everything the caller may see fits a question (SPEC 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remanent.errors import EmbedderError
from remanent.model.node import Kind
from remanent.model.scope import Scope
from remanent.ports.embedder import Embedder
from remanent.ports.index import Index, Match
from remanent.rules import ranking
from remanent.rules.ranking import RankingRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """What may answer a question: its score, the parts of it by name, and what each thing is."""

    scores: Mapping[str, float]
    signals: Mapping[str, Mapping[str, float]]
    found: Mapping[str, Match]

    @property
    def order(self) -> list[str]:
        """Keys, best first."""
        return ranking.ordered(self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """Words and meaning, each with its margin kept, in one weighted sum; then a passage borrows
    from the passages beside it, because an answer often follows its question."""

    index: Index
    embedder: Embedder
    rules: RankingRules

    def __call__(self, scope: Scope, query: str, *, kinds: Sequence[Kind]) -> Ranked:
        """All that words or meaning bring up; the same memory and query give the same scores."""
        signals, found = self._gather(scope, query, kinds)
        scores = ranking.fused(signals, {"lexical": self.rules.lexical, "dense": self.rules.dense})
        beside = self._beside(scores, found)
        return Ranked(
            scores={key: score + beside.get(key, 0.0) for key, score in scores.items()},
            signals={**signals, "beside": beside},
            found=found,
        )

    def _gather(
        self, scope: Scope, query: str, kinds: Sequence[Kind]
    ) -> tuple[dict[str, dict[str, float]], dict[str, Match]]:
        pool = self.rules.pool
        lexical = self.index.match(scope, query, kinds=kinds, limit=pool)
        signals = {"lexical": _relative({one.key: one.score for one in lexical})}
        found = {one.key: one for one in lexical}
        try:
            vector = self.embedder.embed([query])[0]
        except EmbedderError:  # words alone must do
            return signals, found
        dense = self.index.near(scope, vector, kinds=kinds, limit=pool)
        found |= {one.key: one for one in dense}
        cosines = {one.key: one.score for one in dense}
        missing = [key for key in found if key not in cosines]
        for key, other in self.index.vectors(scope, missing).items():
            cosines[key] = float(vector @ other)
        signals["dense"] = ranking.normalised(cosines)
        return signals, found

    def _beside(self, scores: Mapping[str, float], found: Mapping[str, Match]) -> dict[str, float]:
        """What each passage gains from the ones right before and after it."""
        by_source: dict[str, dict[int, float]] = {}
        for key, score in scores.items():
            if found[key].kind is Kind.PASSAGE:
                by_source.setdefault(found[key].owner_key, {})[_ordinal(key)] = score
        gains = {}
        for source_key, ordinals in by_source.items():
            for ordinal, score in ranking.smoothed(ordinals, self.rules.neighbour_share).items():
                gains[f"{source_key}#{ordinal}"] = score - ordinals[ordinal]
        return gains


def _relative(scores: Mapping[str, float]) -> dict[str, float]:
    """BM25 over its best: zero stays zero, for a word not there is not a word half there."""
    top = max(scores.values(), default=0.0)
    return {key: score / top if top > 0 else 0.0 for key, score in scores.items()}


def _ordinal(passage_key: str) -> int:
    return int(passage_key.rpartition("#")[2])
