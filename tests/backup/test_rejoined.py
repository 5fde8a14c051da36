"""Going and coming back: a rebuild lives through each moment with the memberships of that moment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from storied import START, Life, a_mind

from remanent.backup.rebuild import scope_at
from remanent.clock import SteppedClock
from remanent.core.model.scope import Scope
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder

DAY = timedelta(days=1)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(START)


@pytest.fixture
def memory(clock: SteppedClock) -> Iterator[Memory]:
    with Memory.open(":memory:", clock=clock, mind=a_mind(), embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def ada(memory: Memory) -> UserMemory:
    ada = memory.user("ada")
    ada.create_team("The Crew", "crew")
    return ada


def join(memory: Memory, ada: UserMemory, who: str) -> UserMemory:
    user = memory.user(who)
    user.accept(ada.invite("crew", who).invitation_id)
    return user


def test_a_scope_of_then_knows_every_stay(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    clock.move_to(START + DAY)
    bob = join(memory, ada, "bob")
    clock.move_to(START + 3 * DAY)
    bob.leave_team("crew")
    clock.move_to(START + 5 * DAY)
    join(memory, ada, "bob")
    clock.move_to(START + 7 * DAY)
    ada.remove_member("crew", "bob")

    def at(moment: datetime) -> Scope:
        return scope_at(memory.env.registry, "bob", moment)

    stranger, crew = Scope(user_id="bob"), frozenset({"crew"})
    inside, gone = Scope(user_id="bob", teams=crew), Scope(user_id="bob", left=crew)
    days = [at(START + day * DAY) for day in range(9)]
    assert days == [stranger, inside, inside, gone, gone, inside, inside, gone, gone]


def test_a_rebuild_after_going_and_coming_back_is_the_same(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    """What Bob took in during his first stay is his; what was said while he was away is not."""
    bob = join(memory, ada, "bob")
    first, second = Life(ada, clock), Life(bob, clock)
    first.burst(range(1, 6), "Kestrel", team="crew")
    bob.adopt("crew")
    bob.work()
    second.night(6)
    clock.move_to(START + 8 * DAY)
    bob.leave_team("crew")
    first.burst(range(9, 12), "Osprey", team="crew")
    second.day(12, "@Kestrel without the crew.")
    second.night(13)
    clock.move_to(START + 15 * DAY)
    join(memory, ada, "bob")
    bob.adopt("crew")
    bob.work()
    first.day(16, "@Heron is new.", team="crew")
    for life in (first, second):
        life.night(17)
    assert {one.name for one in bob.anchors()} >= {"Kestrel", "Osprey"}
    with memory.rebuild() as rebuilt:
        assert rebuilt.comparison.is_same, rebuilt.comparison


def test_a_rebuild_after_leaving_for_good_is_the_same(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    bob = join(memory, ada, "bob")
    first, second = Life(ada, clock), Life(bob, clock)
    first.burst(range(1, 6), "Kestrel", team="crew")
    bob.adopt("crew")
    bob.work()
    second.night(6)
    clock.move_to(START + 8 * DAY)
    bob.leave_team("crew")
    second.day(9, "@Heron is mine.")
    second.night(10)
    with memory.rebuild() as rebuilt:
        assert rebuilt.comparison.is_same, rebuilt.comparison
