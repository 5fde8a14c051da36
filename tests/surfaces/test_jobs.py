"""`remanent jobs` and `remanent work`: what failed is seen, tried again or let go; many hands work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, remanent

from remanent import Memory, load_config
from remanent.config import Config
from remanent.core.model.job import JobState
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import ContentType, ProcessingStatus
from remanent.errors import MindError
from remanent.jobs.rules import JobRules
from remanent.surfaces.cli.worker import shared
from remanent.testing import ScriptedMind

SOURCES = 40
POLL_S = 0.05


class Poisoned(ScriptedMind):
    """Falls over what is poison to it."""

    def clean(self, pieces: Sequence[str], content_type: ContentType) -> list[str]:
        if any("poison" in one for one in pieces):
            raise MindError("the model fell over")
        return super().clean(pieces, content_type)


@pytest.fixture(autouse=True)
def _no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are counted here; the hour at which the tests run must not add any."""
    for job in SleepJob:
        monkeypatch.setenv(f"REMANENT_TIMETABLE__{job.name}", "off")


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def parked_in(path: Path, *texts: str) -> list[str]:
    """A memory in which these sources have been given up; their keys."""
    config = Config(memory=str(path), jobs=JobRules(max_attempts=1))
    with Memory.open(config, mind=Poisoned()) as memory:
        ada = memory.user("ada", timezone="Europe/Oslo")
        keys = [ada.add(f"poison {text}") for text in texts]
        ada.work()
        ada.add("Waiting.")
    return keys


