"""Whom words mean may be decided anew; when they were learned stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from remanent import Memory
from remanent.clock import SteppedClock
from remanent.core.model.mind_types import Candidate, Findings, RelationDraft
from remanent.core.model.node import Kind
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = ("a", "b", "c")


def _person(name: str) -> Candidate:
    return Candidate(kind=Kind.PERSON, name=name, confidence=9, subpoints=SAID)


def test_a_relationship_drawn_again_is_known_since_it_was_first_read() -> None:
    acme = Candidate(
        kind=Kind.ENTITY, name="Acme", confidence=9, subpoints=SAID, type="organization"
    )
    works = RelationDraft(
        src="Tom", dst="Acme", relationship_type="works_at", description="He does."
    )
    mind = ScriptedMind(
        candidates={"at Acme": [_person("Tom"), acme], "Tom Berg": [_person("Tom Berg")]},
        findings={"at Acme": Findings(relations=(works,))},
    )
    clock = SteppedClock(START)
    with Memory.open(":memory:", clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        user = memory.user("ada", name="Ada Quist", timezone="UTC")
        user.add("Tom works at Acme.", type="text-note", started_at=START)
        user.work()
        read_at = clock.now()
        clock.advance(timedelta(days=10))
        user.add("I met Tom Berg.", type="text-note", started_at=clock.now())
        user.work()
        (tom,) = [one for one in user.anchors() if one.name.startswith("Tom")]
        assert tom.name == "Tom Berg" or "Tom Berg" in tom.aliases
        (known,) = user.relationships(tom.key, known_at=read_at)
        assert (known.relationship_type, known.recorded_at) == ("works_at", read_at)
        assert not user.relationships(tom.key, known_at=read_at - timedelta(seconds=1))
