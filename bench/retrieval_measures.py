"""What a ranked list of ids is worth against the ids that hold the answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

DEPTHS = (1, 3, 5, 10, 20)


@dataclass(slots=True)
class Tally:
    """Sums over questions; `mean` gives percentages by measure."""

    count: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    pairs: int = 0
    newest: int = 0

    def add(self, wanted: frozenset[str], ranked: Sequence[str]) -> None:
        self.count += 1
        for measure, value in measured(wanted, ranked).items():
            self.sums[measure] = self.sums.get(measure, 0.0) + value

    def add_pair(self, newest: tuple[str, str], ranked: Sequence[str]) -> None:
        """Right when the newer is found, and the older stands below it or nowhere."""
        newer, older = (ranked.index(name) if name in ranked else len(ranked) for name in newest)
        self.pairs += 1
        self.newest += newer < older

    def mean(self) -> dict[str, float]:
        measures = {name: 100 * total / self.count for name, total in self.sums.items()}
        if self.pairs:
            measures["newest first"] = 100 * self.newest / self.pairs
        return measures


def measured(wanted: frozenset[str], ranked: Sequence[str]) -> dict[str, float]:
    """any@k, recall@k and all@k for each depth, and nDCG@10, from 0 to 1."""
    measures: dict[str, float] = {}
    for k in DEPTHS:
        got = wanted & set(ranked[:k])
        measures[f"any@{k}"] = float(bool(got))
        measures[f"recall@{k}"] = len(got) / len(wanted)
        measures[f"all@{k}"] = float(got == wanted)
    gain = math.fsum(1 / math.log2(at + 2) for at, name in enumerate(ranked[:10]) if name in wanted)
    best = math.fsum(1 / math.log2(at + 2) for at in range(min(10, len(wanted))))
    return measures | {"nDCG@10": gain / best}


def fused(rankings: Iterable[Sequence[str]], k: int = 60) -> list[str]:
    """Reciprocal-rank fusion, best first."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (k + rank)
    return sorted(scores, key=lambda name: (-scores[name], name))


def by_best(scored: Mapping[str, float], owner: Mapping[str, str]) -> list[str]:
    """Owners in the order of the best of what they own."""
    return list(
        dict.fromkeys(
            owner[name] for name in sorted(scored, key=lambda name: (-scored[name], name))
        )
    )