def test_what_was_parked_is_listed_with_its_error(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    (key,) = parked_in(path, "one")
    plain = ask(path, "jobs", "list").out
    answer = ask(path, "jobs", "list", "--state", "parked", "--json").json

    assert f"process:{key[:8]}" in plain
    assert "the model fell over" in plain
    assert "ready" in plain
    assert [one["key"] for one in answer["jobs"]] == [f"process:{key}"]
    assert "the model fell over" in answer["jobs"][0]["error"]
    assert answer["counts"]["parked"] == 1
    assert key[:8] in ask(path, "status").out


@pytest.mark.parametrize("name", ["process:{0}", "process:{0:.8}", "{0}", "{0:.6}"])
def test_a_parked_job_is_tried_again_by_any_of_its_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "memory.db"
    (key,) = parked_in(path, "one")
    done = ask(path, "jobs", "retry", name.format(key), "--json")

    assert done.code == 0, done.err
    assert [one["key"] for one in done.json["retried"]] == [f"process:{key}"]
    worked = ask(path, "work", "--json").json
    assert [worked[name] for name in ("done", "retried", "parked")] == [6, 0, 0]
    assert "No jobs" not in ask(path, "jobs", "list", "-s", "done").out


def test_all_parked_jobs_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    parked_in(path, "one", "two", "three")

    assert len(ask(path, "jobs", "retry", "--all", "--json").json["retried"]) == 3
    assert "Nothing is parked" in ask(path, "jobs", "retry", "--all").out


def test_a_dropped_job_is_gone_and_its_source_stays(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    one, two = parked_in(path, "one", "two")
    dropped = ask(path, "jobs", "drop", one[:8])

    assert f"process:{one[:8]}" in dropped.out
    assert "Dropped" in dropped.out
    assert len(ask(path, "jobs", "drop", "--all-parked", "--json").json["dropped"]) == 1
    assert ask(path, "jobs", "list", "--json").json["counts"]["parked"] == 0
    assert ask(path, "show", two, "--raw").out == "poison two\n"
    assert ask(path, "work", "--json").json["done"] == 3  # the one that waited


@pytest.mark.parametrize(
    ("arguments", "code", "type_"),
    [
        (["jobs", "retry", "feedface"], 3, "NoJob"),
        (["jobs", "drop", "feedface"], 3, "NoJob"),
        (["jobs", "retry"], 2, "InvalidInput"),
        (["jobs", "retry", "x", "--all"], 2, "InvalidInput"),
        (["jobs", "drop", "process:"], 2, "InvalidInput"),
        (["jobs", "list", "--state", "asleep"], 2, "InvalidInput"),
        (["jobs"], 2, "UsageError"),
        (["work", "--workers", "0"], 2, "UsageError"),
    ],
)
def test_what_cannot_be_asked_for(
    tmp_path: Path, arguments: list[str], code: int, type_: str
) -> None:
    path = tmp_path / "memory.db"
    parked_in(path, "one", "two")
    done = remanent("--memory", str(path), "--json", *arguments)

    assert (done.code, done.error["type"]) == (code, type_)


def test_jobs_of_others_are_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    (key,) = parked_in(path, "one")
    ask(path, "init", "--user", "bob")

    assert ask(path, "jobs", "drop", key, "--user", "bob").code == 3
    assert "No jobs" in ask(path, "jobs", "list", "--user", "bob").out
    assert ask(path, "jobs", "drop", key, "--user", "ada").code == 0


def test_every_option_of_jobs_is_documented() -> None:

    from remanent.surfaces.cli.app import program

    page = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text("utf-8")
    group = program().commands["jobs"]
    for name, command in group.commands.items():
        assert f"`jobs {name}" in page
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or f"`{option}" in page, f"jobs {name} {option}"


# --- many hands -----------------------------------------------------------------------------------


def filled(path: Path, count: int = SOURCES) -> list[str]:
    with Memory.open(load_config(path)) as memory:
        ada = memory.user("ada")
        return [ada.add(f"Note {number}: the kettle is on.") for number in range(count)]


def command(path: Path, *arguments: str) -> list[str]:
    script = "from remanent.surfaces.cli import main; main()"
    return [sys.executable, "-c", script, *arguments, "--memory", str(path)]


def test_two_processes_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    keys = filled(path)
    done = ask(path, "work", "--workers", "2", "--json")

    assert done.code == 0, done.err
    assert [done.json[name] for name in ("done", "retried", "parked")] == [3 * SOURCES, 0, 0]
    with Memory.open(path) as memory:
        ada = memory.user("ada")
        jobs = ada.jobs(limit=1000)
        assert Counter((job.kind.value, job.state.value, job.attempts) for job in jobs) == {
            ("process", "done", 1): 2 * SOURCES,
            ("extract", "done", 1): SOURCES,
        }
        for key in keys:
            node: Any = ada.read(key).node
            assert node.processing_status is ProcessingStatus.EXTRACTED


def test_a_limit_is_shared_among_workers(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path, 2)

    assert ask(path, "work", "--workers", "2", "--limit", "1", "--json").json["done"] == 1
    assert shared(3, 2) == [2, 1]
    assert shared(1, 4) == [1]
    assert shared(None, 2) == [None, None]


def stopped(path: Path, *arguments: str, sign: signal.Signals) -> tuple[int, dict[str, int], str]:
    """Let the command work until something is done, tell it to stop, and hear what it says."""
    running = subprocess.Popen(
        command(path, "work", *arguments, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    with Memory.open(path) as memory:
        ada = memory.user("ada")
        while not ada.jobs([JobState.DONE]):
            assert running.poll() is None, running.communicate()
            time.sleep(POLL_S)
    running.send_signal(sign)
    out, err = running.communicate()
    return running.returncode, json.loads(out), err


@pytest.mark.parametrize(("workers", "sign"), [("1", signal.SIGINT), ("2", signal.SIGTERM)])
def test_a_signal_stops_after_the_job_in_hand(
    tmp_path: Path, workers: str, sign: signal.Signals
) -> None:
    path = tmp_path / "memory.db"
    filled(path, 100)
    code, worked, err = stopped(path, "--workers", workers, sign=sign)

    assert code == 130, err
    assert "Traceback" not in err
    with Memory.open(path) as memory:
        ada = memory.user("ada")
        assert ada.jobs([JobState.RUNNING, JobState.PARKED]) == []  # nothing was left half-done
        jobs = ada.status().jobs
        assert worked["done"] == jobs["done"] > 0
        assert jobs["ready"] > 0


def test_following_takes_what_comes_until_told_to_stop(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path, 1)
    running = subprocess.Popen(
        command(path, "work", "--follow", "--workers", "2", "--json"), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with Memory.open(path) as memory:
        ada = memory.user("ada")
        for more in ("Another note.", "A third one."):
            while ada.jobs([JobState.READY, JobState.RUNNING]):
                assert running.poll() is None, running.communicate()
                time.sleep(POLL_S)
            ada.add(more)
        while ada.jobs([JobState.READY, JobState.RUNNING]):
            assert running.poll() is None, running.communicate()
            time.sleep(POLL_S)
    running.send_signal(signal.SIGTERM)
    out, err = running.communicate()

    assert running.returncode == 0, err
    assert json.loads(out)["done"] == 9


def test_workers_leave_when_whoever_started_them_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(path, 1)
    order = {"user": "ada", "follow": True, "limit": None}
    worker = subprocess.Popen(
        [sys.executable, "-m", "remanent.surfaces.cli.worker", json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "REMANENT_MEMORY": str(path)},
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert "step" in json.loads(worker.stdout.readline())
    worker.stdin.close()
    told = [json.loads(line) for line in worker.stdout]
    worker.stdout.close()

    assert worker.wait() == 0
    assert "worked" in told[-1]


def test_a_second_signal_leaves_at_once(tmp_path: Path) -> None:
    """The worker is held up in a job that never ends; only the second signal gets us out."""
    path = tmp_path / "memory.db"
    filled(path, 1)
    script = (
        "import os, threading\n"
        "from remanent.minds.offline import OfflineMind\n"
        "def stuck(self, pieces, content_type):\n"
        "    os.write(1, b'in hand\\n')\n"
        "    threading.Event().wait()\n"
        "OfflineMind.clean = stuck\n"
        "from remanent.surfaces.cli import main; main()"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", script, "work", "--memory", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert running.stdout is not None
    assert running.stderr is not None
    assert running.stdout.readline() == "in hand\n"
    running.send_signal(signal.SIGINT)
    assert "Ctrl-C again" in running.stderr.readline()
    time.sleep(1.0)  # an echo of the first is not a second one
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()

    assert running.returncode == 130
    assert "Traceback" not in err
