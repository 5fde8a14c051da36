"""Sleep from the command line: a report that a person enjoys, and one document for programs."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from command_line import Done, remanent
from rich.console import Console

from remanent import Memory, SteppedClock
from remanent.core.model.job import JobState
from remanent.core.model.page import Worked
from remanent.core.model.sleep import (
    Change,
    JobOutcome,
    NightReport,
    ScheduledJob,
    Skipped,
    SkipReason,
    SleepJob,
)
from remanent.jobs.schedule import due
from remanent.sleep.night import job_for
from remanent.surfaces.cli.views import work as views
from remanent.testing import ScriptedMind
from remanent_conformance.builders import a_note, a_person

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 5, 5, 5, 30, tzinfo=UTC)


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def long_ago(path: Path, *users: str) -> Path:
    """A memory of people who were registered two years before now."""
    from remanent.embedders.builtin import BuiltinEmbedder

    named = BuiltinEmbedder()
    clock = SteppedClock(datetime(2024, 1, 1, tzinfo=UTC))
    with Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=named) as memory:
        for user in users:
            memory.user(user, timezone="Europe/Oslo")
    return path


def shown(slept: NightReport, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(views.night(slept, UTC_ZONE))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


A_NIGHT = NightReport(
    user_id="ada",
    at=NOW,
    outcomes=(
        JobOutcome(
            job=SleepJob.FADE,
            at=NOW - timedelta(hours=4),
            counts={"faded": 1204, "archived": 7},
            changes=tuple(
                Change(
                    what="archived",
                    key=f"k{number}",
                    name=f"Lunch with the board, part {number}",
                    why="not asked for since 3 March; salience 0.008",
                )
                for number in range(6)
            ),
        ),
        JobOutcome(
            job=SleepJob.PROMOTE,
            at=NOW - timedelta(hours=2),
            counts={"promoted": 1},
            changes=(
                Change(
                    what="promoted",
                    key="k",
                    name="Maria Chen",
                    why="mentioned in 9 sources on 6 days",
                ),
            ),
            left=12,
        ),
        JobOutcome(job=SleepJob.EXPIRE, at=NOW),
    ),
    skipped=(
        Skipped(job=SleepJob.DISTIL, at=None, because=SkipReason.OFF),
        Skipped(
            job=SleepJob.UPKEEP, at=NOW, because=SkipReason.FAILED, error="MindError: no answer"
        ),
    ),
    worked=Worked(done=3),
    next=ScheduledJob(
        job=SleepJob.RECONSOLIDATE, expression="0 */6 * * *", next=NOW.replace(hour=6)
    ),
)


@pytest.mark.parametrize("width", [80, 50])
def test_a_night_reads_well(width: int) -> None:
    text = shown(A_NIGHT, width)
    told = " ".join(text.split())
    assert max(map(len, text.splitlines())) <= width
    assert text.index("Promoted") < text.index("Faded") < text.index("Archived")
    assert "Faded 1,204" in told
    assert "and 2 more" in told
    assert "Maria Chen" in told
    assert "Left for the next night: 12 (promote)." in told
    assert "3 jobs that waited done first." in told
    assert "switched off in the settings" in told
    assert "no answer" in told
    assert "Next: reconsolidate at 06:30." in told


def test_a_night_with_nothing_in_it_is_one_line() -> None:
    following = ScheduledJob(
        job=SleepJob.PROMOTE, expression="0 3 * * *", next=NOW.replace(day=6, hour=3)
    )
    idle = NightReport(
        user_id="ada", at=NOW, outcomes=(JobOutcome(job=SleepJob.FADE, at=NOW),), next=following
    )
    assert shown(idle, 80) == "Nothing to do; next: promote at Wed 03:30."


def test_what_others_wrote_does_not_steer_the_terminal() -> None:
    change = Change(what="merged", key="k", name="\x1b[2JBob", why="\x07")
    rest = JobOutcome(job=SleepJob.UPKEEP, at=NOW, counts={"merged": 1}, changes=(change,))
    assert "\x1b" not in shown(NightReport(user_id="ada", at=NOW, outcomes=(rest,)), 80)


# --- the commands -----------------------------------------------------------------------------------


def test_what_is_due_is_done_and_then_there_is_nothing(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    assert "due " in ask(path, "timetable").out
    tried = ask(path, "sleep", "--dry-run", "--json").json["slept"]
    first = ask(path, "sleep", "--json")
    assert first.code == 0, first.err
    (slept,) = first.json["slept"]
    assert slept["user_id"] == "ada"
    assert [one["job"] for one in slept["outcomes"]] == [one["job"] for one in tried[0]["outcomes"]]
    assert slept["outcomes"]
    (again,) = ask(path, "sleep", "--json").json["slept"]
    assert again["outcomes"] == []
    assert ask(path, "sleep").out.startswith("Nothing to do; next: ")
    assert "due " not in ask(path, "timetable").out


def test_what_a_limit_left_over_is_not_done_by_asking_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    with Memory.open(path, mind=ScriptedMind()) as memory:
        ada = memory.user("ada")
        for name in ("Maria Chen", "Tom Berg", "Ann Lee"):
            who = a_person(name, user="ada", is_dirty=True)
            ada.env.graph.put(ada.scope, who)
            ada.env.graph.add_note(ada.scope, a_note(who.key, "Rows.", user="ada"))
    monkeypatch.setenv("REMANENT_NIGHTLY__DESCRIBE_MOST", "1")
    first = ask(path, "sleep", "--only", "describe").out
    assert "Described  1" in first
    assert "Left for the next night: 2 (describe)." in first
    again = ask(path, "sleep", "--only", "describe").out
    assert again.startswith("Nothing to do; next: ")
    assert "Left for the next night: 2 (describe)." in again
    assert ask(path, "sleep").code == 0
    assert ask(path, "sleep").out.startswith("Nothing to do; next: ")
    jobs = [word for job in SleepJob for word in ("--only", job.value)]
    assert ask(path, "sleep", *jobs).code == 0
    assert ask(path, "sleep", *jobs).out.startswith("Nothing to do; next: ")


def test_the_timetable_for_programs(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    told = ask(path, "timetable", "--json").json
    assert told["timezone"] == "Europe/Oslo"
    assert {"job", "expression", "done_until", "due", "next"} == set(told["timetable"][0])


def test_everyone_sleeps(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada", "bob")
    assert ask(path, "sleep").code == 2
    told = ask(path, "sleep", "--all-users", "--only", "fade")
    assert told.code == 0, told.err
    assert "ada" in told.out
    assert "bob" in told.out
    slept = ask(path, "sleep", "--all-users", "--json").json["slept"]
    assert [one["user_id"] for one in slept] == ["ada", "bob"]
    (one,) = ask(path, "sleep", "--user", "bob", "--json").json["slept"]
    assert one["user_id"] == "bob"


@pytest.mark.parametrize(
    ("arguments", "field", "complaint"),
    [
        (["sleep", "--only", "dream"], "only", "'dream' is not one of: reconsolidate"),
        (["sleep", "--until", "2999-01-01"], "until", "has not come yet"),
        (["sleep", "--until", "some day"], "until", "'some day' is not a date"),
    ],
)
def test_what_cannot_be_asked_for(
    tmp_path: Path, arguments: list[str], field: str, complaint: str
) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    done = ask(path, *arguments, "--json")
    assert (done.code, done.out, done.error["field"]) == (2, "", field)
    assert complaint in done.error["message"]


def test_a_bad_timetable_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    monkeypatch.setenv("REMANENT_TIMETABLE__FADE", "at night")
    done = ask(path, "sleep", "--json")
    assert done.code == 2
    assert done.error["field"] == "timetable.fade"


def test_today_is_a_day_that_can_be_named(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    with Memory.open(path) as memory:
        now = memory.user("ada").status().now
    today = now.astimezone(ZoneInfo("Europe/Oslo")).date()
    done = ask(path, "sleep", "--only", "fade", "--until", str(today), "--dry-run", "--json")
    assert done.code == 0, done.err
    assert len(done.json["slept"][0]["outcomes"]) > 700  # every night of two years


# --- a worker ---------------------------------------------------------------------------------------


def test_work_serves_everyone_and_sleeps(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada", "bob")
    ask(path, "add", "--user", "ada", "--text", "The kettle is on.", "--no-work")
    done = ask(path, "work", "--json")
    assert done.code == 0, done.err
    jobs = ask(path, "jobs", "list", "--user", "bob", "--state", "done", "--json").json["jobs"]
    assert {one["kind"] for one in jobs} == {"sleep"}
    assert done.json["done"] == 3 + 2 * len(jobs)
    assert ask(path, "work", "--json").json["done"] == 0


def test_work_for_one_user_leaves_the_others(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada", "bob")
    assert ask(path, "work", "--user", "ada", "--json").json["done"] > 0
    assert "due " in ask(path, "timetable", "--user", "bob").out
    assert "due " not in ask(path, "timetable", "--user", "ada").out


def test_workers_that_follow_sleep_when_it_is_due(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada", "bob")
    script = "from remanent.surfaces.cli import main; main()"
    arguments = ["work", "--follow", "--workers", "2", "--json", "--memory", str(path)]
    running = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    with Memory.open(path) as memory:
        users = [memory.user(name) for name in ("ada", "bob")]
        while any(one.due for user in users for one in user.timetable()):
            assert running.poll() is None, running.communicate()
            parked = [job.error for user in users for job in user.jobs([JobState.PARKED])]
            if parked:
                running.kill()
            assert not parked
            time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    out, err = running.communicate()
    assert running.returncode == 0, err
    assert json.loads(out)["parked"] == 0


def test_a_failed_job_of_the_night_goes_by_its_name(tmp_path: Path) -> None:
    path = long_ago(tmp_path / "memory.db", "ada")
    with Memory.open(path) as memory:
        env = memory.env
        scope, now = env.registry.scope_of("ada"), env.clock.now()
        job = job_for(scope, due(env, scope, now)[0], now)
        env.queue.enqueue(job)
        env.queue.claim("w", key=job.key, now=now, lease=timedelta(minutes=2))
        env.queue.settle(job.key, "w", JobState.PARKED, at=now, error="no ink")
    assert job.key in ask(path, "jobs", "list").out
    assert ask(path, "jobs", "retry", job.key).code == 0
