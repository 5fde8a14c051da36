"""What passes a request's filters, and what a bad request is told."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.belief import Belief, BeliefStatus, BeliefType, Support
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import Sensitivity, SourceType
from remanent.errors import InvalidInput
from remanent.retrieval.rules import filters as sifting
from remanent.retrieval.rules.filters import SEARCHED, Facts, Fault
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_passage,
    a_person,
    a_relationship,
    a_source,
    a_storyline,
)

pytestmark = pytest.mark.quick

DAY = timedelta(days=1)
LATER, EARLIER = MOMENT + DAY, MOMENT - DAY


def sought(**filters: Any) -> SearchRequest:
    return SearchRequest(query="tea", kinds=SEARCHED, **filters)


def checked(**asked: Any) -> SearchRequest:
    return sifting.checked(SearchRequest(**{"query": "tea", **asked}), max_characters=100)


# --- the request -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": "x" * 101}, "query"),
        ({"query": None}, "query"),
        ({"kinds": ["dream"]}, "kinds"),
        ({"kinds": "passage"}, "kinds"),
        ({"kinds": None}, "kinds"),
        ({"since": datetime(2026, 1, 1)}, "since"),  # noqa: DTZ001
        ({"until": "2026-01-01"}, "until"),
        ({"since": LATER, "until": MOMENT}, "since"),
        ({"as_of": datetime(2026, 1, 1)}, "as_of"),  # noqa: DTZ001
        ({"known_at": 7}, "known_at"),
        ({"types": ["diary"]}, "types"),
        ({"types": "email"}, "types"),
        ({"team": ""}, "team"),
        ({"speaker": " "}, "speaker"),
        ({"speaker": "!?"}, "speaker"),
        ({"anchor": ""}, "anchor"),
        ({"states": ["asleep"]}, "states"),
        ({"sensitivity": ["secret"]}, "sensitivity"),
    ],
)
def test_a_bad_request_names_its_field(asked: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(**asked)

    assert caught.value.field == field


def test_times_are_read_in_utc_and_may_lie_ahead() -> None:
    ahead = datetime(2999, 1, 1, tzinfo=UTC)
    west = MOMENT.astimezone(datetime.strptime("-05:00", "%z").tzinfo)

    request = checked(since=west, until=ahead)

    assert request.since == MOMENT
    assert request.since.tzinfo is UTC
    assert request.until == ahead


def test_a_question_about_the_past_looks_among_past_beliefs() -> None:
    assert Kind.PAST_BELIEF not in checked().kinds
    assert Kind.PAST_BELIEF in checked(as_of=MOMENT).kinds
    assert Kind.PAST_BELIEF in checked(known_at=MOMENT, kinds=["belief"]).kinds
    assert checked(as_of=MOMENT, kinds=["passage"]).kinds == (Kind.PASSAGE,)


@pytest.mark.parametrize(
    ("filters", "able"),
    [
        ({"team": "red"}, {"passage", "source", "storyline", "macro"}),
        ({"sensitivity": frozenset({Sensitivity.LOW})}, {"passage", "source", "artifact"}),
        ({"speaker": "tom"}, {"passage", "belief"}),
        ({"types": frozenset({"email"})}, {"passage", "source", "belief"}),
        ({"speaker": "tom", "team": "red"}, {"passage"}),
        ({"states": frozenset({State.CORE})}, {kind.value for kind in SEARCHED}),
    ],
)
def test_what_cannot_have_it_is_not_looked_at(filters: dict[str, Any], able: set[str]) -> None:
    assert {one.value for one in sifting.kinds_that_can_pass(sought(**filters))} == able


# --- the verdict -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "fault"),
    [
        ({}, None),
        ({"since": MOMENT}, None),
        ({"since": LATER + DAY}, Fault.SINCE),
        ({"until": LATER}, None),
        ({"until": MOMENT}, Fault.UNTIL),
        ({"as_of": LATER}, None),
        ({"as_of": MOMENT}, Fault.AS_OF),
        ({"known_at": MOMENT}, None),
        ({"known_at": EARLIER}, Fault.KNOWN_AT),
        ({"types": frozenset({"email"})}, None),
        ({"types": frozenset({"text-note"})}, None),
        ({"types": frozenset({"meeting"})}, "by types"),
        ({"team": "red"}, None),
        ({"team": "blue"}, "by team"),
        ({"speaker": "tom"}, None),
        ({"speaker": "tom-lie"}, None),
        ({"speaker": "lie-tom"}, None),
        ({"speaker": "tom-hill"}, "by speaker"),
        ({"speaker": "tommy", "also": frozenset({"tom-lie"})}, None),
        ({"not_speaker": "tom"}, "by not_speaker"),
        ({"not_speaker": "tom-hill"}, None),
        ({"not_speaker": "tommy", "not_also": frozenset({"tom-lie"})}, "by not_speaker"),
        ({"sensitivity": frozenset({Sensitivity.NORMAL, Sensitivity.LOW})}, None),
        ({"sensitivity": frozenset({Sensitivity.HIGH})}, "by sensitivity"),
        ({"states": frozenset({State.CANDIDATE})}, None),
        ({"states": frozenset({State.CORE})}, Fault.STATES),
        ({"about": frozenset({"somebody"})}, "by anchor"),
    ],
)
def test_a_passage_meets_every_filter(filters: dict[str, Any], fault: str | None) -> None:
    source = a_source(source_type=SourceType.EMAIL, team_id="red")
    passage = a_passage(source, speaker="Tom Lie", at=LATER)

    facts = sifting.facts_of_passage(passage, source)

    assert sifting.fault(facts, sought(**filters)) == fault
    assert sifting.fault(facts, sought(about=frozenset({source.key}))) is None


def test_archived_is_found_when_asked_for() -> None:
    facts = sifting.facts_of(a_source(life=Lifecycle(state=State.ARCHIVED)))

    assert sifting.fault(facts, sought()) is Fault.ARCHIVED
    assert sifting.fault(facts, sought(include_archived=True)) is None
    assert sifting.fault(facts, sought(states=frozenset({State.ARCHIVED}))) is None
    assert sifting.fault(facts, sought(states=frozenset({State.CORE}), include_archived=True))


def test_a_source_is_of_all_the_time_it_took() -> None:
    facts = sifting.facts_of(a_source(started_at=EARLIER, ended_at=LATER))

    assert sifting.fault(facts, sought(since=MOMENT, until=MOMENT)) is None


def test_a_story_is_of_the_past_only_once_it_was_told() -> None:
    story = a_storyline("anchor", started_at=EARLIER, last_source_at=LATER, updated_at=LATER)
    facts = sifting.facts_of(story)

    assert sifting.fault(facts, sought(as_of=MOMENT)) is Fault.AS_OF
    assert sifting.fault(facts, sought(known_at=MOMENT)) is Fault.KNOWN_AT
    assert sifting.fault(facts, sought(as_of=LATER, known_at=LATER)) is None
    assert sifting.fault(facts, sought(since=MOMENT, until=MOMENT)) is None


def test_an_anchor_is_of_the_time_of_its_mentions() -> None:
    person = a_person(first_mentioned_at=EARLIER, last_mentioned_at=LATER)
    facts = sifting.facts_of(person)

    assert sifting.fault(facts, sought(since=MOMENT, until=MOMENT)) is None
    assert sifting.fault(facts, sought(as_of=EARLIER - DAY)) is Fault.AS_OF
    assert sifting.fault(facts, sought(about=frozenset({person.key}))) is None


def test_a_relationship_concerns_both_ends() -> None:
    one = a_relationship("a", "b", valid_to=LATER)
    facts = sifting.facts_of_relationship(one)

    for end in ("a", "b"):
        assert sifting.fault(facts, sought(about=frozenset({end}))) is None
    assert sifting.relationship_fault(one, sought()) is None
    assert sifting.relationship_fault(one, sought(as_of=MOMENT)) is None
    assert sifting.relationship_fault(one, sought(as_of=LATER)) is Fault.AS_OF


def _belief(status: BeliefStatus, **fields: Any) -> Belief:
    return a_belief(status=status, **fields)


def test_a_belief_has_to_be_held() -> None:
    past = _belief(BeliefStatus.INVALIDATED, until=LATER)

    assert sifting.belief_fault(_belief(BeliefStatus.ACTIVE), sought()) is None
    assert sifting.belief_fault(past, sought()) is Fault.HELD
    assert sifting.belief_fault(past, sought(as_of=MOMENT)) is None
    assert sifting.belief_fault(past, sought(as_of=LATER)) is Fault.AS_OF
    asked = replace(sought(), kinds=(Kind.PAST_BELIEF,))
    assert sifting.belief_fault(past, asked) is None
    assert sifting.belief_fault(_belief(BeliefStatus.FORGOTTEN), asked) is Fault.HELD


def test_a_belief_is_filtered_by_its_own_type_and_by_who_said_so() -> None:
    support = Support(event_id="e", statement="s", at=LATER, speaker="Tom Lie")
    facts = sifting.facts_of(a_belief(type=BeliefType.PREFERENCE, supports=(support,)))

    assert sifting.fault(facts, sought(types=frozenset({"preference"}))) is None
    assert sifting.fault(facts, sought(types=frozenset({"email"}))) == "by types"
    assert sifting.fault(facts, sought(speaker="tom")) is None
    assert sifting.fault(facts, sought(not_speaker="tom")) == "by not_speaker"
    assert sifting.fault(facts, sought(since=LATER)) is None


def test_the_reason_counts_what_was_filtered() -> None:
    told = sifting.reason(14, {Fault.ARCHIVED: 2, "by speaker": 12})

    assert told == "all 14 matches were filtered out: 12 by speaker, 2 archived"
    one = {"by team": 1}
    assert sifting.reason(1, one) == "the only match was filtered out: 1 by team"
    best = sifting.reason(1, one, all_of_them=False)
    assert best == "the best 1 matches were filtered out: 1 by team"


# --- properties --------------------------------------------------------------------------------

moments = st.integers(-9, 9).map(lambda days: MOMENT + days * DAY)
things = st.builds(
    Facts,
    kind=st.sampled_from(SEARCHED),
    begins=moments,
    ends=moments,
    written_at=moments,
    state=st.sampled_from(State),
    about=st.tuples(st.sampled_from("abc")),
    types=st.tuples(st.sampled_from(["email", "meeting", "factual"])),
    team=st.sampled_from([None, "red", "blue"]),
    speakers=st.lists(st.sampled_from(["Tom Lie", "Ada"]), max_size=2).map(tuple),
    sensitivity=st.sampled_from([None, *Sensitivity]),
).map(lambda facts: facts._replace(ends=max(facts.begins, facts.ends)))
filters = st.fixed_dictionaries(
    {},
    optional={
        "since": moments,
        "until": moments,
        "as_of": moments,
        "known_at": moments,
        "types": st.frozensets(st.sampled_from(["email", "meeting"]), min_size=1),
        "team": st.sampled_from(["red", "blue"]),
        "speaker": st.sampled_from(["tom", "ada"]),
        "about": st.frozensets(st.sampled_from("abc")),
        "states": st.frozensets(st.sampled_from(State), min_size=1),
        "sensitivity": st.frozensets(st.sampled_from(Sensitivity), min_size=1),
    },
)


@given(things, filters)
def test_a_request_is_the_sum_of_its_filters(facts: Facts, given: dict[str, Any]) -> None:
    """Filters only ever take away, and no filter hides the verdict of another."""
    alone = [
        sifting.fault(facts, sought(include_archived=True, **{name: value}))
        for name, value in given.items()
    ]

    together = sifting.fault(facts, sought(include_archived=True, **given))

    assert (together is None) == all(one is None for one in alone)
    assert together is None or together in alone


@given(things, moments, moments)
def test_a_later_moment_knows_no_less(facts: Facts, first: datetime, second: datetime) -> None:
    early, late = sorted((first, second))
    for name in ("as_of", "known_at", "until"):
        if sifting.fault(facts, sought(include_archived=True, **{name: early})) is None:
            assert sifting.fault(facts, sought(include_archived=True, **{name: late})) is None
