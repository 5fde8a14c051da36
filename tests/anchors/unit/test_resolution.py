"""What deserves a node, what it is called, and how mentions count (SPEC 3, 4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.anchors.rules.resolution import (
    established,
    expires,
    mentioned,
    named_also,
    natural_name,
    uncounted,
    worth_a_node,
)
from remanent.core.model.anchor import Entity, Lifetime, Person
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.mind_types import Candidate
from remanent.core.model.node import Kind

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def someone(name: str, *aliases: str) -> Candidate:
    return Candidate(kind=Kind.PERSON, name=name, confidence=9, subpoints=(), aliases=aliases)


@pytest.mark.parametrize(
    ("confidence", "subpoints", "expected"),
    [
        (7.0, ("a", "b", "c"), True),
        (6.9, ("a", "b", "c"), False),
        (7.0, ("a",), True),
        (10, ("", " "), False),
        (10, (), False),
    ],
)
def test_worth_a_node(confidence: float, subpoints: tuple[str, ...], expected: bool) -> None:
    candidate = Candidate(
        kind=Kind.CONCEPT, name="sailing", confidence=confidence, subpoints=subpoints
    )
    assert worth_a_node(candidate) is expected


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (
            'call create_relationship with {"src": "owner", "dst": "Maria Berg", "ended": true}',
            False,
        ),
        ('add_note(name="Maria Berg", content="owes me money")', False),
        ("{'people': {'name': 'Maria Berg', 'sta", False),
        ("Maria Berg (my boss: a kind one) called at 10:30", True),
        ('Maria Berg sent {"name": "Maria Berg"}', True),
        ("She lives in Oslo", True),
    ],
)
def test_what_is_written_for_programs_says_nothing_of_anybody(point: str, expected: bool) -> None:
    candidate = Candidate(kind=Kind.PERSON, name="Maria Berg", confidence=9, subpoints=(point,))
    assert worth_a_node(candidate) is expected


def living(state: State, accesses: int = 0) -> Person:
    return anchor(life=Lifecycle(state=state, access_count=accesses))


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ([("a", "b", "c")], State.ACTIVE),
        ([("a",), ("b",), ("c",)], State.ACTIVE),
        ([("a", " A "), ("b", "a")], State.CANDIDATE),
        ([], State.CANDIDATE),
    ],
)
def test_subpoints_add_up_over_sources(said: list[tuple[str, ...]], state: State) -> None:
    candidates = [replace(someone("Ann"), subpoints=points) for points in said]
    for before in (State.CANDIDATE, State.ACTIVE):
        assert established(living(before), candidates).life.state is state


def test_what_was_looked_at_has_a_life_of_its_own() -> None:
    assert established(living(State.ACTIVE, 1), []).life.state is State.ACTIVE
    assert established(living(State.CORE), []).life.state is State.CORE


class TestNames:
    def test_the_longest_spelling_is_shown_and_the_others_are_aliases(self) -> None:
        sarah = anchor(name="Sarah Chen", canonical_name="sarah-chen", confidence=0.0)
        for name in ("SARAH CHEN", "Dr. Sarah Chen", "Sarah"):
            sarah = named_also(sarah, someone(name, "Sally"))

        assert sarah.name == "Dr. Sarah Chen"
        assert sarah.aliases == ("Sally", "Sarah", "Sarah Chen")
        assert sarah.confidence == 0.9

    def test_the_owner_is_called_what_the_profile_says(self) -> None:
        owner = anchor(name="Ada", canonical_name="ada", is_owner=True)

        assert named_also(owner, someone("Countess", "Addie")) == owner
        assert uncounted(owner).name == "Ada"

    @given(
        names=st.lists(st.sampled_from(["Bo", "BO", "Dr. Bo", "bo", "B. Lie"]), min_size=1),
        random=st.randoms(use_true_random=False),
    )
    def test_the_order_of_names_does_not_matter(self, names: list[str], random) -> None:
        def called(spellings: list[str]) -> Person:
            person = uncounted(anchor(name="Bo", canonical_name="bo"))
            for spelling in spellings:
                person = named_also(person, someone(spelling, "Bobo"), natural="bo")
            return person

        shuffled = list(names)
        random.shuffle(shuffled)
        assert called(names) == called(shuffled)
        assert called([*names, *names]) == called(names)

    def test_things_keep_the_name_of_their_key(self) -> None:
        oslo = Entity(
            key="k",
            user_id="ada",
            created_at=NOW,
            updated_at=NOW,
            name="Oslo",
            type="location",
            created_by="ada",
        )

        assert natural_name(oslo) == "oslo"
        named = named_also(
            oslo, Candidate(kind=Kind.ENTITY, name="OSLO", confidence=9, subpoints=())
        )
        assert (named.name, named.aliases) == ("Oslo", ())


def anchor(**given_: Any) -> Person:
    fields: dict[str, Any] = {
        "key": "p1",
        "user_id": "ada",
        "created_at": NOW,
        "updated_at": NOW,
        "name": "Sarah Chen",
        "canonical_name": "sarah-chen",
        "created_by": "test",
    }
    return Person(**(fields | given_))


class TestMentions:
    def test_count_and_date(self) -> None:
        day = date(2026, 3, 2)
        once = mentioned(anchor(), at=NOW, day=day)
        assert (once.source_count, once.first_mentioned_at, once.last_mentioned_at) == (
            1,
            NOW,
            NOW,
        )
        earlier = NOW - timedelta(days=3)
        twice = mentioned(once, at=earlier, day=date(2026, 2, 27))
        assert (twice.first_mentioned_at, twice.last_mentioned_at) == (earlier, NOW)
        assert twice.distinct_days == (date(2026, 2, 27), day)
        assert twice.updated_at == NOW
        again = mentioned(twice, at=NOW, day=day)
        assert (again.source_count, again.distinct_source_days) == (3, 2)

    @given(
        hours=st.lists(st.integers(-1000, 1000), max_size=6),
        random=st.randoms(use_true_random=False),
    )
    def test_the_order_of_sources_does_not_matter(self, hours: list[int], random) -> None:
        def told(order: list[int]) -> Person:
            one = anchor()
            for hour in order:
                at = NOW + timedelta(hours=hour)
                one = mentioned(one, at=at, day=at.astimezone(ZoneInfo("Europe/Oslo")).date())
            return one

        assert told(random.sample(hours, len(hours))) == told(hours)


class TestNotes:
    @pytest.mark.parametrize(
        ("lifetime", "days"), [(Lifetime.WEEK, 7), (Lifetime.MONTH, 30), (Lifetime.YEAR, 365)]
    )
    def test_expire_by_lifetime(self, lifetime: Lifetime, days: int) -> None:
        assert expires(NOW, lifetime) == NOW + timedelta(days=days)

    def test_forever_is_forever(self) -> None:
        assert expires(NOW, Lifetime.FOREVER) is None
