"""Which slots of its subject a statement fills, and which of them hold one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon, life, qualities
from remanent.minds.offline.frames import Deed, Frame, deeds, with_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacy.tokens import Doc

_COLOURS = lexicon.words(
    "red blue green yellow black white brown grey gray orange purple pink silver gold beige"
)
_OPPOSITES = (
    ("open", "closed"), ("open", "close"), ("alive", "dead"), ("on", "off"), ("full", "empty"), ("hot", "cold"),
    ("big", "small"), ("large", "small"), ("tall", "short"), ("rich", "poor"), ("old", "young"), ("old", "new"),
    ("cheap", "expensive"), ("easy", "difficult"), ("easy", "hard"), ("healthy", "sick"), ("safe", "dangerous"),
    ("clean", "dirty"), ("fast", "slow"), ("early", "late"), ("possible", "impossible"), ("true", "false"),
    ("awake", "asleep"), ("employed", "unemployed"), ("employed", "retired"), ("vegetarian", "carnivore"),
    ("finished", "unfinished"), ("available", "unavailable"), ("public", "private"), ("broken", "intact"),
    ("left", "right"), ("quiet", "loud"), ("empty", "occupied"), ("enabled", "disabled"),
)  # fmt: skip
OPPOSITES = frozenset(frozenset(pair) for pair in _OPPOSITES)

SINGLE = frozenset(
    {"home", "employer", "job", "age", "name", "marital", "origin", "born", "partner", "school"}
)
"""Slots with one value at a time."""
_READERS: tuple[Callable[[Deed], Frame | None], ...] = (
    life.marital,
    life.partner,
    life.home,
    life.employer,
    life.job,
    life.age,
    life.name,
    life.origin,
    life.school,
    qualities.liking,
    qualities.allergy,
    qualities.having,
    qualities.using,
    qualities.timed,
    qualities.copula,
    qualities.passive,
    qualities.generic,
)
"""Asked in this order; the last one reads whatever there is."""


def frames_of(doc: Doc) -> list[Frame]:
    """Everything a statement fills in, one frame for each of its main verbs."""
    found: list[Frame] = []
    for deed in deeds(doc):
        frame = next(frame for reader in _READERS if (frame := reader(deed)) is not None)
        found.append(
            with_extra(
                frame, doc, {deed.lemma, deed.verb.lemma_, *frame.slot.split(":")[-1].split()}
            )
        )
    return found


def holds_one(frame: Frame) -> bool:
    """True if the frame's slot holds one value at a time."""
    if frame.slot in SINGLE or frame.slot.split(":")[0] in {"born", "when", "prefer", "one", "use"}:
        return True
    if frame.slot.startswith("attr:"):
        words = frame.slot[5:].split()
        return words[0] == "favourite" or "best" in words or words[-1] in qualities.ONE_OF
    return frame.slot.startswith("count:") and "some" not in frame.value


def are_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    """True for values that exclude each other by what the words mean."""
    left, right = one - other, other - one
    if len(left) != 1 or len(right) != 1:
        return False
    if left | right in OPPOSITES:
        return True
    return left < _COLOURS and right < _COLOURS
