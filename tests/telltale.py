"""A mind for hunting leaks: whatever it reads, it repeats word for word, so that what can leak leaks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    NoteDraft,
    Reading,
    RelationDraft,
    StoryText,
)
from remanent.core.model.node import Kind
from remanent.testing import ScriptedMind

_NAME = re.compile(r"\b(Sam Reed|Ana Costa|Kim Lund|Jo Vance|Lee Park)\b")
_THING = re.compile(r"\b(Kestrel|Oslo|Bergen|Hamar|Lyon|Porto)\b")
SAID = ("one thing", "another thing", "a third thing")


class Telltale(ScriptedMind):
    """Finds the people and things of the town, and says of each all that was said."""

    def extract(self, reading: Reading) -> list[Candidate]:
        text = _text(reading)
        people = dict.fromkeys(_NAME.findall(text))
        things = dict.fromkeys(_THING.findall(text))
        return [
            *(_candidate(Kind.PERSON, one) for one in people),
            *(_candidate(Kind.ENTITY, one, "project") for one in things),
        ]

    def scripted_findings(self, reading: Reading, anchors: object) -> Findings:
        text = _text(reading)
        people, things = list(dict.fromkeys(_NAME.findall(text))), _THING.findall(text)
        notes = [NoteDraft(anchor=one, content=text) for one in (*people, *dict.fromkeys(things))]
        relations = [
            RelationDraft(src=one, dst=things[0], relationship_type="home", description=text)
            for one in people[:1]
            if things
        ]
        return Findings(notes=tuple(notes), relations=tuple(relations))

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        return [
            BeliefDraft(statement=one.text.split(". ")[0], passage_key=one.key)
            for one in reading.passages
        ]

    def tell(self, tale: StoryText) -> str:
        return " ".join(one.text for one in tale.chapters)

    def describe(self, name: str, described: str, notes: Sequence[str]) -> str:
        return " ".join(notes)[:4000]


def _text(reading: Reading) -> str:
    return " ".join(one.text for one in reading.passages)


def _candidate(kind: Kind, name: str, type_: str = "") -> Candidate:
    return Candidate(kind=kind, name=name, confidence=9.0, subpoints=SAID, type=type_)
