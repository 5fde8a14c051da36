"""One team at a time: what a narrowed handle and an active team show, take in and leave alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from storied import START, Life, a_mind

from remanent.backup.rules import CIRCUMSTANCES
from remanent.clock import SteppedClock
from remanent.core.model.codec import to_record
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownKey
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

MINE, RED, BLUE, GUEST = "own-zanzibar", "red-quixote", "blue-yonder", "guest-umbrella"


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(START)


@pytest.fixture
def memory(clock: SteppedClock) -> Iterator[Memory]:
    def tell(tale: Any) -> str:
        return " ".join(one.text for one in tale.chapters)

    with Memory.open(":memory:", clock=clock, mind=a_mind(tales=tell), embedder=HashEmbedder()) as one:  # fmt: skip
        yield one


@pytest.fixture
def ada(memory: Memory) -> UserMemory:
    """In red and blue; a guest in a meeting of green, in which she never was."""
    ada, bob = memory.user("ada"), memory.user("bob")
    for team in ("red", "blue", "green"):
        bob.create_team(team.title(), team)
        if team != "green":
            ada.accept(bob.invite(team, "ada").invitation_id)
    ada.add(f"The kettle says {MINE}.")
    bob.add(f"The kettle says {RED}.", team="red")
    bob.add(f"The kettle says {BLUE}.", team="blue")
    bob.add(f"The kettle says {GUEST}.", team="green", participants=["ada"])
    memory.work()
    return ada


def seen(user: UserMemory) -> set[str]:
    """The words that a user comes upon by asking in every way."""
    found: list[Any] = [
        user.search("kettle says", limit=100),
        user.search("kettle says", limit=100, kinds=["source", "passage"]),
        user.explore("kettle", text_matches=["kettle"]),
        user.context("What does the kettle say?", budget=5000),
        user.sources(),
        user.cypher("MATCH (s:Source) RETURN s, properties(s)").rows,
        user.cypher("MATCH (p:Passage) RETURN p").rows,
        [user.read(one.key) for one in user.sources()],
        user.traverse([one.key for one in user.sources()]) if user.sources() else None,
        user.status().counts,
    ]
    told = str([to_record(one) for one in found])
    return {word for word in (MINE, RED, BLUE, GUEST) if word in told}


def test_a_narrowed_handle_sees_ones_own_and_one_team(ada: UserMemory) -> None:
    assert seen(ada) == {MINE, RED, BLUE, GUEST}
    assert seen(ada.within("red")) == {MINE, RED}
    assert seen(ada.within("blue")) == {MINE, BLUE}
    assert seen(ada.within(None)) == {MINE, RED, BLUE, GUEST}
    keys = {one.key for one in ada.sources()} - {one.key for one in ada.within("red").sources()}
    for key in keys:
        for ask in (ada.within("red").read, ada.within("red").undo, ada.within("red").touch):
            with pytest.raises(UnknownKey):
                ask(key)
        with pytest.raises(UnknownKey):
            ada.within("red").read(key[:12])


def test_the_active_team_narrows_what_is_seen(ada: UserMemory, memory: Memory) -> None:
    ada.set_active_team("red")
    assert seen(ada) == seen(memory.user("ada")) == {MINE, RED}
    assert seen(ada.within("blue")) == {MINE, BLUE}
    assert seen(ada.within(None)) == {MINE, RED, BLUE, GUEST}
    assert [one.team.team_id for one in ada.teams()] == ["blue", "red"]
    ada.set_active_team(None)
    assert seen(ada) == {MINE, RED, BLUE, GUEST}


def test_an_active_team_keeps_nobody_from_contributing(ada: UserMemory, memory: Memory) -> None:
    ada.set_active_team("red")
    key = ada.add("A word to the blue ones.", team="blue")
    assert memory.user("bob").read(key).node.key == key
    with pytest.raises(UnknownKey):
        ada.read(key)
    with pytest.raises(Forbidden):
        ada.add("A word to the green ones.", team="green")


def test_a_narrowed_handle_contributes_to_its_team_or_none(ada: UserMemory) -> None:
    red = ada.within("red")
    assert red.read(red.add("A word to the red ones.", team="red"))
    assert red.read(red.add("A word to myself."))
    for team in ("blue", "green"):
        with pytest.raises(Forbidden):
            red.add("A word elsewhere.", team=team)
        with pytest.raises(Forbidden):
            red.record("tool.called", {}, team=team)
        with pytest.raises(Forbidden):
            red.adopt(team)
    with pytest.raises(InvalidInput):
        red.search("kettle", team="blue")


def test_what_is_hidden_is_still_known(ada: UserMemory) -> None:
    """The same source again is the same source, wherever one looks; nothing is written over."""
    key = ada.add("To blue, first.", team="blue", origin_id="letter-1")
    assert ada.within("red").add("To red, second.", origin_id="letter-1") == key
    ada.set_active_team("red")
    assert ada.add("To red, third.", team="red", origin_id="letter-1") == key
    assert ada.within("blue").read(key).node.team_id == "blue"  # type: ignore[union-attr]
    ada.leave_team("blue")
    assert ada.add("To myself, fourth.", origin_id="letter-1") == key  # though she has lost it
    with pytest.raises(UnknownKey):
        ada.read(key)


def test_narrow_stays_narrow(ada: UserMemory) -> None:
    red = ada.within("red")
    assert red.within("red").scope == red.scope
    for team in ("blue", None):
        with pytest.raises(Forbidden, match="narrowed"):
            red.within(team)
    for team in ("green", "none"):
        with pytest.raises(NotFound):
            ada.within(team)
    assert [one.team.team_id for one in red.teams()] == ["red"]
    with pytest.raises(NotFound):
        red.members("blue")
    for refused in (
        lambda: red.create_team("Another"),
        lambda: red.set_active_team("red"),
        lambda: red.set_primary_team(None),
    ):
        with pytest.raises(Forbidden, match="narrowed"):
            refused()
    assert "blue" not in {one.team_id for one in red.audit()}
    assert "blue" in {one.team_id for one in ada.audit()}


def test_invitations_elsewhere_are_hidden_from_a_narrowed_handle(
    ada: UserMemory, memory: Memory
) -> None:
    sent = memory.user("bob").invite("green", "ada")
    ada.set_active_team("red")
    assert ada.invitations() == [sent]  # looking at one team does not hide another's letter
    assert ada.within("red").invitations() == []
    with pytest.raises(NotFound):
        ada.within("red").accept(sent.invitation_id)


def test_whoever_leaves_sees_nothing_through_an_old_handle(ada: UserMemory, memory: Memory) -> None:
    red, wide = ada.within("red"), ada.within(None)
    memory.user("bob").remove_member("red", "ada")
    assert seen(red) == {MINE}
    assert seen(wide) == {MINE, BLUE, GUEST}
    with pytest.raises(Forbidden):
        red.add("Still there?", team="red")
    ada.accept(memory.user("bob").invite("red", "ada").invitation_id)
    assert seen(red) == {MINE, RED}


def test_narrowed_handles_go_on_after_a_rebuild(ada: UserMemory, memory: Memory) -> None:
    red = ada.within("red")
    with memory.rebuild(mind=a_mind()) as rebuilt:
        rebuilt.switch()
    assert red.env is ada.env is memory.env
    assert seen(red) == {MINE, RED}


def test_where_one_looks_changes_nothing_that_is_derived() -> None:
    """A night, a new belief and an undone source come out the same, narrowed or not."""

    def lived(*, narrowed: bool) -> str:
        here = SteppedClock(START)
        with Memory.open(":memory:", clock=here, mind=a_mind(), embedder=HashEmbedder()) as memory:
            bob = memory.user("bob")
            bob.create_team("Red", "red")
            bob.create_team("Blue", "blue")
            ada = memory.user("ada")
            for team in ("red", "blue"):
                ada.accept(bob.invite(team, "ada").invitation_id)
            life = Life(ada, here)
            for day in range(6):
                life.day(day, f"@Kestrel on day {day}.", team="blue" if day % 2 else None)
            key = life.day(6, "@Kestrel was a mistake.", team="red")[0]
            if narrowed:
                ada.set_active_team("red")
            ada.remember("I like tea.", event_id="belief-1")
            here.advance(timedelta(days=1))
            ada.sleep()
            assert len(ada.within(None).stories()) == 1
            ada.undo(key)
            here.advance(timedelta(days=1))
            ada.sleep()
            exported = memory.env.graph.export(memory.env.registry.scope_of("ada"))
            return digest(exported, without=CIRCUMSTANCES)

    assert lived(narrowed=True) == lived(narrowed=False)


# -- stories ---------------------------------------------------------------------------------


@pytest.fixture
def told(memory: Memory, clock: SteppedClock) -> UserMemory:
    """Bob's storylines of red and of blue, each told from that team's sources."""
    bob, ada = memory.user("bob"), memory.user("ada")
    for team in ("red", "blue"):
        bob.create_team(team.title(), team)
        ada.accept(bob.invite(team, "ada").invitation_id)
    life = Life(bob, clock)
    for day in range(6):
        life.day(day, f"@Kestrel {RED} on day {day}.", team="red")
        life.day(day, f"@Osprey {BLUE} on day {day}.", team="blue")
    life.night(7)
    life.night(8)
    return ada


def story_words(user: UserMemory) -> set[str]:
    found: list[Any] = [*user.stories(limit=100)]
    found += [user.read(one.key) for one in user.stories(limit=100)]
    found += user.search("Kestrel Osprey day", kinds=["storyline", "macro"], limit=100)
    found += user.cypher("MATCH (n:Storyline) RETURN n, n.description").rows
    found.append(user.explore("Kestrel Osprey", granularity=2, text_matches=["Kestrel", "Osprey"]))
    told = str([to_record(one) for one in found])
    return {word for word in (RED, BLUE) if word in told}


def test_stories_of_other_teams_are_hidden(told: UserMemory, memory: Memory) -> None:
    assert story_words(told) == {RED, BLUE}
    assert story_words(told.within("red")) == {RED}
    told.set_active_team("blue")
    assert story_words(told) == {BLUE}
    told.set_active_team(None)
    told.leave_team("red")
    assert story_words(told) == {BLUE}
    told.accept(memory.user("bob").invite("red", "ada").invitation_id)
    assert story_words(told) == {RED, BLUE}


def test_ones_own_stories_are_ones_own(told: UserMemory, memory: Memory) -> None:
    """Like one's beliefs they stay, whichever team one looks at."""
    bob = memory.user("bob")
    assert {one.team_id for one in bob.within("red").stories(limit=100)} == {"red", "blue"}
