"""What hunts need: a mind that repeats word for word whatever it reads, so that what can leak leaks; a town to
hunt in; and a way in that is as careless as a test makes it."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from remanent import Memory, SteppedClock
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
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.hunts.hunt import Ask, Hunt, Plan, Request, Tried, Way, settled
from remanent_conformance.hunts.town import Town

R = TypeVar("R", bound=Tried)
MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
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


def hunted(place: Path, hunt: Hunt[R], plan: Plan, *ways: Way) -> R:
    """What a hunt saw in a town of its own."""
    with _opened(place / "town.db", clock := SteppedClock(MORNING)) as memory:
        return hunt(memory, clock, plan, ways=ways)


def _opened(path: Path, clock: SteppedClock) -> Memory:
    return Memory.open(path, clock=clock, mind=Telltale(), embedder=HashEmbedder())


@dataclass(frozen=True)
class Settlement:
    """A town on the day it is settled, kept as a file: each hunt gets a copy, since to settle it takes longer
    than most hunts do."""

    town: Town
    file: Path

    @classmethod
    def founded(cls, file: Path, plan: Plan) -> Settlement:
        with _opened(file, clock := SteppedClock(MORNING)) as memory:
            return cls(settled(memory, clock, plan), file)

    def hunted(self, place: Path, hunt: Hunt[R], plan: Plan, *ways: Way) -> R:
        """What a hunt saw in a copy of it."""
        clock = SteppedClock(self.town.clock.now())
        with _opened(shutil.copy(self.file, place / "town.db"), clock) as memory:
            # All of the town but the two that it stands in; dice are one and the same for it and its secrets.
            there = {id(self.town.memory): memory, id(self.town.clock): clock}
            return hunt.among(copy.deepcopy(self.town, there), plan, ways)


class Careless:
    """A way in that does what it should not, more often than anything else is done."""

    def __init__(self, careless: Callable[[Town, Request], Any]) -> None:
        self.careless = careless

    def open(self, town: Town) -> Mapping[str, tuple[int, Ask]]:
        return {"careless": (40, lambda r: self.careless(town, r))}

    def close(self) -> None:
        pass
