"""What keeps nobody from erasing: that somebody wrote a key down, or that a relationship has another key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from telltale import Telltale

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.mind_types import BeliefDraft, Findings, Reading
from remanent.core.read import own
from remanent.core.records.item import Put
from remanent.testing import HashEmbedder


def records(user: UserMemory, key: str) -> None:
    user.record("message", {"text": "A note", "source_key": key}, agent_id="bot")


def adds(user: UserMemory, key: str) -> None:
    user.add(f"The one that begins with {key}.")


def stows(user: UserMemory, key: str) -> None:
    user.shelf().put([Put(namespace=("notes",), key="one", value={"about": key})])


@pytest.mark.parametrize("names", [records, adds, stows])
def test_whoever_writes_a_key_down_keeps_nobody_from_erasing(
    names: Callable[[UserMemory, str], None],
) -> None:
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with Memory.open(":memory:", clock=clock, mind=Telltale(), embedder=HashEmbedder()) as memory:
        ada, eve = memory.user("ada"), memory.user("eve")
        key = ada.add("Kim Lund lives in Bergen.")
        memory.work()
        names(eve, key)
        memory.work()
        erased = ada.erase(key)
        assert erased.probe.phrases
        assert not ada.sources()


class OneHome(Telltale):
    """Knows of whom it reads, and that they live in one place at a time."""

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        return [replace(one, subject="kim lund") for one in super().beliefs(reading)]

    def scripted_findings(self, reading: Reading, anchors: object) -> Findings:
        findings = super().scripted_findings(reading, anchors)
        drawn = tuple(replace(one, single=True) for one in findings.relations)
        return replace(findings, relations=drawn)


def test_what_ones_own_words_ended_is_ended_by_a_relationship_that_is_there() -> None:
    """Somebody else's source had drawn it from an earlier day on, under another key."""
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with Memory.open(":memory:", clock=clock, mind=OneHome(), embedder=HashEmbedder()) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        bob.create_team("The Crew", "crew")
        ada.accept(bob.invite("crew", "ada").invitation_id)
        key = bob.add("Kim Lund lives in Bergen.", team="crew")
        memory.work()
        ada.adopt("crew")
        memory.work()
        for words in ("Kim Lund lives in Bergen with Ann.", "Kim Lund lives in Hamar."):
            clock.advance(timedelta(days=1))
            ada.add(words)
            memory.work()
        bob.erase(key)
        held = {one.statement: one for one in own(ada.env, ada.scope, Belief)}
        ended = held["Kim Lund lives in Bergen with Ann."]
        assert ended.status is BeliefStatus.INVALIDATED
        assert ada.env.graph.relationship(ada.scope, ended.changes[-1].by or "") is not None
