"""Which slots of its subject a statement fills, and which of them hold one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remanent.minds.offline import lexicon, life, qualities, standing
from remanent.minds.offline.frames import Deed, Frame, deeds, with_extra
from remanent.minds.offline.moments import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacy.tokens import Doc

EXCLUSIVE = tuple(plain(group) for group in (lexicon.PARTNERS, lexicon.RELATIVES))
"""Roles of which one person has one to somebody."""
SINGLE = frozenset(
    {
        "home",
        "employer",
        "job",
        "age",
        "name",
        "marital",
        "origin",
        "born",
        "partner",
        "school",
        "religion",
        "phase",
    }
)
"""Slots with one value at a time."""
_ONE_OF = qualities.ONE_OF | {"database"}
_ALSO: tuple[Callable[[Deed], Frame | None], ...] = (
    life.marital,
    life.other_spouse,
    life.employer_of_trade,
)
"""Asked beside the one that has read the verb."""
_READERS: tuple[Callable[[Deed], Frame | None], ...] = (
    life.comparison,
    standing.phase,
    life.spouse,
    life.marital,
    life.partner,
    life.home,
    life.company,
    life.employer,
    life.religion,
    life.job,
    life.age,
    life.name,
    life.origin,
    life.school,
    qualities.liking,
    qualities.allergy,
    qualities.having,
    qualities.using,
    qualities.stopping,
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
        first = next(frame for reader in _READERS if (frame := reader(deed)) is not None)
        also = [frame for reader in _ALSO if (frame := reader(deed)) is not None and frame.also]
        for frame in (first, *also):
            used = {deed.lemma, deed.verb.lemma_, *frame.slot.split(":")[-1].split()}
            found.append(with_extra(frame, doc, used))
    return found


def holds_one(frame: Frame) -> bool:
    """True if the frame's slot holds one value at a time."""
    if frame.slot == "company":
        return "nobody" in frame.value
    if frame.slot in SINGLE or frame.slot.split(":")[0] in {"born", "when", "prefer", "one", "use"}:
        return True
    if frame.slot.startswith("attr:"):
        words = frame.slot[5:].split()
        if words[0] == "favourite" or "best" in words or words[-1] in _ONE_OF:
            return True
        return frame.proper and words[-1] not in lexicon.ROLES
    return frame.slot.startswith("count:") and "some" not in frame.value
