"""A user's nights: what is due, in which order, once; by hand, as a dry run, and after time away."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sleepers import asleep, diarists, state_of

from remanent import Memory, SteppedClock
from remanent.core.model.job import JobKind, JobState
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import NightProgress, SkipReason, SleepJob
from remanent.errors import InvalidInput
from remanent.jobs.rules import TimetableRules
from remanent.jobs.schedule import due
from remanent.memory import UserMemory
from remanent.sleep.night import job_for
from remanent.testing import HashEmbedder, ScriptedMind

OSLO = ZoneInfo("Europe/Oslo")
DAY = timedelta(days=1)
START = datetime(2026, 5, 4, 9, tzinfo=UTC)  # a Monday, 11:00 in Oslo


class Night:
    """A memory whose jobs of the night write a diary."""

    def __init__(self, memory: Memory, clock: SteppedClock) -> None:
        self.clock = clock
        self.jobs = diarists(memory)
        self.memory = asleep(memory, self.jobs)
        self.ada: UserMemory = self.memory.user("ada", timezone="Europe/Oslo")

    @property
    def diary(self) -> list[tuple[str, str]]:
        """What was done, and for which time in Oslo; read once."""
        runs = self.jobs[SleepJob.FADE].runs
        told = [(job, at.astimezone(OSLO).strftime("%d %H:%M")) for job, at in runs]
        runs.clear()
        return told


@pytest.fixture
def night(memory: Memory, clock: SteppedClock) -> Night:
    return Night(memory, clock)


ONE_NIGHT = [
    ("reconsolidate", "05 00:00"),
    ("fade", "05 01:00"),
    ("describe", "05 02:45"),
    ("promote", "05 03:00"),
    ("refresh", "05 03:30"),
    ("expire", "05 04:00"),
    ("distil", "05 04:30"),
    ("upkeep", "05 05:00"),
]


def test_nothing_is_due_to_somebody_new(night: Night) -> None:
    slept = night.ada.sleep()
    assert (slept.outcomes, slept.skipped, slept.is_idle) == ((), (), True)
    assert slept.next is not None
    assert slept.next.job is SleepJob.RECONSOLIDATE


def test_a_night_is_done_in_order_and_once(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    slept = night.ada.sleep()
    assert night.diary == ONE_NIGHT
    assert [(one.job, one.counts) for one in slept.outcomes] == [
        (SleepJob(job), {"promoted": 2}) for job, _ in ONE_NIGHT
    ]
    assert night.ada.sleep().outcomes == ()
    assert night.diary == []


def test_ten_days_off_are_caught_up_with_each_job_once_in_order(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 14, 11, tzinfo=OSLO))  # a Thursday
    night.ada.sleep()
    assert (
        night.diary
        == [
            ("promote_macros", "10 02:00"),  # Sunday was the last time for these
            ("refresh_macros", "10 02:30"),
            *[(job, f"14 {at[3:]}") for job, at in ONE_NIGHT if job != "reconsolidate"],
            ("reconsolidate", "14 06:00"),
        ]
    )
    assert night.ada.sleep().is_idle
    assert night.diary == []


def test_until_makes_up_for_every_night_one_by_one(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 8, 11, tzinfo=OSLO))
    night.ada.sleep(datetime(2026, 5, 7, 0, 30, tzinfo=OSLO))
    done = night.diary
    assert [at for job, at in done if job == "fade"] == ["05 01:00", "06 01:00"]
    assert [at for job, at in done if job == "reconsolidate"] == [
        "04 12:00", "04 18:00", "05 00:00", "05 06:00", "05 12:00", "05 18:00",
        "06 00:00", "06 06:00", "06 12:00", "06 18:00", "07 00:00",
    ]  # fmt: skip
    assert [at for _, at in done] == sorted(at for _, at in done)
    night.ada.sleep(only=["fade"], until=night.clock.now())
    assert night.diary == [("fade", "07 01:00"), ("fade", "08 01:00")]
    assert night.ada.sleep(datetime(2026, 5, 6, tzinfo=OSLO)).outcomes == ()


def test_only_does_the_jobs_named_now_due_or_not(night: Night) -> None:
    slept = night.ada.sleep(only=["refresh", SleepJob.FADE])
    assert night.diary == [("fade", "04 11:00"), ("refresh", "04 11:00")]
    assert [one.at for one in slept.outcomes] == [START, START]
    assert night.ada.sleep(only="fade").is_idle  # done again, and there was nothing left to do
    assert night.diary == [("fade", "04 11:00")]


@pytest.mark.parametrize(
    ("asked", "field", "complaint"),
    [
        ({"only": ["dream"]}, "only", "'dream' is not one of: reconsolidate, fade"),
        ({"until": START + DAY}, "until", "has not come yet"),
        ({"until": START.replace(tzinfo=None)}, "until", "has no time zone"),
        ({"until": "tomorrow"}, "until", "must be a datetime"),
    ],
)
def test_what_cannot_be_asked_for(
    night: Night, asked: dict[str, object], field: str, complaint: str
) -> None:
    night.ada.add("A note that waits.")
    before = state_of(night.memory)
    with pytest.raises(InvalidInput, match=complaint) as caught:
        night.ada.sleep(**asked)  # type: ignore[arg-type]
    assert caught.value.field == field
    assert state_of(night.memory) == before
    assert night.diary == []


def test_a_job_that_is_not_done_here_cannot_be_named(memory: Memory) -> None:
    ada = asleep(memory, diarists(memory, [SleepJob.FADE])).user("ada")
    with pytest.raises(InvalidInput, match="not done here"):
        ada.sleep(only=["distil"])


def test_sleep_sees_what_was_promised(night: Night) -> None:
    night.ada.add("The kettle is on.")
    slept = night.ada.sleep()
    assert slept.worked.done == 3
    assert not night.ada.jobs([JobState.READY])


def test_a_dry_run_tells_all_and_changes_nothing(night: Night) -> None:
    night.ada.add("The kettle is on.")
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    before, waiting = state_of(night.memory), night.ada.jobs()
    tried = night.ada.sleep(dry_run=True)
    assert night.diary == ONE_NIGHT
    assert (tried.dry_run, tried.waiting, tried.worked.done) == (True, 1, 0)
    assert state_of(night.memory) == before
    assert night.ada.jobs() == waiting
    real = night.ada.sleep()
    assert [one.counts for one in real.outcomes] == [one.counts for one in tried.outcomes]


def test_what_fails_is_parked_and_holds_nothing_up(night: Night) -> None:
    night.jobs[SleepJob.PROMOTE].error = "no ink"
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    slept = night.ada.sleep()
    assert [one.job.value for one in slept.outcomes] == [
        job for job, _ in ONE_NIGHT if job != "promote"
    ]
    (failed,) = slept.skipped
    assert (failed.job, failed.because, failed.error) == (
        SleepJob.PROMOTE, SkipReason.FAILED, "RuntimeError: no ink",
    )  # fmt: skip
    assert slept.failed
    (parked,) = night.ada.jobs([JobState.PARKED])
    assert (parked.key, parked.error) == ("sleep:promote:ada", "RuntimeError: no ink")
    night.jobs[SleepJob.PROMOTE].error = ""
    assert [one.job for one in night.ada.sleep().outcomes] == [SleepJob.PROMOTE]
    assert night.ada.jobs([JobState.PARKED]) == []


def test_after_a_failure_later_nights_of_that_job_wait(night: Night) -> None:
    night.jobs[SleepJob.FADE].error = "no ink"
    night.clock.move_to(datetime(2026, 5, 7, 11, tzinfo=OSLO))
    slept = night.ada.sleep(night.clock.now(), only=["fade", "promote"])
    assert [one.because for one in slept.skipped] == [SkipReason.FAILED] * 3
    assert night.diary == [
        ("fade", "05 01:00"), ("promote", "05 03:00"), ("promote", "06 03:00"), ("promote", "07 03:00"),
    ]  # fmt: skip
    night.jobs[SleepJob.FADE].error = ""
    night.ada.sleep(night.clock.now())
    assert [at for job, at in night.diary if job == "fade"] == ["05 01:00", "06 01:00", "07 01:00"]


def test_a_job_in_other_hands_ends_our_night(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    env, now = night.memory.env, night.clock.now()
    night.ada.schedule()
    held = env.queue.claim("another", now=now, lease=timedelta(minutes=2))
    assert held is not None
    assert held.key == "sleep:reconsolidate:ada"
    slept = night.ada.sleep()
    assert night.diary == []
    assert [one.because for one in slept.skipped] == [SkipReason.HELD] + [SkipReason.WAITS] * 7
    night.clock.advance(timedelta(minutes=2))  # it never came back
    assert len(night.ada.sleep().outcomes) == 8
    assert night.diary == ONE_NIGHT


def test_stop_is_asked_between_jobs(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    slept = night.ada.sleep(stop=lambda: len(night.jobs[SleepJob.FADE].runs) == 3)
    assert night.diary == ONE_NIGHT[:3]
    assert [one.because for one in slept.skipped] == [SkipReason.STOPPED] * 5
    night.ada.sleep()
    assert night.diary == ONE_NIGHT[3:]


def test_progress_goes_from_nothing_to_all(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    phases: list[NightProgress] = []
    night.ada.sleep(progress=phases.append)
    shares = [one.share for one in phases]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert phases[0].job is None
    assert {one.job for one in phases[1:]} == {SleepJob(job) for job, _ in ONE_NIGHT}


def test_a_job_that_is_off_is_not_done_and_said_to_be(memory: Memory, clock: SteppedClock) -> None:
    jobs = diarists(memory, [SleepJob.FADE, SleepJob.PROMOTE])
    ada = asleep(memory, jobs, TimetableRules(fade="off")).user("ada")
    clock.advance(DAY)
    slept = ada.sleep()
    assert [one.job for one in slept.outcomes] == [SleepJob.PROMOTE]
    assert [(one.job, one.because) for one in slept.skipped] == [(SleepJob.FADE, SkipReason.OFF)]
    assert [one.job for one in ada.sleep(only=["fade"]).outcomes] == [SleepJob.FADE]
    assert [one.next is None for one in ada.timetable()] == [True, False]


def test_an_interrupted_job_is_free_at_once(night: Night) -> None:
    def interrupt(number: int) -> None:
        raise KeyboardInterrupt

    night.jobs[SleepJob.FADE].between = interrupt
    night.clock.move_to(datetime(2026, 5, 5, 1, 30, tzinfo=OSLO))
    with pytest.raises(KeyboardInterrupt):
        night.ada.sleep()
    night.jobs[SleepJob.FADE].between = lambda number: None
    assert [one.job for one in night.ada.sleep().outcomes] == [SleepJob.FADE]


def test_the_timetable_says_where_each_job_stands(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 3, 15, tzinfo=OSLO))
    table = {one.job: one for one in night.ada.timetable()}
    assert list(table) == list(SleepJob)
    fade = table[SleepJob.FADE]
    assert (fade.expression, fade.done_until) == ("0 1 * * *", None)
    assert fade.due == datetime(2026, 5, 5, 1, tzinfo=OSLO)
    assert fade.next == datetime(2026, 5, 6, 1, tzinfo=OSLO)
    assert table[SleepJob.REFRESH].due is None
    night.ada.sleep()
    (fade,) = (one for one in night.ada.timetable() if one.job is SleepJob.FADE)
    assert (fade.done_until, fade.due) == (datetime(2026, 5, 5, 1, tzinfo=OSLO), None)


def test_nights_over_a_change_of_clocks(memory: Memory, clock: SteppedClock) -> None:
    """25 October has 02:45 twice, 28 March 2027 has none; every night has one all the same."""
    clock.move_to(datetime(2026, 10, 23, 12, tzinfo=OSLO))
    night = Night(memory, clock)
    for _ in range(16):
        clock.advance(timedelta(hours=6))
        night.ada.sleep()
    done = [at for job, at in night.diary if job == "describe"]
    assert done == ["24 02:45", "25 02:45", "26 02:45", "27 02:45"]
    clock.move_to(datetime(2027, 3, 26, 12, tzinfo=OSLO))
    night.ada.sleep()
    night.diary.clear()
    for _ in range(12):
        clock.advance(timedelta(hours=6))
        night.ada.sleep()
    done = [at for job, at in night.diary if job == "describe"]
    assert done == ["27 02:45", "28 03:00", "29 02:45"]


def test_a_leap_day_has_its_night(memory: Memory, clock: SteppedClock) -> None:
    clock.move_to(datetime(2028, 2, 27, 12, tzinfo=OSLO))
    night = Night(memory, clock)
    night.clock.advance(3 * DAY)
    night.ada.sleep(clock.now(), only=["fade"])
    assert night.diary == [("fade", "28 01:00"), ("fade", "29 01:00"), ("fade", "01 01:00")]


# --- everyone, by workers ---------------------------------------------------------------------------


def test_every_user_sleeps_by_their_own_clock(night: Night) -> None:
    tokyo = night.memory.user("yui", timezone="Asia/Tokyo")
    night.clock.move_to(datetime(2026, 5, 4, 18, 30, tzinfo=UTC))  # 20:30 in Oslo, 03:30 in Tokyo
    slept = {one.user_id: one for one in night.memory.sleep()}
    assert [one.job for one in slept["ada"].outcomes] == [SleepJob.RECONSOLIDATE]
    assert [one.job.value for one in slept["yui"].outcomes] == [
        "reconsolidate", "fade", "describe", "promote", "refresh",
    ]  # fmt: skip
    assert all(one.user_id == "yui" for one in tokyo.anchors("concept", include_archived=True))


def test_a_worker_is_promised_one_job_at_a_time_and_does_all_in_order(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    scheduled = night.memory.schedule()
    assert (scheduled.promised, scheduled.wait) == (1, timedelta(minutes=30))
    assert night.memory.schedule().promised == 0
    assert night.memory.work().done == 8
    assert night.diary == ONE_NIGHT
    assert night.memory.schedule().promised == 0
    assert night.memory.work().done == 0


def test_work_alone_promises_nothing(night: Night) -> None:
    night.clock.advance(DAY)
    assert night.memory.work().done == 0
    assert night.diary == []


def test_the_night_waits_for_the_work_of_the_day(night: Night) -> None:
    night.ada.add("The kettle is on.")
    night.memory.user("bob")
    night.clock.move_to(datetime(2026, 5, 5, 1, 30, tzinfo=OSLO))
    assert night.memory.schedule().promised == 1
    assert [job.user_id for job in night.memory.env.queue.jobs() if job.kind is JobKind.SLEEP] == [
        "bob"
    ]  # fmt: skip
    night.memory.work()
    assert night.memory.schedule().promised == 1
    night.memory.work()
    assert [one.due for one in night.ada.timetable()] == [None] * 10


def test_what_fails_for_good_lets_the_others_go_on_and_is_tried_the_next_night(
    night: Night,
) -> None:
    night.jobs[SleepJob.FADE].error = "no ink"
    night.clock.move_to(datetime(2026, 5, 5, 5, 30, tzinfo=OSLO))
    for _ in range(10):
        night.memory.schedule()
        night.memory.work()
        night.clock.advance(timedelta(minutes=1))
    done = night.diary
    assert done.count(("fade", "05 01:00")) == 5  # every attempt
    assert [one for one in done if one[0] != "fade"] == [one for one in ONE_NIGHT if one[0] != "fade"]  # fmt: skip
    (parked,) = night.ada.jobs([JobState.PARKED])
    assert parked.key == "sleep:fade:ada"
    night.jobs[SleepJob.FADE].error = ""
    night.clock.move_to(datetime(2026, 5, 6, 1, 30, tzinfo=OSLO))
    night.memory.schedule()
    night.memory.work()
    assert ("fade", "06 01:00") in night.diary
    assert night.ada.jobs([JobState.PARKED]) == []


def test_a_promise_that_was_kept_meanwhile_is_not_kept_twice(night: Night) -> None:
    night.clock.move_to(datetime(2026, 5, 5, 1, 30, tzinfo=OSLO))
    turns = due(night.memory.env, night.memory.env.registry.scope_of("ada"), night.clock.now())  # fmt: skip
    night.ada.sleep()
    night.diary.clear()
    env, now = night.memory.env, night.clock.now()
    scope = env.registry.scope_of("ada")
    for turn in turns:
        env.queue.enqueue(job_for(scope, turn, now))
    assert night.memory.work().done == len(turns) == 2
    assert night.diary == []


def two_days(path: Path, *, dies: bool) -> str:
    """How two days end; with `dies`, a worker is gone in the middle of the first job."""
    clock = SteppedClock(START)
    with Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as opened:
        jobs = diarists(opened, steps=4)
        memory = asleep(opened, jobs)
        memory.user("ada", timezone="Europe/Oslo")
        clock.move_to(datetime(2026, 5, 6, 5, 30, tzinfo=OSLO))
        memory.schedule()
        env = memory.env
        if dies:
            job = env.queue.claim("gone", now=clock.now(), lease=timedelta(seconds=120))
            assert job is not None
            half = replace(jobs[SleepJob(job.payload["job"])], steps=2)
            tick = datetime.fromisoformat(job.payload["tick"])
            killed = replace(env, nights={half.job: half})
            killed.do_night_job(half.job, env.registry.scope_of("ada"), tick)
            assert memory.work().done == 0  # it is not ours yet
            clock.advance(timedelta(seconds=120))
        assert memory.work().done == 8
        return state_of(memory)


def test_a_worker_that_died_is_followed_by_another_with_the_same_end(tmp_path: Path) -> None:
    assert two_days(tmp_path / "a.db", dies=True) == two_days(tmp_path / "b.db", dies=False)


# --- the real jobs ----------------------------------------------------------------------------------


def lived_in(ada: UserMemory, clock: SteppedClock) -> None:
    """A month of notes, and ten days of silence."""
    for day in range(1, 31):
        ada.add(f"Day {day}: Maria Chen and I went on with the harbour plan in Bergen.")
        ada.work()
        clock.advance(DAY)
    ada.remember("Maria Chen lives in Bergen.")
    clock.advance(10 * DAY)


def test_a_dry_run_of_all_jobs_changes_nothing(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    lived_in(ada, clock)
    env = memory.env
    scope = env.registry.scope_of("ada")
    before = state_of(memory), env.ledger.last_seq(scope), ada.jobs(limit=1000)
    tried = ada.sleep(dry_run=True)
    assert not tried.failed, tried.skipped
    assert {one.job for one in tried.outcomes} == set(env.nights)
    assert not tried.is_idle
    assert (state_of(memory), env.ledger.last_seq(scope), ada.jobs(limit=1000)) == before
    assert [(one.job, one.counts) for one in ada.sleep().outcomes] == [
        (one.job, one.counts) for one in tried.outcomes
    ]


def test_all_jobs_run_twice_find_nothing_the_second_time(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    lived_in(ada, clock)
    slept = ada.sleep()
    assert not slept.failed, slept.skipped
    end = state_of(memory)
    assert ada.sleep().outcomes == ()
    again = ada.sleep(only=list(SleepJob), dry_run=True)
    assert not again.failed, again.skipped
    assert state_of(memory) == end
    for job in memory.env.nights:
        done = memory.env.done_until(Scope(user_id="ada"), job)
        assert done is not None
        scope = memory.env.registry.scope_of("ada")
        assert memory.env.do_night_job(job, scope, done).is_idle, job
    assert state_of(memory) == end
