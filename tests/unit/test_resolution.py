"""Names find the one node they mean, and mentions and notes count once (SPEC 3, 4)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.model.anchor import Lifetime, Note, Person
from remanent.model.keys import canonical_name
from remanent.model.name import Name
from remanent.model.node import Kind
from remanent.model.reading import Candidate
from remanent.model.relationship import Relationship, RelationshipKind
from remanent.rules.resolution import (
    expires,
    local_day,
    mentioned,
    merged_aliases,
    resolve,
    with_note,
    worth_a_node,
)

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def person(name: str, *aliases: str, owner: bool = False) -> Name:
    return Name(key=name, kind=Kind.PERSON, name=name, aliases=aliases, is_owner=owner)


def someone(name: str, *aliases: str) -> Candidate:
    return Candidate(kind=Kind.PERSON, name=name, confidence=9, subpoints=(), aliases=aliases)


def thing(name: str, type_: str = "", *aliases: str, kind: Kind = Kind.ENTITY) -> Candidate:
    return Candidate(kind=kind, name=name, type=type_, confidence=9, subpoints=(), aliases=aliases)


def known(name: str, type_: str = "", *aliases: str, kind: Kind = Kind.ENTITY) -> Name:
    return Name(key=f"{name}|{type_}", kind=kind, name=name, type=type_, aliases=aliases)


SARAH = person("Sarah Chen")
MILLER = person("Sarah Miller")
OWNER = person("Ada Byron", "Ada", owner=True)


@pytest.mark.parametrize(
    ("confidence", "subpoints", "expected"),
    [
        (7.0, ("a", "b", "c"), True),
        (6.9, ("a", "b", "c"), False),
        (10, ("a", "b"), False),
        (10, ("a", " A ", "b", ""), False),
        (10, (), False),
    ],
)
def test_worth_a_node(confidence: float, subpoints: tuple[str, ...], expected: bool) -> None:
    candidate = Candidate(
        kind=Kind.CONCEPT, name="sailing", confidence=confidence, subpoints=subpoints
    )
    assert worth_a_node(candidate) is expected


class TestPeople:
    @pytest.mark.parametrize(
        ("candidate", "names", "expected"),
        [
            (someone("sarah  CHEN"), [SARAH, MILLER], SARAH),
            (someone("Dr. Sarah Chen"), [SARAH, MILLER], SARAH),
            (someone("Prof. Dr. Sarah Chen"), [SARAH], SARAH),
            (someone("Sarah Chen"), [person("Dr. Sarah Chen")], person("Dr. Sarah Chen")),
            (someone("Sarah"), [SARAH], SARAH),
            (someone("Sarah"), [SARAH, MILLER], None),
            (someone("Sarah"), [SARAH, MILLER, person("Sarah")], person("Sarah")),
            (someone("Sarah", "Sarah Miller"), [SARAH, MILLER], MILLER),
            (someone("Sarah Chen"), [MILLER], None),
            (someone("Sarah Chen", "Sarah"), [MILLER], None),
            (someone("Sarah Chen", "Sarah"), [person("Sarah")], person("Sarah")),
            (someone("Sarah Chen", "Sarah"), [person("Sarah"), MILLER], None),
            (someone("Sarah Chen"), [person("Sarah")], None),
            (someone("Sally"), [person("Sarah Chen", "Sally")], person("Sarah Chen", "Sally")),
            (someone("Sally"), [person("Sarah Chen", "Sally"), person("Sally Ito")], None),
            (
                someone("Maria Berg"),
                [person("Maria Lopez", "Maria Berg")],
                person("Maria Lopez", "Maria Berg"),
            ),
            (someone("Maria Berg", "Maria Lopez"), [person("Maria Lopez")], person("Maria Lopez")),
            (someone("Jo Berg", "Joey Lee"), [person("Jo Lopez", "Joey Lee")], None),
            (someone("Chen"), [SARAH], None),
            (someone("Mr. James"), [person("James Cole")], None),
            (someone("James"), [person("Mr. James")], person("Mr. James")),
            (someone("Sarah"), [person("Dr. Sarah Chen")], person("Dr. Sarah Chen")),
            (someone("Sarah Chen"), [known("Sarah Chen", "project")], None),
            (someone("Dr."), [SARAH], None),
            (someone("?!"), [SARAH, person("!?")], None),
            (someone(""), [], None),
        ],
    )
    def test_by_name_then_alias_then_a_lone_first_name(self, candidate, names, expected) -> None:
        assert resolve(candidate, names) == expected
        assert resolve(candidate, names[::-1]) == expected

    def test_the_same_spelling_goes_before_the_same_name_without_title(self) -> None:
        plain, titled = person("Sarah Chen"), person("Dr. Sarah Chen")
        assert resolve(someone("Dr Sarah Chen"), [plain, titled]) == titled
        assert resolve(someone("Sarah Chen"), [titled, plain]) == plain

    @pytest.mark.parametrize(
        ("candidate", "expected"),
        [
            (someone("Ada Byron"), OWNER),
            (someone("Ada"), OWNER),
            (someone("Bob Hale", "Ada Byron"), None),
            (someone("Bob", "Ada"), None),
        ],
    )
    def test_the_owner_answers_to_the_profile_only(self, candidate, expected) -> None:
        assert resolve(candidate, [OWNER]) == expected

    def test_another_of_the_owners_first_name_is_that_other(self) -> None:
        owner = person("Sarah Byron", owner=True)
        assert resolve(someone("Sarah"), [owner, SARAH]) == SARAH
        assert resolve(someone("Sarah"), [owner]) is None

    FIRST, LAST = ("Sarah", "Maria", "Jo"), ("Chen", "Miller", "Berg")
    spelled = st.one_of(
        st.sampled_from(FIRST),
        st.builds("{} {}".format, st.sampled_from(FIRST), st.sampled_from(LAST)),
    )
    people = st.lists(
        st.builds(lambda name, aliases: person(name, *aliases), spelled, st.lists(spelled)),
        unique_by=lambda one: one.key,
        max_size=6,
    )
    candidates = st.builds(
        lambda name, aliases: someone(name, *aliases), spelled, st.lists(spelled)
    )

    @given(candidate=candidates, names=people, random=st.randoms(use_true_random=False))
    def test_two_full_names_are_never_merged_unless_one_is_the_others_alias(
        self, candidate: Candidate, names: list[Name], random
    ) -> None:
        found = resolve(candidate, names)
        assert resolve(candidate, random.sample(names, len(names))) == found
        if found is not None and " " in candidate.name and " " in found.name:
            assert (
                candidate.name == found.name
                or candidate.name in found.aliases
                or found.name in candidate.aliases
            )

    @given(candidate=candidates, names=people)
    def test_a_lone_first_name_is_never_a_guess(
        self, candidate: Candidate, names: list[Name]
    ) -> None:
        bare = someone(candidate.name.split()[0])
        bearers = {one.key for one in names if one.name.startswith(bare.name)}
        found = resolve(bare, names)
        if found is not None and found.name != bare.name:
            assert bearers <= {found.key}

    @given(candidate=candidates, names=people, owner=st.builds(person, spelled))
    def test_nobody_becomes_the_owner_by_hearsay(self, candidate, names, owner) -> None:
        owner = person(owner.name, "Lady A", owner=True)
        others = [one for one in names if one.key != owner.key]
        found = resolve(candidate, [owner, *others])
        if found == owner:
            assert candidate.name == owner.name


class TestThings:
    ORG = known("Apollo", "organization", "Apollo Inc")
    PROJECT = known("Apollo", "project")
    SAILING = known("Sailing", kind=Kind.CONCEPT)

    @pytest.mark.parametrize(
        ("candidate", "expected"),
        [
            (thing("apollo", "Organization"), ORG),
            (thing("Apollo", "project"), PROJECT),
            (thing("Apollo", "product"), None),
            (thing("Apollo"), None),
            (thing("Apollo Inc."), ORG),
            (thing("Apollo Group", "organization", "Apollo Inc"), ORG),
            (thing("Apollo Inc", "project"), None),
            (thing("sailing", kind=Kind.CONCEPT), SAILING),
            (thing("yachting", "", "Sailing", kind=Kind.CONCEPT), SAILING),
            (thing("Sailing", "project"), None),
            (thing("Sail", kind=Kind.CONCEPT), None),
        ],
    )
    def test_entities_by_name_and_type_concepts_by_name(self, candidate, expected) -> None:
        assert resolve(candidate, [self.ORG, self.PROJECT, self.SAILING]) == expected

    def test_the_only_entity_of_a_name_is_meant_whatever_its_type(self) -> None:
        assert resolve(thing("Apollo", "product"), [self.PROJECT, self.SAILING]) == self.PROJECT

    def test_things_have_no_first_names(self) -> None:
        assert resolve(thing("New", "location"), [known("New York", "location")]) is None


class TestAliases:
    def test_gather_once_and_leave_out_the_name(self) -> None:
        found = someone("Sarah", "sarah chen", "Sally", "SALLY", " ")
        assert merged_aliases(("Dr. Chen",), found, name="Sarah Chen") == (
            "Dr. Chen",
            "Sarah",
            "Sally",
        )

    @given(
        aliases=st.lists(st.text(max_size=8), max_size=5),
        name=st.text(max_size=8),
        more=st.lists(st.text(max_size=8), max_size=5),
    )
    def test_doing_it_again_adds_nothing(self, aliases, name, more) -> None:
        candidate = someone(name, *more)
        once = merged_aliases(aliases, candidate)
        assert merged_aliases(once, candidate) == once
        assert len({canonical_name(alias) for alias in once}) == len(once)


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
                one = mentioned(one, at=at, day=local_day(at, "Europe/Oslo"))
            return one

        assert told(random.sample(hours, len(hours))) == told(hours)


class TestNotes:
    NOTE = Note(
        content="plays cello",
        added_by="mind",
        date_added=NOW + timedelta(days=1),
        source_key="s1",
    )

    def relationship(self) -> Relationship:
        return Relationship(
            key="r1",
            user_id="ada",
            kind=RelationshipKind.HAS_RELATIONSHIP_WITH,
            src="p1",
            dst="p2",
            relationship_type="friend",
            recorded_by="mind",
            recorded_at=NOW,
            valid_from=NOW,
            created_at=NOW,
            updated_at=NOW,
        )

    def test_mark_what_they_are_added_to(self) -> None:
        for one in (anchor(), self.relationship()):
            noted = with_note(one, self.NOTE)
            assert (noted.notes, noted.is_dirty, noted.updated_at) == (
                (self.NOTE,),
                True,
                self.NOTE.date_added,
            )

    def test_count_once_by_source_and_content(self) -> None:
        noted = with_note(anchor(is_dirty=False), self.NOTE)
        repeated = Note(content="plays cello", added_by="other", date_added=NOW, source_key="s1")
        elsewhere = Note(content="plays cello", added_by="mind", date_added=NOW, source_key="s2")
        assert with_note(noted, repeated) is noted
        assert with_note(noted, elsewhere).notes == (self.NOTE, elsewhere)
        assert with_note(noted, elsewhere).updated_at == self.NOTE.date_added

    @pytest.mark.parametrize(
        ("lifetime", "days"), [(Lifetime.WEEK, 7), (Lifetime.MONTH, 30), (Lifetime.YEAR, 365)]
    )
    def test_expire_by_lifetime(self, lifetime: Lifetime, days: int) -> None:
        assert expires(NOW, lifetime) == NOW + timedelta(days=days)

    def test_forever_is_forever(self) -> None:
        assert expires(NOW, Lifetime.FOREVER) is None


class TestDays:
    @pytest.mark.parametrize(
        ("zone", "day"),
        [
            ("UTC", date(2026, 3, 1)),
            ("Europe/Oslo", date(2026, 3, 2)),
            ("America/New_York", date(2026, 3, 1)),
            ("Pacific/Auckland", date(2026, 3, 2)),
        ],
    )
    def test_are_those_of_the_users_calendar(self, zone: str, day: date) -> None:
        assert local_day(NOW, zone) == day

    @pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe", "a\0b"])
    def test_an_unknown_zone_is_named(self, zone: str) -> None:
        with pytest.raises(InvalidInput, match="timezone"):
            local_day(NOW, zone)
