"""Leaving a team while work waits: nothing is lost for the others, and nothing is parked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from plain_mind import PlainMind

from remanent import Memory
from remanent.clock import SteppedClock
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import MOMENT


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(
        ":memory:", clock=SteppedClock(MOMENT), mind=ScriptedMind(), embedder=HashEmbedder()
    ) as opened:
        ada = opened.user("ada")
        ada.create_team("Red", team_id="red")
        opened.user("bob").accept(ada.invite("red", "bob").invitation_id)
        yield opened


def test_what_a_leaver_gave_is_read_for_the_others(memory: Memory) -> None:
    bob = memory.user("bob")
    bob.add("The launch is on Friday.", team="red")
    bob.leave_team("red")
    worked = memory.work()
    assert (worked.retried, worked.parked) == (0, 0)
    (hit,) = memory.user("ada").search("when is the launch", kinds=["passage"])
    assert hit.text == "The launch is on Friday."
    assert bob.search("when is the launch") == []


def test_a_source_that_was_lost_before_it_was_read_is_let_go(memory: Memory) -> None:
    key = memory.user("ada").add("The launch is on Friday.", team="red")
    memory.work()
    bob = memory.user("bob")
    assert bob.adopt("red") == 1
    bob.leave_team("red")
    worked = memory.work()
    assert (worked.done, worked.retried, worked.parked) == (1, 0, 0)
    assert key not in {link.src for one in bob.anchors() for link in bob.read(one.key).links}


def test_what_was_learnt_in_a_team_does_not_stand_in_the_way_later() -> None:
    with Memory.open(
        ":memory:", clock=SteppedClock(MOMENT), mind=PlainMind(), embedder=HashEmbedder()
    ) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        ada.create_team("Red", team_id="red")
        bob.accept(ada.invite("red", "bob").invitation_id)
        ada.add("Tom Vance > home > Oslo\nTom: rows", team="red")
        memory.work()
        bob.adopt("red")
        memory.work()
        bob.leave_team("red")
        bob.add("Tom Vance > home > Oslo", started_at=MOMENT - timedelta(days=9))
        worked = memory.work()
        assert (worked.retried, worked.parked) == (0, 0)
        (tom,) = (one for one in bob.anchors("person") if one.name == "Tom Vance")
        (home,) = bob.relationships(tom.key)
        assert home.valid_from == MOMENT - timedelta(days=9)
