"""What is erased leaves the rest of a night where the night wrote it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

from telltale import Telltale

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.event import DESCRIBED
from remanent.testing import HashEmbedder

NAMES = ("Sam Reed", "Ana Costa", "Kim Lund", "Jo Vance", "Lee Park")
PLACES = ("Oslo", "Bergen", "Hamar", "Lyon", "Porto")


def named_in(user: UserMemory) -> dict[str, set[str]]:
    """What each event of a night describes."""
    events = user.env.ledger.replay(user.scope, limit=10_000)
    return {
        one.event_id: {thing["key"] for thing in one.payload["things"]}
        for one in events
        if one.event_type == DESCRIBED
    }


def test_what_a_night_described_stays_in_its_event_when_another_source_goes() -> None:
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with Memory.open(":memory:", clock=clock, mind=Telltale(), embedder=HashEmbedder()) as memory:
        user = memory.user("ada")
        keys = [user.add(f"{name} lives in {at}.") for name, at in product(NAMES, PLACES)]
        user.work()
        clock.advance(timedelta(days=1))
        user.sleep()
        before = named_in(user)
        assert len(before) > 1  # more than goes into one event
        user.erase(keys[0])
        after = named_in(user)
        assert after.keys() == before.keys()
        assert all(after[event] <= before[event] for event in before)
