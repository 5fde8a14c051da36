"""Whoever and whatever a source speaks of, with what it says of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.node import Kind
from remanent.minds.offline.named import CONCEPT, PERSON, Named, Names
from remanent.minds.offline.sentences import Role, Sentence, words
from remanent.minds.reader.reading import Place

_POINTS: Final = 24
_SHORTEST: Final = 3  # words of a subpoint
_CLAUSE: Final = re.compile(
    r";\s+|,?\s+(?:and|but|so|while|because)\s+(?=(?:I|he|she|they|we|it|my|his|her)\b)|,\s+(?=but\b)",
    re.IGNORECASE,
)
ORDER: Final = {Kind.PERSON: 0, Kind.ENTITY: 1, Kind.CONCEPT: 2}


def extract(spoken: Sequence[Sentence], names: Names, reading: Reading) -> list[Candidate]:
    """People, then entities, then concepts, each in the order of the text."""
    points = find_points(spoken, names, reading)
    others = [one for one in names.named if not _is_owner(one, names)]
    found = [_candidate(one, points.get(id(one), [])) for one in others]
    # A full name tells that somebody bears it, even where nothing is said of them.
    found = [one for one in found if one.subpoints or (" " in one.name and one.kind is Kind.PERSON)]
    return sorted(found, key=lambda one: ORDER[one.kind])


def _is_owner(one: Named, names: Names) -> bool:
    """Whether this speaker goes by a name of the owner's, as in what somebody else contributed."""
    return one.speaks and one.name.casefold() in names.owner_spellings


def _candidate(one: Named, points: Sequence[str]) -> Candidate:
    kind = {PERSON: Kind.PERSON, CONCEPT: Kind.CONCEPT}.get(one.kind, Kind.ENTITY)
    return Candidate(
        kind=kind,
        name=one.name,
        confidence=_confidence(one, len(points)),
        subpoints=tuple(points[:_POINTS]),
        type=one.kind if kind is Kind.ENTITY else "",
        aliases=tuple(sorted(one.aliases)),
    )


def _confidence(one: Named, points: int) -> float:
    """How sure the reader is that this is one, and of this type; much said of it speaks for it."""
    if one.speaks:
        return 9.5
    told = min(0.3 * (len(one.places) - 1), 0.9) + min(0.2 * points, 0.6)
    return round(max(0.0, min(9.0 * one.sure + told, 10.0)), 1)


def find_points(spoken: Sequence[Sentence], names: Names, reading: Reading) -> dict[int, list[str]]:
    """By name, the separate things that the text says of it: clauses that speak of it."""
    points: dict[int, dict[str, str]] = {}
    to_program = any(one.role is Role.ASSISTANT for one in spoken)  # asked about all the world
    for before, one, after in zip((None, *spoken), spoken, (*spoken[1:], None), strict=False):
        if one.role is Role.ASSISTANT or (to_program and one.is_question):
            continue
        text = reading.passages[one.place.turn].text
        speaker = names.speakers.get(one.place.turn)
        for place in _clauses(one.place, text):
            said = " ".join(text[place.start : place.end].split()).strip(" ,;:-–—.!")
            if len(words(said)) < _SHORTEST and after is not None and after.passage is one.passage:
                said = f"{one.text} {after.text}"  # "Manila. We went to her aunt's."
            elif len(words(said)) < _SHORTEST and before and before.passage is one.passage:
                said = f"{before.text} {one.text}"  # "They sleep at her aunt's. In Manila."
            if len(words(said)) < _SHORTEST:
                continue
            about = [who for _, who in names.within(place) if isinstance(who, Named)]
            for who in dict.fromkeys(about):
                told = f"{who.name}: {said}" if who is speaker else said
                points.setdefault(id(who), {}).setdefault(told.casefold(), told)
    return {who: list(found.values()) for who, found in points.items()}


def _clauses(place: Place, text: str) -> list[Place]:
    cuts = [
        (place.start + found.start(), place.start + found.end())
        for found in _CLAUSE.finditer(text[place.start : place.end])
    ]
    starts = [place.start, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), place.end]
    return [Place(place.turn, a, b) for a, b in zip(starts, ends, strict=True) if b > a]
