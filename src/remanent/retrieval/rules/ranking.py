"""Ranking: how scores of different origin are made comparable, joined, put in order and explained; how
strongly a walk is drawn along an edge, and how far it may go (SPEC 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, Protocol, TypeVar

from remanent.core.checks import whole
from remanent.core.dataclasses import dataclass
from remanent.core.model.search import Explanation, Hit, Part
from remanent.errors import InvalidInput
from remanent.retrieval.model import Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRules:
    """The figures of SPEC 8; the weights of search were fitted, see docs/benchmarks.md."""

    lexical: float = 0.126  # search, spec 8: the words of the thing itself
    around: float = 0.249  # with the passages around it
    session: float = 0.193  # with its whole source
    dense: float = 0.083  # its meaning
    part: float = 0.158  # the nearest meaning of its parts or the whole
    session_dense: float = 0.249  # the nearest meaning in its source
    compared_share: float = 0.5  # of those: what a question compares, each by itself
    several_meaning: float = 3.0  # times its own meaning, where several things are asked for
    several_session: float = 0.5  # times that of its source, words and meaning, then
    several_believed: float = 2.0  # times what is believed, then
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
    cold: float = -0.02  # archived
    cold_below: float = 0.98  # archived sources are looked at where the best hit answers less well
    cold_recent: float = 0.5  # of `recent`, when they are
    believed: float = 0.2  # a belief was read from it that answers, by how well
    believed_count: int = 16  # so many of the beliefs that answer best are asked
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
        "cold": rules.cold,
    }


def of_several(weights: Mapping[str, float], rules: RankingRules = _DEFAULTS) -> dict[str, float]:
    """These weights for a question that asks for several things: no one source has them all."""
    meaning, session = rules.several_meaning, rules.several_session
    times = {"dense": meaning, "part": meaning, "session": session, "session_dense": session}
    return {name: weight * times.get(name, 1.0) for name, weight in weights.items()}


def answering(covered: float, similarity: float) -> float:
    """How well something answers a question, from 0 to 1, whatever else there is: it has the question's
    words, and it means the same."""
    return math.sqrt(min(1.0, max(0.0, covered)) * min(1.0, max(0.0, similarity)))


def used_from(scores: Sequence[float], share: float) -> float:
    """The score from which on hits are the answer, nearly as good as the best: what is worse fills the page."""
    best = max(scores, default=0.0)
    return min(best, share * best)


def any_within(periods: Sequence[tuple[date, date]], days: tuple[date, date]) -> bool:
    """Whether one of the periods lies in these days, or reaches into them."""
    return any(first <= days[1] and days[0] <= last for first, last in periods)


def newest_first(order: Sequence[str], days: Mapping[str, tuple[date, int]]) -> list[str]:
    """The same places, with those that were said newest first; `days` has the day, and the place in it."""
    newest = iter(sorted((key for key in order if key in days), key=days.__getitem__, reverse=True))
    return [next(newest) if key in days else key for key in order]


def ordered(scores: Mapping[str, float]) -> list[str]:
    """The keys, best first; ties in order of key."""
    return sorted(scores, key=lambda key: (-scores[key], key))


def recency(days: float, rate: float = _DEFAULTS.recency_rate) -> float:
    """1 for today and less for every day gone; what lies ahead counts as today."""
    return math.exp(-rate * max(0.0, days))


NEAREST = 5  # the highest proximity, spec 3
MOST_DEPTH = 10
MOST_DAMPING = 0.99  # beyond it a walk all but forgets where it began, and takes for ever
MOST_REACHED = 1000
MOST_SEEDS = 100


class _Factor(Protocol):
    """A number, or many of them at once."""

    def __mul__(self, other: Any, /) -> Any: ...


Factor = TypeVar("Factor", bound=_Factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagerankRules:
    """The figures of SPEC 8; what a link weighs beside a relationship is ours."""

    max_depth: int = 3
    damping: float = 0.85
    top_k: int = 20
    link_strength: float = 0.1  # of a plain link: below a middling relationship's
    least_strength: float = 0.001  # whatever holds conducts a little, however faded


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How to walk, checked."""

    max_depth: int
    damping: float
    top_k: int


