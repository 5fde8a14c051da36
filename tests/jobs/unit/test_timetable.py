"""When the jobs of the night are due: in the user's zone, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.config import load_config
from remanent.core.model.sleep import SleepJob
from remanent.errors import ConfigError
from remanent.jobs.rules import (
    Cron,
    TimetableRules,
    last_tick,
    next_tick,
    night_of,
    parse_cron,
    ticks_between,
)

pytestmark = pytest.mark.quick

OSLO = ZoneInfo("Europe/Oslo")
MINUTE = timedelta(minutes=1)


def cron(text: str) -> Cron:
    return parse_cron(text, "timetable.test")


def at(text: str, zone: ZoneInfo = OSLO) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


def told(moment: datetime, zone: ZoneInfo = OSLO) -> str:
    return moment.astimezone(zone).strftime("%a %Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("0 3 * * *", "2026-05-04T09:00", "Tue 2026-05-05 03:00"),
        ("0 3 * * *", "2026-05-05T03:00", "Wed 2026-05-06 03:00"),  # later than, not at
        ("0 3 * * *", "2026-05-05T02:59:59", "Tue 2026-05-05 03:00"),
        ("0 */6 * * *", "2026-05-04T13:30", "Mon 2026-05-04 18:00"),
        ("30 2 * * SUN", "2026-05-04T09:00", "Sun 2026-05-10 02:30"),
        ("30 2 * * 7", "2026-05-04T09:00", "Sun 2026-05-10 02:30"),
        ("0 8-18/2 * * mon-fri", "2026-05-08T18:00", "Mon 2026-05-11 08:00"),
        ("0 9 * * SAT-SUN", "2026-05-04T09:00", "Sat 2026-05-09 09:00"),
        ("15,45 12 1 JAN,JUL *", "2026-05-04T09:00", "Wed 2026-07-01 12:15"),
        ("5/20 0 * * *", "2026-05-04T00:06", "Mon 2026-05-04 00:25"),
        ("0 0 13 * FRI", "2026-05-04T09:00", "Fri 2026-05-08 00:00"),  # either day will do
        ("0 0 31 * *", "2026-05-31T12:00", "Fri 2026-07-31 00:00"),
        ("0 0 29 2 *", "2026-05-04T09:00", "Tue 2028-02-29 00:00"),
        ("0 0 29 2 *", "2096-03-01T00:00", "Fri 2104-02-29 00:00"),
    ],
)
def test_the_next_tick(text: str, after: str, expected: str) -> None:
    assert told(next_tick(cron(text), OSLO, at(after))) == expected


def test_the_last_tick_may_be_now() -> None:
    daily = cron("0 3 * * *")
    assert told(last_tick(daily, OSLO, at("2026-05-05T03:00"))) == "Tue 2026-05-05 03:00"
    assert told(last_tick(daily, OSLO, at("2026-05-05T02:59:59"))) == "Mon 2026-05-04 03:00"
    assert told(last_tick(cron("0 0 29 2 *"), OSLO, at("2026-01-01T00:00"))) == (
        "Thu 2024-02-29 00:00"
    )


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("0 3 * * *", "2026-05-05T03:00", "Tue 2026-05-05 03:00"),
        ("0 3 * * *", "2026-05-05T22:00", "Tue 2026-05-05 03:00"),
        ("0 3 * * *", "2026-05-06T02:59", "Wed 2026-05-06 00:00"),  # midnight was later
        ("0 */6 * * *", "2026-05-05T13:30", "Tue 2026-05-05 12:00"),
        ("0 2 * * SUN", "2026-05-13T10:00", "Wed 2026-05-13 00:00"),
    ],
)
def test_a_night_begins_with_its_time_or_at_midnight(text: str, now: str, expected: str) -> None:
    assert told(night_of(cron(text), OSLO, at(now))) == expected
    assert told(night_of(None, OSLO, at(now))).endswith("00:00")


def test_a_tick_in_the_skipped_hour_happens_once_as_it_ends() -> None:
    """In Oslo, 29 March 2026 has no 02:30."""
    night = list(
        ticks_between(cron("30 2 * * *"), OSLO, at("2026-03-27T12:00"), at("2026-03-30T12:00"))
    )
    assert [told(one) for one in night] == [
        "Sat 2026-03-28 02:30",
        "Sun 2026-03-29 03:00",
        "Mon 2026-03-30 02:30",
    ]


def test_many_ticks_in_the_skipped_hour_are_one() -> None:
    quarters = cron("*/15 2-3 * * *")
    ticks = ticks_between(quarters, OSLO, at("2026-03-29T00:00"), at("2026-03-29T12:00"))
    assert [told(one)[-5:] for one in ticks] == ["03:00", "03:15", "03:30", "03:45"]


def test_a_tick_in_the_doubled_hour_happens_once() -> None:
    """In Oslo, 25 October 2026 has 02:30 twice."""
    daily = cron("30 2 * * *")
    (tick,) = ticks_between(daily, OSLO, at("2026-10-25T00:00"), at("2026-10-25T12:00"))
    assert tick == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # the first of the two
    for minutes in range(0, 180, 10):
        now = tick + timedelta(minutes=minutes)
        assert last_tick(daily, OSLO, now) == tick
        assert next_tick(daily, OSLO, now) > now


def test_a_day_that_was_left_out_altogether() -> None:
    """Samoa went over the date line: there was no 30 December 2011."""
    apia = ZoneInfo("Pacific/Apia")
    after, until = at("2011-12-28T12:00", apia), at("2012-01-01T12:00", apia)
    ticks = [told(one, apia) for one in ticks_between(cron("0 3 * * *"), apia, after, until)]
    assert ticks == [
        "Thu 2011-12-29 03:00",
        "Sat 2011-12-31 00:00",
        "Sat 2011-12-31 03:00",
        "Sun 2012-01-01 03:00",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0 3 * *", "has 4 fields, not five"),
        ("60 3 * * *", "minute 60 is not from 0 to 59"),
        ("0 24 * * *", "hour 24 is not from 0 to 23"),
        ("0 3 0 * *", "day of month 0 is not from 1 to 31"),
        ("0 3 * FOO *", "month 'FOO' is not a number, or one of JAN"),
        ("0 3 * * FUNDAY", "day of week 'FUNDAY' is not a number"),
        ("0 3-1 * * *", "hour 3-1 runs backwards"),
        ("*/0 3 * * *", "step of minute must be 1 or more"),
        ("0 */x * * *", "the step of hour 'X' is not a number"),
        ("0 , * * *", "hour '' is not a number"),
        ("0 3 31 FEB *", "that day never comes"),
        ("0 3 30,31 2 *", "that day never comes"),
    ],
)
def test_a_bad_expression_is_told_with_its_setting(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TimetableRules(fade=text)
    assert caught.value.field == "timetable.fade"
    assert complaint in str(caught.value)


def test_settings_come_from_the_environment_and_are_checked_there() -> None:
    config = load_config(":memory:", environ={"REMANENT_TIMETABLE__FADE": "off"})
    assert config.timetable.cron(SleepJob.FADE) is None
    assert config.timetable.cron(SleepJob.PROMOTE) is not None
    with pytest.raises(ConfigError, match=r"timetable\.distil"):
        load_config(":memory:", environ={"REMANENT_TIMETABLE__DISTIL": "every night"})


@pytest.mark.parametrize("text", ["", "off", " OFF "])
def test_a_job_can_be_switched_off(text: str) -> None:
    assert TimetableRules(upkeep=text).cron(SleepJob.UPKEEP) is None


def test_every_job_has_its_expression_and_its_place_in_the_night() -> None:
    rules, sunday = TimetableRules(), at("2026-05-10T00:30")
    found = {job: rules.cron(job) for job in SleepJob}
    ticks = {job: next_tick(one, OSLO, sunday) for job, one in found.items() if one}
    assert (
        sorted(set(SleepJob) - {SleepJob.RECONSOLIDATE}, key=ticks.__getitem__)
        == list(SleepJob)[1:]
    )


# --- whatever the expression, whatever the zone -----------------------------------------------------

ZONES = ("UTC", "Europe/Oslo", "America/St_Johns", "Australia/Lord_Howe", "America/Asuncion",
         "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu")  # fmt: skip


def fields(least: int, most: int) -> st.SearchStrategy[str]:
    one = st.integers(least, most)
    spans = st.tuples(one, one).map(lambda pair: f"{min(pair)}-{max(pair)}")
    steps = st.tuples(st.just("*") | spans, st.integers(1, most)).map(
        lambda pair: f"{pair[0]}/{pair[1]}"
    )
    part = one.map(str) | spans | steps
    return st.just("*") | st.lists(part, min_size=1, max_size=3).map(",".join)


# Days up to the 28th, so that every expression comes round within the span that is scanned below.
expressions = st.tuples(
    fields(0, 59), fields(0, 23), fields(1, 28), st.just("*"), fields(0, 7)
).map(" ".join)
zones = st.sampled_from(ZONES).map(ZoneInfo)
moments = st.datetimes(
    datetime(1990, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    datetime(2060, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
) | st.sampled_from(
    [
        datetime(2026, 3, 29, 0, 59, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 45, tzinfo=UTC),
        datetime(2026, 10, 25, 1, 15, tzinfo=UTC),
        datetime(2011, 12, 30, 9, 59, tzinfo=UTC),
        datetime(2027, 4, 3, 14, 50, tzinfo=UTC),
    ]
)


@given(expressions | st.none(), zones, moments)
def test_a_night_has_one_beginning(text: str | None, zone: ZoneInfo, now: datetime) -> None:
    one = None if text is None else cron(text)
    began = night_of(one, zone, now)
    assert began <= now < began + timedelta(days=2)
    assert night_of(one, zone, began) == began
    assert night_of(one, zone, now + timedelta(days=2)) > now
    if one is not None:
        assert began >= last_tick(one, zone, now)


@given(expressions, zones, moments)
def test_ticks_increase_and_come_back(text: str, zone: ZoneInfo, now: datetime) -> None:
    one, tick = cron(text), now
    for _ in range(5):
        later = next_tick(one, zone, tick)
        assert later > tick
        assert last_tick(one, zone, later) == later
        assert last_tick(one, zone, later - timedelta(microseconds=1)) <= tick
        tick = later


@given(expressions, zones, moments)
def test_nothing_lies_between_the_last_and_the_next(
    text: str, zone: ZoneInfo, now: datetime
) -> None:
    one = cron(text)
    last = last_tick(one, zone, now)
    assert last <= now
    assert next_tick(one, zone, last) == next_tick(one, zone, now)
    assert next_tick(one, zone, last - timedelta(microseconds=1)) == last


def scanned(one: Cron, zone: ZoneInfo, after: datetime, until: datetime) -> list[datetime]:
    """Every minute looked at, on a clock that goes through all local minutes one after the other."""
    found: list[datetime] = []
    times = set(one.times)
    moment = after.replace(second=0, microsecond=0)
    shown: datetime | None = None
    while moment <= until:
        local = moment.astimezone(zone).replace(tzinfo=None, second=0)
        passed = local - MINUTE if shown is None else shown
        while passed < local:  # more than one minute at a time where clocks go forward
            passed += MINUTE
            if one.has_day(passed.date()) and passed.time() in times and moment > after:
                found.append(moment)
        shown = local if shown is None else max(shown, local)
        moment += MINUTE
    return sorted(set(found))


@settings(max_examples=times(20, 400))
@given(
    expressions,
    st.sampled_from(
        [
            ("UTC", "2028-02-28T12:00"),
            ("Europe/Oslo", "2026-03-28T20:00"),
            ("Europe/Oslo", "2026-10-24T20:00"),
            ("Australia/Lord_Howe", "2026-10-03T08:00"),
            ("America/St_Johns", "2026-11-01T00:00"),
            ("Pacific/Apia", "2011-12-29T20:00"),
        ]
    ),
)
def test_it_finds_what_looking_at_every_minute_finds(text: str, where: tuple[str, str]) -> None:
    one, zone, after = cron(text), ZoneInfo(where[0]), at(where[1], ZoneInfo("UTC"))
    until = after + timedelta(hours=18)
    assert list(ticks_between(one, zone, after, until)) == scanned(one, zone, after, until)


def test_a_year_of_nights_has_as_many_as_days() -> None:
    ticks = list(
        ticks_between(cron("30 2 * * *"), OSLO, at("2028-01-01T00:00"), at("2029-01-01T00:00"))
    )
    assert len(ticks) == 366
    assert date(2028, 2, 29) in {one.astimezone(OSLO).date() for one in ticks}
