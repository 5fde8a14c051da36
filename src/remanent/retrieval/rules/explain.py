"""The place of something in an answer, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from remanent.core.model.search import Explanation, Hit, Part
from remanent.retrieval.model.candidate import Signals

NEWER: Final = "newer"
# What the parts of a score are called; a part that is not here goes by its name.
WORDS: Final[Mapping[str, str]] = {
    "lexical": "words shared with the question",
    "dense": "likeness of meaning",
    "beside": "lent by the passages beside it",
    "around": "words shared by it and what stands around it",
    "session": "words shared by its whole source",
    "session_dense": "likeness of its whole source",
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
