"""Stories by the rules: when an arc begins and ends, what belongs to it, which team it is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.anchor import Person
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.source import Sensitivity, Source, SourceType
from remanent.core.model.story import Macro, Storyline
from remanent.stories import rules as story
from remanent.stories.rules import Arc, Mention, StoryRules
from remanent_conformance.builders import a_person, a_source, a_storyline

pytestmark = pytest.mark.quick

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAY = timedelta(days=1)
ACTIVE = Lifecycle(state=State.ACTIVE)


def mentions(*days: float, weight: float = 1.0) -> list[Mention]:
    found = []
    for number, day in enumerate(sorted(days)):
        at = START + day * DAY
        found.append(Mention(key=f"s{number:03}", at=at, day=at.date(), weight=weight))
    return found


def anchor(**fields: Any) -> Person:
    return a_person("Sarah Chen", **{"life": ACTIVE, "source_count": 5, **fields})


def sources(*teams: str | None, **fields: Any) -> list[Source]:
    return [
        replace(a_source(f"text {n}"), started_at=START + n * DAY, team_id=team, **fields)
        for n, team in enumerate(teams)
    ]


# --- promotion -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "at", "gets"),
    [
        ((0, 1, 2, 2, 3), 4, True),
        ((0, 1, 2, 3), 10, False),  # four sources
        ((0, 0, 0, 1, 1, 1), 10, False),  # two days
        ((0, 1, 2, 2.5, 2.9), 3, False),  # the first one is just three days old
        ((0, 1, 2, 2.5, 2.9), 3.01, True),
    ],
)
def test_five_sources_on_three_days_make_a_storyline(
    days: Sequence[float], at: float, gets: bool
) -> None:
    assert story.promotable(anchor(), mentions(*days), START + at * DAY) is gets


@pytest.mark.parametrize(
    ("life", "days", "gets"),
    [
        (Lifecycle(state=State.CORE), 0, True),
        (Lifecycle(state=State.ARCHIVED), 9, False),
        (Lifecycle(), 1, False),
        (Lifecycle(), 2, True),
    ],
)
def test_a_candidate_is_called_on_by_mentions_on_two_days(
    life: Lifecycle, days: int, gets: bool
) -> None:
    spoken = tuple(date(2026, 1, 1 + day) for day in range(days))
    assert story.is_called_on(anchor(life=life, distinct_days=spoken)) is gets


def test_only_access_counts_where_the_setting_says_so() -> None:
    spoken = tuple(date(2026, 1, 1 + day) for day in range(9))
    rules = StoryRules(active_from_days=0)
    assert not story.is_called_on(anchor(life=Lifecycle(), distinct_days=spoken), rules)
    assert story.is_called_on(anchor(distinct_days=spoken), rules)


def test_the_owner_gets_none() -> None:
    assert not story.is_called_on(anchor(is_owner=True))


def test_weights_are_off_unless_asked_for() -> None:
    assert story.weight(SourceType.SLACK_THREAD) == 1.0
    rules = StoryRules(use_weights=1)
    assert story.weight(SourceType.SLACK_THREAD, rules) == 0.25
    assert story.weight(SourceType.EMAIL, rules) == 0.5
    assert story.weight(SourceType.MEETING, rules) == 1.0
    threads = mentions(*range(19), weight=0.25)
    assert not story.is_ripe(threads)
    assert story.is_ripe(mentions(*range(20), weight=0.25))


# --- arcs ------------------------------------------------------------------------------------


def test_a_burst_a_pause_and_a_burst_are_two_arcs() -> None:
    heard = mentions(0, 1, 2, 3, 4, 44, 45, 46, 47, 48)
    first = story.arc_of(heard, START + 60 * DAY)
    assert first == Arc(mentions=tuple(heard[:5]), closed_at=START + 34 * DAY)
    second = story.arc_of(heard[5:], START + 60 * DAY)
    assert second == Arc(mentions=tuple(heard[5:]))


def test_silence_before_there_was_a_story_does_not_count() -> None:
    heard = mentions(0, 40, 80, 120, 160)
    assert story.arc_of(heard, START + 170 * DAY) == Arc(mentions=tuple(heard))


def test_an_arc_that_fell_silent_has_ended() -> None:
    heard = mentions(0, 1, 2, 3, 4)
    assert story.arc_of(heard, START + 33.9 * DAY) == Arc(mentions=tuple(heard))
    ended = story.arc_of(heard, START + 34 * DAY)
    assert ended is not None
    assert ended.closed_at == START + 34 * DAY


def test_a_storyline_closes_after_thirty_days_or_when_archived() -> None:
    one = a_storyline("k", last_source_at=START)
    assert not story.closes(one, START + 29.9 * DAY)
    assert story.closes(one, START + 30 * DAY)
    assert story.closes(replace(one, life=Lifecycle(state=State.ARCHIVED)), START)


def test_an_archived_storyline_ends_now_unless_it_had_ended() -> None:
    one = a_storyline("k", last_source_at=START, life=Lifecycle(state=State.ARCHIVED))
    at = START + 10 * DAY
    assert story.ends_at(one, mentions(0, 1, 2, 3, 4), at) == at
    assert story.ends_at(replace(one, life=ACTIVE), mentions(0, 1, 2, 3, 4), at) is None
    later = START + 99 * DAY
    assert story.ends_at(one, mentions(0, 1, 2, 3, 4), later) == START + 34 * DAY
    assert story.ends_at(one, mentions(3), later) == later
    assert story.ends_at(replace(one, life=ACTIVE), mentions(3), later) == START + 33 * DAY


@given(st.lists(st.integers(0, 400), max_size=40), st.integers(0, 450))
def test_arcs_are_the_same_lived_night_by_night_and_all_at_once(
    days: list[int], until: int
) -> None:
    heard = mentions(*days)
    at_once = _all_arcs(heard, START + until * DAY)
    lived: list[Arc] = []
    for night in range(until + 1):
        lived = _all_arcs(heard, START + night * DAY)
        for before, after in zip(lived, at_once, strict=False):
            assert before.mentions == after.mentions[: len(before.mentions)]
    assert lived == at_once


def _all_arcs(heard: list[Mention], at: datetime) -> list[Arc]:
    found: list[Arc] = []
    while (arc := story.arc_of(heard, at)) is not None:
        found.append(arc)
        if arc.closed_at is None:
            break
        heard = heard[len(arc.mentions) :]
    return found


@given(st.lists(st.floats(0, 400), max_size=40))
def test_arcs_have_no_silence_after_they_were_ripe(days: list[float]) -> None:
    at = START + 500 * DAY
    for arc in _all_arcs(mentions(*days), at):
        assert story.is_ripe(arc.mentions)
        assert arc.closed_at == arc.mentions[-1].at + 30 * DAY


def test_later_arcs_say_since_when() -> None:
    assert story.name_of("Kestrel", 1, START) == "Kestrel – storyline"
    assert story.name_of("Kestrel", 2, START) == "Kestrel – storyline (from January 2026)"


# --- attachment ------------------------------------------------------------------------------


def arc(key: str, start: float, end: float, **fields: Any) -> Storyline:
    times = {"started_at": START + start * DAY, "last_source_at": START + end * DAY}
    return a_storyline("k", **{"key": key, **times, **fields})


FIRST = arc("a", 0, 10, closed_at=START + 40 * DAY)
SECOND = arc("b", 60, 70, covers_from=START + 40 * DAY)


@pytest.mark.parametrize(
    ("day", "key"), [(-5, "a"), (5, "a"), (39, "a"), (40, "b"), (75, "b"), (160, "b"), (161, None)]
)
def test_a_source_belongs_to_the_arc_of_its_time(day: float, key: str | None) -> None:
    found = story.attach(START + day * DAY, [FIRST, SECOND], lambda _: 0.0)
    assert (None if found is None else found.key) == key


def test_of_several_the_nearest_in_meaning_takes_it() -> None:
    able = [arc("a", 0, 10), arc("b", 0, 10), arc("c", 0, 10)]
    likeness = {"a": 0.71, "b": 0.9, "c": 0.1}
    at = START + 20 * DAY
    found = story.attach(at, able, lambda one: likeness[one.key])
    assert found is not None
    assert found.key == "b"
    assert story.attach(at, able, lambda _: 0.7) is None
    assert story.attach(START + 41 * DAY, able, lambda _: 0.9) is None
    assert story.attach(at, [], lambda _: 1.0) is None


# --- teams -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("teams", "team"),
    [
        (("crew", "crew", None), "crew"),
        (("crew", None), None),
        (("crew", "club", "crew", "club"), None),
        (("crew", "club", "crew"), "crew"),
        ((None, None), None),
    ],
)
def test_a_story_is_of_the_team_that_most_sources_are_of(
    teams: Sequence[str | None], team: str | None
) -> None:
    told = story.with_sources(a_storyline("k"), sources(*teams))
    assert told.team_id == team
    assert told.source_count == len(teams)
    assert told.team_source_count == (0 if team is None else list(teams).count(team))


def test_what_is_highly_sensitive_counts_for_no_team() -> None:
    told = story.with_sources(
        a_storyline("k"), sources("crew", "crew", sensitivity=Sensitivity.HIGH)
    )
    assert told.team_id is None
    assert told.teams == {}


def test_another_team_does_not_read_what_the_first_was_told() -> None:
    told = replace(a_storyline("k"), team_id="crew", team_description="Ours.")
    assert story.with_sources(told, sources("crew")).team_description == "Ours."
    assert story.with_sources(told, sources("club")).team_description == ""
    assert story.with_sources(told, sources(None)).team_description == ""


@given(st.lists(st.sampled_from([None, "crew", "club"]), min_size=1, max_size=12))
def test_one_more_at_a_time_gives_what_counting_all_gives(teams: list[str | None]) -> None:
    all_of_them = sources(*teams)
    grown = story.with_sources(a_storyline("k"), all_of_them[:1])
    for number, one in enumerate(all_of_them[1:], 2):
        grown = story.with_one_more(grown, one) or story.with_sources(grown, all_of_them[:number])
    assert grown == story.with_sources(a_storyline("k"), all_of_them)


def test_a_macro_counts_its_storylines() -> None:
    first = story.with_sources(arc("a", 0, 0), sources("crew", "crew", None))
    second = story.with_sources(arc("b", 0, 0), sources(None))
    blank = Macro(
        key="m", user_id="ada", created_at=START, updated_at=START, anchor_key="k",
        name="Kestrel – macro", started_at=START, last_event_at=START,
    )  # fmt: skip
    both = story.grouped(blank, [first, second])
    assert (both.storyline_count, both.total_source_count, both.team_id) == (2, 4, None)
    alone = story.grouped(blank, [first])
    assert (alone.team_id, alone.team_storyline_count, alone.team_source_count) == ("crew", 1, 2)
    assert alone.seen_by("ada") == alone
    assert alone.seen_by("bob").total_source_count == 2


# --- telling ---------------------------------------------------------------------------------


def test_the_first_and_the_ten_newest_are_told() -> None:
    told = [replace(one, summary="s") for one in sources(*[None] * 15)]
    chosen = story.chapters(reversed(told))
    assert chosen == [told[0], *told[5:]]
    assert story.chapters(told[:4]) == told[:4]
    assert story.chapters(told, begins=True) == told
    many = [replace(one, summary="s") for one in sources(*[None] * 30)]
    assert story.chapters(many, begins=True) == [many[0], *many[10:]]
    assert story.chapters([replace(one, summary="", title="") for one in told]) == []


@pytest.mark.parametrize(
    ("fields", "due"),
    [
        ({}, True),
        ({"is_dirty": False}, False),
        ({"life": Lifecycle(state=State.ARCHIVED)}, False),
        ({"last_source_at": START - 91 * DAY}, False),
    ],
)
def test_what_has_news_and_is_not_old_is_told_anew(fields: dict[str, Any], due: bool) -> None:
    given = {"is_dirty": True, "life": ACTIVE, "last_source_at": START, **fields}
    assert story.is_due(a_storyline("k", **given), START) is due


def test_of_the_past_nothing_later_is_told() -> None:
    one = a_storyline("k", description="All.", last_source_at=START, updated_at=START + DAY)
    assert story.text_as_of(one, None, None) == "All."
    assert story.text_as_of(one, START, START + DAY) == "All."
    assert story.text_as_of(one, START - DAY, None) == ""
    assert story.text_as_of(one, None, START) == ""


def test_two_storylines_and_a_month_make_a_macro() -> None:
    known = anchor(first_mentioned_at=START)
    assert story.groups_into_macro(known, 2, START + 31 * DAY)
    assert not story.groups_into_macro(known, 2, START + 30 * DAY)
    assert not story.groups_into_macro(known, 1, START + 31 * DAY)
    assert not story.groups_into_macro(anchor(first_mentioned_at=None), 2, START + 31 * DAY)
