"""What one gets without Remanent: plain BM25, plain cosine, and reciprocal-rank fusion of the two.

The units are the same: turns and whole sessions. BM25 (k1 1.2, b 0.75) has Porter stems and no stop
words; cosine has one vector for each turn, "speaker: text", and a session is as near as its nearest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.retrieval_measures import by_best, fused
from bench.retrieval_sets import Session
from remanent.core.ports.embedder import Embedder
from remanent.stores.sql.words import search_terms, stems

_K1, _B = 1.2, 0.75


class Plain:
    """Rankings of turns and of sessions by each plain method."""

    def __init__(self, sessions: Sequence[Session], embedder: Embedder | None) -> None:
        turns = [(ref, f"{who}: {text}") for one in sessions for who, text, ref in one.turns]
        self._owner = {ref: one.id for one in sessions for _, _, ref in one.turns}
        self._refs = [ref for ref, _ in turns]
        self._turns = _Words(dict(turns))
        self._sessions = _Words(
            {one.id: "\n".join(f"{who}: {text}" for who, text, _ in one.turns) for one in sessions}
        )
        self._embedder = embedder
        self._vectors: NDArray[np.float32] | None = None
        if embedder is not None:
            self._vectors = embedder.embed([text for _, text in turns])

    def turns(self, query: str, known: Collection[str]) -> dict[str, list[str]]:
        """By each method, the turns of these sessions."""
        near = None if (found := self._cosines(query)) is None else _best_first(found)
        ranked = _with_fusion(self._turns.ranked(query), near)
        return {
            name: [ref for ref in order if self._owner[ref] in known]
            for name, order in ranked.items()
        }

    def sessions(self, query: str, known: Collection[str]) -> dict[str, list[str]]:
        """By each method, these sessions."""
        near = None if (found := self._cosines(query)) is None else by_best(found, self._owner)
        ranked = _with_fusion(self._sessions.ranked(query), near)
        return {name: [one for one in order if one in known] for name, order in ranked.items()}

    def _cosines(self, query: str) -> dict[str, float] | None:
        if self._embedder is None or self._vectors is None:
            return None
        cosines = self._vectors @ self._embedder.embed([query], kind="question")[0]
        return dict(zip(self._refs, cosines.tolist(), strict=True))


def _best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))


def _with_fusion(words: list[str], near: list[str] | None) -> dict[str, list[str]]:
    if near is None:
        return {"BM25": words}
    return {"BM25": words, "cosine": near, "fused": fused([words[:200], near[:200]])}


class _Words:
    def __init__(self, texts: Mapping[str, str]) -> None:
        self._lengths: dict[str, int] = {}
        self._postings: dict[str, dict[str, int]] = {}
        for name, text in texts.items():
            words = stems(text)
            self._lengths[name] = len(words)
            for word, count in Counter(words).items():
                self._postings.setdefault(word, {})[name] = count
        self._mean = sum(self._lengths.values()) / max(1, len(texts))

    def ranked(self, query: str) -> list[str]:
        scores: dict[str, float] = {}
        total = len(self._lengths)
        for word in dict.fromkeys(stems(" ".join(search_terms(query)))):
            having = self._postings.get(word, {})
            rarity = math.log(1 + (total - len(having) + 0.5) / (len(having) + 0.5))
            for name, count in having.items():
                length = _K1 * (1 - _B + _B * self._lengths[name] / self._mean)
                scores[name] = scores.get(name, 0.0) + rarity * count * (_K1 + 1) / (count + length)
        return _best_first(scores)
