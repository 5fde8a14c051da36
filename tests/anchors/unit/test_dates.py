"""When what a sentence tells began, by its own words and the day it was said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.anchors.rules import dates
from remanent.core import calendar
from remanent.core.calendar import CalendarWord
from remanent.core.model.mind_types import BeliefDraft, RelationDraft
from remanent.core.passage_features import MONTHS

pytestmark = pytest.mark.quick

JUNE = datetime(2025, 6, 18, 14, 30, tzinfo=UTC)  # a Wednesday
OSLO = timezone(timedelta(hours=2))


def day(text: str, said: datetime = JUNE, *, about: str = "") -> str | None:
    found = dates.since(text, said, about=about)
    return None if found is None else found.date().isoformat()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Bergen in March.", "2025-03-01"),
        ("In March I moved to Bergen.", "2025-03-01"),
        ("In March, I moved to Bergen.", "2025-03-01"),
        ("It was in March that I moved to Bergen.", "2025-03-01"),
        ("I moved to Bergen in December.", "2024-12-01"),  # the last one
        ("I moved to Bergen in June.", "2025-06-01"),
        ("I moved to Bergen in March 2022.", "2022-03-01"),
        ("I moved to Bergen back in 2020.", "2020-01-01"),
        ("I moved to Bergen in early 2024.", "2024-01-01"),
        ("I moved to Bergen in late 2024, with two cats.", "2024-10-01"),
        ("I joined Acme in mid-May.", "2025-05-11"),
        ("I swapped the Saab for a Honda on 3 May.", "2025-05-03"),
        ("I joined Acme at the end of May.", "2025-05-21"),
        ("I joined Acme in the middle of May.", "2025-05-11"),
        ("Way back in March I moved to Bergen.", "2025-03-01"),
        ("Tom joined Acme on 3 May.", "2025-05-03"),
        ("Tom joined Acme on the 3rd of May.", "2025-05-03"),
        ("Tom joined Acme on May 3rd, 2024.", "2024-05-03"),
        ("Tom joined Acme on 2024-05-03.", "2024-05-03"),
        ("Tom joined Acme on 3 July.", "2024-07-03"),  # not in the future
        ("We got married on 29 February.", "2024-02-29"),
        ("I started at Acme last week.", "2025-06-09"),
        ("I started at Acme last month.", "2025-05-01"),
        ("I started at Acme last year.", "2024-01-01"),
        ("I started at Acme last Tuesday.", "2025-06-17"),
        ("I started at Acme last Wednesday.", "2025-06-11"),
        ("I started at Acme on Monday.", "2025-06-16"),
        ("I started at Acme yesterday.", "2025-06-17"),
        ("I started at Acme this morning.", "2025-06-18"),
        ("I left Acme two weeks ago.", "2025-06-04"),
        ("I left Acme three weeks ago and I am glad.", "2025-05-28"),
        ("We split up a couple of months ago.", "2025-04-18"),
        ("I quit 10 days ago.", "2025-06-08"),
        ("She became a doctor a year ago.", "2024-06-18"),
        ("I left Oslo for Bergen in March, did I never mention that?", "2025-03-01"),
        ("Since March I live in Bergen.", "2025-03-01"),
        ("I have worked at Acme since 2019.", "2019-01-01"),
        ("I've been living in Bergen since March.", "2025-03-01"),
        ("Tom has been dating Ann since 3 May.", "2025-05-03"),
        ("My number has been 555 123 since last month.", "2025-05-01"),
        ("Dr. Berg has been my dentist since January.", "2025-01-01"),
        ("I am at Acme since last Monday.", "2025-06-16"),
        ("From 1 July on I work at Acme.", "2025-07-01"),
        ("As of next Monday I work at Acme.", "2025-06-23"),
        ("I will work at Acme starting 1 September.", "2025-09-01"),
        ("I work at Acme from tomorrow.", "2025-06-19"),
        ("Laura: I moved to Bergen in March.", "2025-03-01"),
        ("Actually I started in May, not June.", "2025-05-01"),
        ("I adopted a dog called Rex on 3 May.", "2025-05-03"),
        ("Anna joined Ironworks, the gym, in April.", "2025-04-01"),
    ],
)
def test_the_words_tell_when(text: str, expected: str) -> None:
    assert day(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I live in Bergen.",
        "I wrote the report on March sales.",
        "I bought tickets for the concert in March.",
        "I got the invoice for the trip in May.",
        "In March sales were low.",
        "I love the light in March.",
        "I moved to Bergen because I met Tom in 2019.",
        "I live where we met in 2019.",
        "I lived in Paris in 2019.",
        "I never moved to Bergen in March.",
        "I didn't move in March.",
        "I might have moved in March.",
        "I want to move to Bergen in March.",
        "I will move to Bergen in March.",
        "I haven't been to Oslo since March.",
        "Have you been living in Oslo since March?",
        "I moved to Oslo in March and I started at Acme in May.",  # which of them?
        "I march every day.",
        "I may join Acme.",
        "My birthday is on 3 May.",
        "I moved to Bergen on 31 February.",
        "I moved to Bergen on 3 May 2031.",
        "I moved to Bergen 999 years and one day ago or so",
        "I have been living in Bergen for a while.",
        "I moved to Bergen in spring.",
        "I started on the March report.",
        "I was born on 11 April.",  # of which year?
        "I relocated to Denver this week.",  # on which day?
        "The go-live of Heron moved from 15 November to 6 December.",  # it was not said then
        "The deadline moved from next Monday to next Friday.",
        "I have worked here from March to May.",
    ],
)
def test_in_doubt_it_says_nothing(text: str) -> None:
    assert day(text) is None


def test_the_year_turns() -> None:
    january = datetime(2026, 1, 2, 9, tzinfo=UTC)
    assert day("I moved in December.", january) == "2025-12-01"
    assert day("I moved last month.", january) == "2025-12-01"
    assert day("I moved on 31 December.", january) == "2025-12-31"
    assert day("I moved last week.", january) == "2025-12-22"
    assert day("From 1 January on I work at Acme.", january) == "2027-01-01"


def test_short_months_end_early() -> None:
    assert day("I moved a month ago.", datetime(2024, 3, 31, tzinfo=UTC)) == "2024-02-29"
    assert day("I moved a year ago.", datetime(2024, 2, 29, tzinfo=UTC)) == "2023-02-28"
    assert day("I married on 29 February.", datetime(2023, 3, 1, tzinfo=UTC)) == "2020-02-29"


def test_days_begin_where_it_was_said() -> None:
    late = datetime(2025, 6, 18, 0, 30, tzinfo=OSLO)  # in UTC it is still the 17th
    assert dates.since("I moved yesterday.", late) == datetime(2025, 6, 17, tzinfo=OSLO)
    assert dates.since("I moved this morning.", late.astimezone(UTC)) == datetime(
        2025, 6, 17, tzinfo=UTC
    )


def test_of_several_clauses_only_those_about_it_count() -> None:
    text = "I moved to Bergen in March and Laura has worked at Acme since 2019."
    assert day(text) is None
    assert day(text, about="Bergen") == "2025-03-01"
    assert day(text, about="Acme") == "2019-01-01"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was Bergen all along.", True),
        ("Tom never lived in Oslo; it was Bergen all along.", True),
        ("It was Acme from the start.", True),
        ("I got that wrong: I live in Bergen, not in Oslo.", True),
        ("Sorry, I mixed that up: Tom works at Acme, not at Bolt.", True),
        ("Actually it was Bergen, not Oslo.", True),
        ("Correction: my number is 555, and not 556.", True),
        ("I live in Bergen now, not in Oslo.", False),  # a change
        ("I moved to Bergen.", False),
        ("No, not today.", False),
        ("Actually, I love it.", False),
        ("Sorry, I am late, not only today.", False),
        ("I walked all along the river.", False),
    ],
)
def test_what_puts_something_right(text: str, expected: bool) -> None:
    assert dates.corrects(text) is expected


def test_a_draft_takes_what_its_words_tell_and_keeps_what_the_mind_told() -> None:
    plain = BeliefDraft(statement="I live in Bergen, not in Oslo.")
    told = dates.dated(
        plain, JUNE, told_in="Hello. I got that wrong: I live in Bergen, not in Oslo."
    )
    assert told.corrects
    assert told.since is None
    moved = BeliefDraft(statement="I moved to Bergen in March.")
    assert dates.dated(moved, JUNE).since == datetime(2025, 3, 1, tzinfo=UTC)
    known = BeliefDraft(statement="I moved to Bergen in March.", since=JUNE)
    assert dates.dated(known, JUNE).since == JUNE
    edge = RelationDraft(
        src="Ada",
        dst="Bergen",
        relationship_type="home",
        description="I moved to Bergen in March and Tom left Acme in May.",
    )
    assert dates.dated(edge, JUNE).since == datetime(2025, 3, 1, tzinfo=UTC)


MOMENTS = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2090, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
_SAID = (
    "in March|in December|last week|last month|last year|last Tuesday|three weeks ago|on 3 May"
    "|yesterday|this morning|on 29 February|since June|in early 2024|back in 2020|a couple of months ago"
    "|on Friday|in late May|this evening|at the beginning of the year|12 months ago"
)
_TIMELESS = "I moved left joined Bergen Acme to at the have been live"
PAST = st.sampled_from(_SAID.split("|"))


@given(phrase=PAST, said=MOMENTS)
def test_what_does_not_point_ahead_is_never_later(phrase: str, said: datetime) -> None:
    found = calendar.read(phrase, said)
    assert found is None or (found.at <= said and found.mark is not CalendarWord.FROM)
    assert found is None or found.at.time() == datetime.min.time()


@given(said=MOMENTS, month=st.sampled_from(MONTHS))
def test_a_bare_month_is_the_last_one(said: datetime, month: str) -> None:
    found = calendar.read(f"in {month}", said)
    assert found is not None
    assert timedelta(0) <= said - found.at <= timedelta(days=367)
    assert f"{found.at:%B}".lower() == month


@given(said=MOMENTS, weekday=st.sampled_from(["Monday", "Thursday", "Sunday"]))
def test_next_and_last_weekdays_are_within_a_week(said: datetime, weekday: str) -> None:
    last, coming = (
        calendar.read(f"last {weekday}", said),
        calendar.read(f"from next {weekday}", said),
    )
    assert last is not None
    assert coming is not None
    today: date = said.date()
    assert 1 <= (today - last.at.date()).days <= 7
    assert 1 <= (coming.at.date() - today).days <= 7


@given(
    st.lists(st.sampled_from(_TIMELESS.split())),
    MOMENTS,
)
def test_without_a_word_of_time_there_is_none(words: list[str], said: datetime) -> None:
    assert dates.since(" ".join(words), said) is None


@given(st.text(max_size=200), MOMENTS)
def test_any_text_can_be_asked(text: str, said: datetime) -> None:
    dates.since(text, said)
    dates.corrects(text)
    dates.dated(BeliefDraft(statement=text), said, told_in=text)