def strength(salience: Factor, confidence: Factor, proximity: Factor) -> Factor:
    """How well a relationship conducts, from 0 to 1: present, certain and near."""
    product: Factor = salience * confidence * proximity * (1.0 / NEAREST)
    return product


def checked(
    max_depth: object = None,
    damping: object = None,
    top_k: object = None,
    rules: PagerankRules | None = None,
) -> Walk:
    """The walk as asked for, where nothing is said by the rules; `InvalidInput` names what is off."""
    rules = rules or PagerankRules()
    return Walk(
        max_depth=whole(
            "max_depth", rules.max_depth if max_depth is None else max_depth, 1, MOST_DEPTH
        ),
        damping=_damping(rules.damping if damping is None else damping),
        top_k=whole("top_k", rules.top_k if top_k is None else top_k, 1, MOST_REACHED),
    )


def _damping(value: object) -> float:
    wrong = not isinstance(value, (int, float)) or isinstance(value, bool)
    if wrong or not math.isfinite(value) or not 0 <= value <= MOST_DAMPING:  # type: ignore[arg-type, operator]
        raise InvalidInput("damping", f"{value!r} is not a number from 0 to {MOST_DAMPING}")
    return float(value)  # type: ignore[arg-type]


NEWER: Final = "newer"
# What the parts of a score are called; a part that is not here goes by its name.
WORDS: Final[Mapping[str, str]] = {
    "lexical": "words shared with the question",
    "dense": "likeness of meaning",
    "beside": "lent by the passages beside it",
    "around": "words shared by it and what stands around it",
    "session": "words shared by its whole source",
    "session_dense": "likeness of its whole source",
    "cold": "archived",
    NEWER: "takes the place of what stood here",
}


def parts(entry: str, pool: Mapping[str, Signals]) -> tuple[Part, ...]:
    """The parts of one score, each with its rank among all of the pool that have that part."""
    return tuple(
        _part(name, value, [one[name] for one in pool.values() if name in one])
        for name, value in pool[entry].items()
    )


def _part(name: str, value: float, values: Sequence[float]) -> Part:
    better = sum(other > value for other in values)
    words = WORDS.get(name, name)
    return Part(name=name, words=words, value=value, rank=better + 1, of=len(values))


def explain_hit(
    hit: Hit, rank: int, entry: str, pool: Mapping[str, Signals], state: str
) -> Explanation:
    """Why this hit stands at that rank. `entry` is the key it was found by, `pool` the signals of all
    that were ranked with it."""
    made = parts(entry, pool)
    if NEWER in hit.signals:
        lifted = hit.signals[NEWER]
        made = (*made, Part(name=NEWER, words=WORDS[NEWER], value=lifted, rank=1, of=1))
    reason = "; ".join(
        part
        for part in (
            f"rank {rank} with {hit.score:.3f}",
            parts_in_words(made),
            state,
            validity_in_words(hit),
        )
        if part
    )
    return Explanation(
        key=hit.key,
        reason=reason,
        returned=True,
        rank=rank,
        score=hit.score,
        parts=made,
        state=state,
    )


def parts_in_words(made: Sequence[Part]) -> str:
    """The parts that count in one line: `likeness of meaning 0.91 (1st of 200)`."""
    return ", ".join(
        f"{one.words} {one.value:.2f} ({ordinal(one.rank)} of {one.of:,})"
        for one in made
        if one.value
    )


def validity_in_words(hit: Hit) -> str:
    """Whether what it says still holds, as far as that is known."""
    if hit.holds:
        return "it still holds"
    if hit.superseded_by is None and hit.superseded_at is None:
        return ""
    when = "" if hit.superseded_at is None else f" since {hit.superseded_at.date().isoformat()}"
    what = "" if hit.superseded_by is None else f", replaced by {hit.superseded_by}"
    return f"{'disputed' if hit.holds is None else 'it no longer holds'}{when}{what}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`."""
    if number % 100 in (11, 12, 13):
        return f"{number:,}th"
    return f"{number:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
