"""A mind for tests that reads a small language, so that what it finds is known beforehand."""

from __future__ import annotations

from remanent.core.model.mind_types import (
    BeliefDraft,
    Candidate,
    Findings,
    NoteDraft,
    Reading,
    RelationDraft,
)
from remanent.core.model.node import Kind
from remanent.testing import ScriptedMind

SAID = ("one thing", "another thing", "a third thing")


class PlainMind(ScriptedMind):
    """Reads lines such as `Sarah Chen aka Sally: note` and `Tom > home > Oslo` (`!` ends it)."""

    def extract(self, reading: Reading) -> list[Candidate]:
        found = {}
        for line in _lines(reading):
            if " > " in line:
                src, _, dst = line.rstrip("!").split(" > ")
                found[src] = _candidate(Kind.PERSON, src)
                found[dst] = _candidate(Kind.ENTITY, dst, type_="location")
            else:
                name, _, aka = line.partition(": ")[0].partition(" aka ")
                found[name] = _candidate(Kind.PERSON, name, *filter(None, [aka]))
        return list(found.values())

    def scripted_findings(self, reading: Reading, anchors: object) -> Findings:
        notes, relations = [], []
        for line in _lines(reading):
            if " > " in line:
                src, kind, dst = line.rstrip("!").split(" > ")
                relations.append(
                    RelationDraft(
                        src=src,
                        dst=dst,
                        relationship_type=kind,
                        description=line,
                        single=kind == "home",
                        ended=line.endswith("!"),
                    )
                )
            else:
                name, _, content = line.partition(": ")
                notes.append(NoteDraft(anchor=name.partition(" aka ")[0], content=content))
        return Findings(notes=tuple(notes), relations=tuple(relations))

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        return [
            BeliefDraft(statement=line, passage_key=one.key)
            for one in reading.passages
            for line in one.text.splitlines()
            if line.startswith("It is so that ")
        ]


def _lines(reading: Reading) -> list[str]:
    return [
        line
        for one in reading.passages
        for line in one.text.splitlines()
        if " > " in line or ": " in line
    ]


def _candidate(kind: Kind, name: str, *aliases: str, type_: str = "") -> Candidate:
    return Candidate(
        kind=kind, name=name, confidence=8, subpoints=SAID, aliases=aliases, type=type_
    )
