"""A night that is had twice finds nothing to do the second time, also where its limit left something over;
the next night goes on."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from long_life import FINDS, LIMITED, START, SUNDAY, UNLIMITED, night, opened, told, worlds

from remanent import SteppedClock
from remanent.core.env import Night
from remanent.core.model.sleep import SleepJob
from remanent.jobs.rules import TimetableRules

DAY = timedelta(days=1)
DONE = {  # what one night does, where a limit says how much
    SleepJob.PROMOTE_MACROS: {"opened": 2},
    SleepJob.REFRESH_MACROS: {"retold": 2},
    SleepJob.DESCRIBE: {"described": 30},
    SleepJob.PROMOTE: {"opened": 3},
    SleepJob.REFRESH: {"retold": 2},
    SleepJob.DISTIL: {"distilled": 10},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return worlds(tmp_path_factory.mktemp("worlds"))


@pytest.fixture
def path(request: pytest.FixtureRequest, tmp_path: Path, found: list[Path]) -> Path:
    world = FINDS[request.node.callspec.params["job"]] if hasattr(request.node, "callspec") else 1
    return Path(shutil.copy(found[world], tmp_path / "memory.db"))


@pytest.mark.parametrize("job", SleepJob)
def test_the_second_time_there_is_nothing_to_do_and_the_next_night_goes_on(
    path: Path, job: SleepJob
) -> None:
    with opened(path) as ada:
        first = night(ada, job)
        assert not first.is_idle
        assert (first.left > 0) is (job not in UNLIMITED)
        assert DONE.get(job, first.counts).items() <= first.counts.items()
        end = told(ada)
        for later in (0, 0, 9, 3 * 60):  # the same night, also a little later
            again = night(ada, job, SUNDAY + timedelta(seconds=later))
            assert (again.is_idle, again.changes, again.left) == (True, (), first.left)
            assert told(ada) == end
        following = night(ada, job, SUNDAY + DAY)
        assert following.is_idle is (job is SleepJob.EXPIRE)
        if job in DONE:
            assert DONE[job].items() <= following.counts.items()
            assert following.left < first.left


@pytest.mark.parametrize("job", SleepJob)
def test_by_hand_at_the_same_clock_there_is_nothing_to_do(path: Path, job: SleepJob) -> None:
    with opened(path) as ada:
        tried = ada.sleep(only=[job], dry_run=True)
        (first,) = ada.sleep(only=[job]).outcomes
        assert [one.counts for one in tried.outcomes] == [first.counts]  # a dry run uses nothing up
        end = told(ada)
        (again,) = ada.sleep(only=[job]).outcomes
        assert (again.is_idle, again.left) == (True, first.left)
        assert told(ada) == end


def test_all_that_is_due_is_done_once(path: Path) -> None:
    with opened(path) as ada:
        clock = ada.env.clock
        assert isinstance(clock, SteppedClock)
        slept = ada.sleep()
        assert {one.job for one in slept.outcomes} == set(SleepJob)
        assert any(one.left for one in slept.outcomes)
        end = told(ada)
        assert (ada.sleep().outcomes, told(ada)) == ((), end)
        everything = list(SleepJob)
        ada.sleep(only=everything)  # also what came of the night after the time of an earlier job
        end = told(ada)
        again = ada.sleep(only=everything)
        assert again.is_idle, [one for one in again.outcomes if not one.is_idle]
        assert told(ada) == end
        clock.advance(DAY)
        assert not ada.sleep().is_idle


def test_what_is_found_meanwhile_is_done_while_the_limit_allows(path: Path) -> None:
    with opened(path) as ada:
        for number in range(20):
            night(ada, SleepJob.DESCRIBE, SUNDAY + number * DAY)
        assert night(ada, SleepJob.DESCRIBE, SUNDAY + 20 * DAY).is_idle
        ada.add("Ann: Rows.\nBen: Swims.", started_at=START + 60 * DAY)
        ada.work()
        assert night(ada, SleepJob.DESCRIBE, SUNDAY + 20 * DAY).counts == {"described": 2}


def test_a_night_ends_where_the_next_begins(path: Path) -> None:
    """Whatever the timetable says: the limit is one from each of its times to the next."""
    hourly = replace(LIMITED, timetable=TimetableRules(refresh="0 * * * *", promote_macros="off"))
    with opened(path, config=hourly) as ada:
        assert night(ada, SleepJob.REFRESH).counts == {"retold": 2}
        assert night(ada, SleepJob.REFRESH, SUNDAY + timedelta(minutes=29)).is_idle
        assert night(ada, SleepJob.REFRESH, SUNDAY + timedelta(minutes=30)).counts == {"retold": 2}
        assert night(ada, SleepJob.PROMOTE_MACROS).counts == {"opened": 2}
        late = SUNDAY.replace(hour=23, minute=59)
        assert night(ada, SleepJob.PROMOTE_MACROS, late).is_idle
        assert night(ada, SleepJob.PROMOTE_MACROS, late + timedelta(minutes=1)).counts == {
            "opened": 2
        }


def test_going_back_in_time_gives_nobody_more(path: Path) -> None:
    with opened(path) as ada:
        night(ada, SleepJob.REFRESH, SUNDAY + DAY)
        assert night(ada, SleepJob.REFRESH, SUNDAY).is_idle
        assert night(ada, SleepJob.REFRESH, SUNDAY + 2 * DAY).counts == {"retold": 2}


def test_a_limit_is_each_users_own(path: Path) -> None:
    with opened(path) as ada:
        night(ada, SleepJob.DESCRIBE)
        mine, his = (
            Night(
                env=ada.env,
                scope=replace(ada.scope, user_id=user),
                job=SleepJob.DESCRIBE,
                at=SUNDAY,
            ).quota(30)
            for user in ("ada", "bob")
        )
        assert mine.left < his.left == 30
