"""A team's stories: told from what the team reads, and nothing else (SPEC 9, 12.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from storied import START, Life, a_mind, a_team

from remanent.clock import SteppedClock
from remanent.core.model.codec import to_record
from remanent.core.model.mind_types import StoryText
from remanent.core.model.node import Kind
from remanent.core.model.sleep import SleepJob
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder

SECRETS = ("zanzibar", "quixote")  # said in a personal source, and in a highly sensitive one


def tell(tale: StoryText) -> str:
    """Every word of every chapter: what can leak, leaks."""
    return " ".join(one.text for one in tale.chapters)


@pytest.fixture
def memory() -> Iterator[Memory]:
    clock = SteppedClock(START)
    with Memory.open(":memory:", clock=clock, mind=a_mind(tales=tell), embedder=HashEmbedder()) as opened:  # fmt: skip
        a_team(opened, "ada", "bob")
        yield opened


@pytest.fixture
def ada(memory: Memory) -> Life:
    clock = memory.env.clock
    assert isinstance(clock, SteppedClock)
    return Life(memory.user("ada", name="Ada Lindqvist"), clock)


@pytest.fixture
def bob(memory: Memory) -> UserMemory:
    return memory.user("bob", name="Bob Berg")


def both_arcs(ada: Life) -> None:
    """Two arcs of a team's project, each with a personal and a highly sensitive source in it."""
    for start in (0, 50):
        for day in range(start, start + 6):
            ada.day(day, f"@Kestrel is on track on day {day}.", team="crew")
        ada.day(start + 6, "@Kestrel makes me think of zanzibar.")
        ada.day(start + 7, "@Kestrel costs quixote.", team="crew", sensitivity="high")
        ada.night(start + 8)
        ada.night(start + 9)


def everything(user: UserMemory, *words: str) -> str:
    """All that a user can get to see by asking in every way there is."""
    seen: list[Any] = []
    for word in ("Kestrel is on track", *words):
        for kinds in ((), ("storyline", "macro")):
            seen += user.search(word, kinds=kinds, limit=100)
        for granularity in (1, 2, 3):
            seen.append(user.explore(word, granularity=granularity, text_matches=[word]))
        seen.append(user.context(word, budget=5000))
    stories = user.stories(limit=100)
    seen += stories
    seen += [user.read(one.key) for one in stories]
    if stories:
        seen.append(user.traverse([one.key for one in stories]))
    for label in ("Storyline", "Macro"):
        rows = user.cypher(f"MATCH (n:{label}) RETURN n, n.description, properties(n)").rows
        assert rows
        seen += rows
    return str([to_record(one) for one in seen])


def test_most_sources_of_a_team_make_a_storyline_its_own(ada: Life, bob: UserMemory) -> None:
    for day in range(6):
        ada.day(day, f"@Kestrel on day {day}.", team="crew" if day < 3 else None)
    ada.night(6)
    (story,) = ada.storylines()
    assert story.team_id is None  # half is not more than half
    assert bob.stories() == []
    ada.day(7, "@Kestrel is ours.", team="crew")
    (story,) = ada.storylines()
    assert story.team_id == "crew"
    (seen,) = bob.stories()
    assert (seen.description, seen.name) == ("", "Kestrel – storyline")
    ada.night(7)
    (seen,) = bob.stories()
    assert "is ours" in seen.description
    assert "on day 5" not in seen.description
    assert "on day 5" in ada.storylines()[0].description
    assert [hit.key for hit in bob.search("Kestrel is ours", kinds=["storyline"])] == [story.key]
    ada.day(8, "@Kestrel a.", "@Kestrel b.")
    assert ada.storylines()[0].team_id is None
    assert ada.storylines()[0].team_description == ""
    assert bob.stories() == []
    assert bob.search("Kestrel is ours", kinds=["storyline"]) == []


def test_nothing_personal_leaks_to_the_team(ada: Life, bob: UserMemory) -> None:
    both_arcs(ada)
    first, second = ada.storylines()
    (macro,) = ada.macros()
    assert {first.team_id, second.team_id, macro.team_id} == {"crew"}
    owner = everything(ada.me, *SECRETS).casefold()
    member = everything(bob, *SECRETS).casefold()
    for secret in SECRETS:
        assert secret in owner
        assert secret in first.description
        assert secret in macro.description
        assert f"costs {secret}" not in member
        assert f"think of {secret}" not in member
        for kinds in (("storyline", "macro"), ()):
            told = " ".join(hit.text for hit in bob.search(secret, kinds=kinds))
            assert secret not in told
    # What Bob asked for is in what he asked, and nowhere else: the answers have none of it.
    assert {one.key for one in bob.stories()} == {first.key, second.key, macro.key}
    for story in bob.stories():
        assert "is on track" in story.description
        assert story.started_at.hour == START.hour
    seen = next(one for one in bob.stories(kind="storyline") if one.key == first.key)
    assert seen.source_count == 6  # type: ignore[union-attr]
    assert first.source_count == 8
    great = next(iter(bob.stories(kind="macro")))
    assert (great.storyline_count, great.total_source_count) == (2, 12)  # type: ignore[union-attr]


def test_a_team_finds_a_story_by_its_own_words_only(ada: Life, bob: UserMemory) -> None:
    both_arcs(ada)
    keys = {one.key for one in bob.stories()}
    assert {hit.key for hit in bob.search("track", kinds=["storyline", "macro"])} == keys
    index = bob.env.index
    kinds = (Kind.STORYLINE, Kind.MACRO)
    for secret in SECRETS:
        assert index.match(bob.scope, secret, kinds=kinds, limit=10) == []
        assert index.match(ada.me.scope, secret, kinds=kinds, limit=10) != []


def test_the_owner_finds_each_story_once(ada: Life) -> None:
    both_arcs(ada)
    hits = [hit.key for hit in ada.me.search("Kestrel track", kinds=["storyline", "macro"])]
    assert len(hits) == len(set(hits)) == 3
    shown = ada.me.explore("Kestrel is on track", granularity=2).episodic.storylines
    assert len({one.storyline_id for one in shown}) == len(shown) == 2
    assert all("zanzibar" in one.description for one in shown)


def test_whoever_leaves_the_team_has_lost_it(ada: Life, bob: UserMemory) -> None:
    both_arcs(ada)
    registry = bob.env.registry
    registry.leave("crew", "bob", ada.clock.now())
    assert bob.stories() == []
    assert bob.search("Kestrel track", kinds=["storyline", "macro"]) == []
    registry.leave("crew", "ada", ada.clock.now())
    assert len(ada.me.stories()) == 3  # her own stories stay hers


def test_a_members_nights_leave_anothers_stories_alone(ada: Life, bob: UserMemory) -> None:
    both_arcs(ada)
    ada.day(60, "@Kestrel goes on.", team="crew")
    before = ada.digest
    theirs = Life(bob, ada.clock)
    for job, rest in theirs.night(100).items():
        assert rest.is_idle, job
    assert ada.digest == before


def test_a_member_has_storylines_of_their_own_from_the_same_sources(
    ada: Life, bob: UserMemory
) -> None:
    both_arcs(ada)
    bob.adopt("crew")
    bob.work()
    theirs = Life(bob, ada.clock)
    assert theirs.night(59, SleepJob.PROMOTE)[SleepJob.PROMOTE].counts["opened"] == 2
    own = [one for one in theirs.storylines() if one.user_id == "bob"]
    assert [one.source_count for one in own] == [6, 6]
    assert not any(secret in one.description for one in own for secret in SECRETS)
