"""A night that was killed ends where it would have ended, and the ledger alone leads to the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import long_life
import pytest
from effort import times
from long_life import FINDS, SUNDAY, UNLIMITED, killed, rows_written, worlds
from night_life import DAY, NIGHT, START, NightMind, lived, night, opened, told

from remanent import SteppedClock, UserMemory
from remanent.core.model.event import DESCRIBED, NOTES_EXPIRED, SOURCES_DISTILLED, Event
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob

DESCRIBE, EXPIRE, DISTIL, UPKEEP = (
    SleepJob.DESCRIBE,
    SleepJob.EXPIRE,
    SleepJob.DISTIL,
    SleepJob.UPKEEP,
)


def repeat(ada: UserMemory, event: Event) -> None:
    if event.event_type in {DESCRIBED, NOTES_EXPIRED, SOURCES_DISTILLED}:
        ada.env.routes[event.event_type](ada.env, ada.scope, event)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that was lived in; to be copied, not touched."""
    path, mind = tmp_path_factory.mktemp("life") / "memory.db", NightMind()
    with opened(path, SteppedClock(START + 7 * DAY), mind) as ada:
        lived(ada, mind)
    return path


def test_the_ledger_alone_leads_to_the_same_memory(life: Path, tmp_path: Path) -> None:
    path, copy, mind = tmp_path / "memory.db", tmp_path / "copy.db", NightMind()
    shutil.copy(life, path)
    shutil.copy(life, copy)
    with opened(path, SteppedClock(NIGHT), mind) as ada:
        seq = ada.env.ledger.last_seq(ada.scope)
        for job in (DESCRIBE, EXPIRE, DISTIL):
            assert not night(ada, job).is_idle
        happened = list(ada.env.ledger.replay(ada.scope, after=seq))
        after = told(ada)
    with opened(copy, SteppedClock(NIGHT + 3 * DAY), mind) as ada:
        for event in happened:
            repeat(ada, event)
        assert told(ada) == after


def test_nights_are_the_users_own(life: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(life, tmp_path / "memory.db"))
    with opened(path, SteppedClock(START + 7 * DAY), NightMind()) as ada:
        before = told(ada)
        for job in SleepJob:
            assert ada.env.do_night_job(job, Scope(user_id="bob"), NIGHT).is_idle
        assert told(ada) == before


# --- killed ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return worlds(tmp_path_factory.mktemp("worlds"))


def ends(path: Path, job: SleepJob) -> list[str]:
    """How the memory stands after that night and after the next; each is had twice."""
    stands = []
    for number in range(2):
        at = SUNDAY + number * DAY
        with long_life.opened(path, at) as ada:
            long_life.night(ada, job, at)
            stands.append(long_life.told(ada))
            assert long_life.night(ada, job, at).is_idle
            assert long_life.told(ada) == stands[-1]
    return stands


@pytest.mark.torture
@pytest.mark.parametrize("job", SleepJob)
def test_killed_at_any_row_it_ends_where_it_would_have(
    tmp_path: Path, found: list[Path], job: SleepJob
) -> None:
    """Whoever adds a job says in `FINDS` which memory gives it enough to do, and it is killed here."""
    made = found[FINDS[job]]
    path = Path(shutil.copy(made, tmp_path / "whole.db"))
    with long_life.opened(path) as ada:
        rows = rows_written(ada, lambda: long_life.night(ada, job))
    assert rows > 3
    whole = ends(path, job)
    assert (len(set(whole)) > 1) is (job is SleepJob.FADE or job not in UNLIMITED)
    parts = times(2, 20)
    for dies_at in sorted({max(1, rows * part // parts) for part in range(parts + 1)}):
        path = Path(shutil.copy(made, tmp_path / f"{dies_at}.db"))
        killed(path, job, dies_at)
        assert ends(path, job) == whole, dies_at
