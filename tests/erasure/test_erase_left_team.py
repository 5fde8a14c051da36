"""What somebody erases leaves the stories of whoever has left the team where they were."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from telltale import Telltale

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.event import STORYLINE_OPENED
from remanent.testing import HashEmbedder

WORDS = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")


def openings(user: UserMemory) -> list[str]:
    events = user.env.ledger.replay(user.scope, limit=10_000)
    return [one.event_id for one in events if one.event_type == STORYLINE_OPENED]


def test_a_story_of_two_teams_outlives_both_and_what_another_erases() -> None:
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with Memory.open(":memory:", clock=clock, mind=Telltale(), embedder=HashEmbedder()) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        for team in ("north", "south"):
            bob.create_team(team.title(), team)
            ada.accept(bob.invite(team, "ada").invitation_id)
        for word in WORDS:
            ada.add(f"Kim Lund lives in Bergen with {word}.", team="south")
            memory.work()
            clock.advance(timedelta(days=1))
        key = bob.add("Kim Lund lives in Hamar.", team="north")
        memory.work()
        ada.adopt("north")
        memory.work()
        clock.advance(timedelta(days=1))
        ada.sleep()
        before = openings(ada)
        assert before
        for team in ("north", "south"):
            bob.remove_member(team, "ada")
        bob.erase(key)
        assert openings(ada) == before
