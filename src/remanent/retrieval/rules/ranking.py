"""How scores of different origin are made comparable, joined and put in order (SPEC 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRules:
    """The figures of SPEC 8; the weights of search were fitted, see docs/benchmarks.md."""

    lexical: float = 0.124  # search, spec 8: the words of the thing itself
    around: float = 0.22  # with the passages around it
    session: float = 0.18  # with its whole source
    dense: float = 0.079  # its meaning
    part: float = 0.144  # the nearest meaning of its parts or the whole
    session_dense: float = 0.242  # the nearest meaning in its source
    compared_share: float = 0.5  # of those: what a question compares, each by itself
    recent: float = 0.4  # said not long ago
    fades_days: float = 25.0  # after which that is worth half
    period: float = 0.4  # said when the question says
    month: float = 0.198  # said in the month that the question names
    day: float = 0.143  # and on that day
    year: float = 0.1
    timed: float = 0.153  # names a time, and a time is asked for
    counted: float = 0.065  # counts, and a number is asked for
    directing: float = 0.229  # says how help is wanted, and help is asked for
    asking: float = -0.097  # asks more than it tells
    only_asking: float = -0.029  # and tells nothing
    short: float = -0.033
    assistant: float = -0.293  # a program speaks
    assistant_asked: float = 0.228  # and a program is spoken to
    assistant_share: float = 0.2  # of its words, lent to what is around
    newer_count: int = 6  # so many of the best go by date where they say the same
    newer_likeness: float = 0.7  # sources: of the words of the best one
    newer_likeness_now: float = 0.6  # passages, where the question is about the present
    pool: int = 200  # candidates
    reciprocal_k: int = 60

    time: float = 0.3  # explore, spec 8
    salience: float = 0.4
    semantic: float = 0.3
    recency_rate: float = 0.02  # per day since update


_DEFAULTS = RankingRules()


def reciprocal_rank(
    rankings: Sequence[Sequence[str]], k: int = _DEFAULTS.reciprocal_k
) -> dict[str, float]:
    """Each key's sum of 1/(k + rank) over the rankings, ranks from 1; a repeat within one is ignored."""
    parts: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            parts.setdefault(key, []).append(1.0 / (k + rank))
    return {key: math.fsum(values) for key, values in parts.items()}


def weights(rules: RankingRules = _DEFAULTS) -> dict[str, float]:
    """What each signal that everything can have counts in a search."""
    return {
        "lexical": rules.lexical,
        "around": rules.around,
        "session": rules.session,
        "dense": rules.dense,
        "part": rules.part,
        "session_dense": rules.session_dense,
        "recent": rules.recent,
        "period": rules.period,
    }


def newest_first(order: Sequence[str], said: Mapping[str, tuple[date, int]]) -> list[str]:
    """The same places, with those that were `said` on a day, and at a place in it, newest first."""
    newest = iter(sorted((key for key in order if key in said), key=said.__getitem__, reverse=True))
    return [next(newest) if key in said else key for key in order]


def ordered(scores: Mapping[str, float]) -> list[str]:
    """The keys, best first; ties in order of key."""
    return sorted(scores, key=lambda key: (-scores[key], key))


def recency(days: float, rate: float = _DEFAULTS.recency_rate) -> float:
    """1 for today and less for every day gone; what lies ahead counts as today."""
    return math.exp(-rate * max(0.0, days))
