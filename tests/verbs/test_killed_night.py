"""A night that was killed ends where it would have ended, and the ledger alone leads to the same."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from night_life import DAY, NIGHT, START, NightMind, lived, night, opened, told

from remanent import SteppedClock, UserMemory
from remanent.model.event import DESCRIBED, NOTES_EXPIRED, SOURCES_DISTILLED, Event
from remanent.model.scope import Scope
from remanent.model.sleeping import SleepJob

DESCRIBE, EXPIRE, DISTIL, UPKEEP = (
    SleepJob.DESCRIBE,
    SleepJob.EXPIRE,
    SleepJob.DISTIL,
    SleepJob.UPKEEP,
)


def repeat(ada: UserMemory, event: Event) -> None:
    night = ada._house.overnight
    verbs = {
        DESCRIBED: night.describe.apply,
        NOTES_EXPIRED: night.expire.apply,
        SOURCES_DISTILLED: night.distil.apply,
    }
    if event.event_type in verbs:
        verbs[event.event_type](ada._scope, event)


def test_the_ledger_alone_leads_to_the_same_memory(tmp_path: Path) -> None:
    path, copy, mind = tmp_path / "memory.db", tmp_path / "copy.db", NightMind()
    with opened(path, SteppedClock(START + 7 * DAY), mind) as ada:
        lived(ada, mind)
        seq = ada._house.ledger.last_seq(ada._scope)
    shutil.copy(path, copy)
    with opened(path, SteppedClock(NIGHT), mind) as ada:
        for job in (DESCRIBE, EXPIRE, DISTIL):
            assert not night(ada, job).is_idle
        happened = list(ada._house.ledger.replay(ada._scope, after=seq))
        after = told(ada)
    with opened(copy, SteppedClock(NIGHT + 3 * DAY), mind) as ada:
        for event in happened:
            repeat(ada, event)
        assert told(ada) == after


@pytest.mark.parametrize(
    ("job", "calls"), [(DESCRIBE, 40), (EXPIRE, 10**6), (DISTIL, 3), (UPKEEP, 5)]
)
def test_a_killed_night_ends_where_it_would_have(tmp_path: Path, job: SleepJob, calls: int) -> None:
    whole, broken, mind = tmp_path / "whole.db", tmp_path / "broken.db", NightMind()
    with opened(whole, SteppedClock(START + 7 * DAY), mind) as ada:
        lived(ada, mind)
        if job is EXPIRE:
            night(ada, DESCRIBE, START + 8 * DAY)
    shutil.copy(whole, broken)
    script = Path(__file__).with_name("night_life.py")
    killed = subprocess.run(
        [sys.executable, str(script), str(broken), job, str(calls)], check=False
    )
    assert killed.returncode == (0 if job is EXPIRE else -signal.SIGKILL)
    results = []
    for path in (whole, broken):
        with opened(path, SteppedClock(NIGHT), mind) as ada:
            first = night(ada, job)
            assert first.is_idle is (job is EXPIRE and path == broken)
            assert night(ada, job).is_idle
            results.append(told(ada))
    assert results[0] == results[1]


def test_nights_are_the_users_own(tmp_path: Path) -> None:
    mind = NightMind()
    with opened(tmp_path / "memory.db", SteppedClock(START + 7 * DAY), mind) as ada:
        lived(ada, mind)
        before = told(ada)
        for job in (DESCRIBE, EXPIRE, DISTIL, UPKEEP):
            assert ada._house.sleep.jobs[job](Scope(user_id="bob"), NIGHT).is_idle
        assert told(ada) == before
