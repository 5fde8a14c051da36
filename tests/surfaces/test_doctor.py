"""`remanent doctor`: each part is looked at, and what is wrong is said with what to do."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, remanent
from model_server import serving

from remanent import Memory, SteppedClock
from remanent.config import Config
from remanent.core.records.admin import Level
from remanent.errors import MindError
from remanent.jobs.rules import JobRules
from remanent.spending.rules import BudgetRules
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
PARTS = ["mind", "embedder", "stores", "log", "clock", "disk", "timetable", "jobs"]


def ask(path: Path, *arguments: str) -> Done:
    return remanent(*arguments, "--memory", str(path))


def found(done: Done) -> dict[str, Any]:
    return {one["part"]: one for one in done.json["findings"]}


def test_a_new_memory_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    done = ask(path, "doctor", "--json")

    assert done.code == 0
    assert done.json["sound"]
    assert list(found(done)) == PARTS
    assert {one["level"] for one in done.json["findings"]} == {"ok"}
    assert "ok  stores" in ask(path, "doctor").out


def test_there_has_to_be_a_memory(tmp_path: Path) -> None:
    assert ask(tmp_path / "nothing.db", "doctor").code == 3


def test_a_model_is_asked_for_one_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    monkeypatch.setenv("REMANENT_MIND", "openai:gpt-4.1-mini")
    with serving() as server:
        monkeypatch.setenv("REMANENT_MIND_URL", server.url)
        well = ask(path, "doctor", "--json")
        silent = ask(path, "doctor", "--offline", "--json")
        assert len(server.asked) == 1
        server.status = 401
        refused = ask(path, "doctor", "--json")
    gone = ask(path, "doctor", "--json")

    assert (well.code, silent.code, refused.code, gone.code) == (0, 0, 1, 1)
    assert found(well)["mind"]["told"].endswith("answers")
    assert found(well)["prices"]["level"] == "ok"
    assert "not asked" in found(silent)["mind"]["told"]
    assert "key" in found(refused)["mind"]["told"]
    assert "cannot be reached" in found(gone)["mind"]["told"]


def test_a_mind_without_a_key_does_not_hide_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    monkeypatch.setenv("REMANENT_MIND", "openai:gpt-4.1-mini")
    for name in ("REMANENT_MIND_KEY", "OPENAI_API_KEY", "REMANENT_MIND_URL"):
        monkeypatch.delenv(name, raising=False)
    done = ask(path, "doctor", "--json")

    assert done.code == 1
    assert "needs a key" in found(done)["mind"]["told"]
    assert found(done)["stores"]["level"] == "ok"


def test_a_damaged_file_fails(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    with Memory.open(path, mind=ScriptedMind()) as memory:
        for number in range(200):
            memory.user("ada").add(f"A note of number {number} about the garden and the sea.")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8192] = b"\xa5" * 8192
    path.write_bytes(content)
    done = ask(path, "doctor", "--json")

    assert done.code == 1
    assert found(done)["stores"]["level"] == "fail"
    assert "backup" in found(done)["stores"]["remedy"]


def test_a_deep_look_names_what_was_altered(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ask(path, "init", "--user", "ada")
    with Memory.open(path, mind=ScriptedMind()) as memory:
        key = memory.user("ada").add("I am allergic to peanuts.")
    well = ask(path, "doctor", "--deep", "--json")
    with sqlite3.connect(path) as file:
        file.execute("UPDATE raws SET content = replace(content, 'peanuts', 'walnuts')")
    file.close()
    plain, done = ask(path, "doctor", "--json"), ask(path, "doctor", "--deep", "--json")

    assert (well.code, plain.code, done.code) == (0, 0, 1)
    assert found(well)["deep"]["level"] == "ok"
    assert f"table raws: {key}" in found(done)["deep"]["told"]


def test_a_clock_that_was_set_back_fails(tmp_path: Path) -> None:
    path, clock = tmp_path / "memory.db", SteppedClock(START)
    with Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        memory.user("ada").add("Something.")
    before = SteppedClock(START - timedelta(hours=1))
    with Memory.open(path, clock=before, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        diagnosis = memory.doctor()

    assert not diagnosis.is_sound
    (clock_line,) = [one for one in diagnosis.findings if one.part == "clock"]
    assert clock_line.level is Level.FAIL
    assert "2026-03-01 12:00:00" in clock_line.told


class Poisoned(ScriptedMind):
    def clean(self, pieces: Any, content_type: Any) -> list[str]:
        raise MindError("the model fell over")


def test_parked_jobs_and_late_nights_are_warned_of() -> None:
    clock = SteppedClock(START)
    config = Config(memory=":memory:", jobs=JobRules(max_attempts=1))
    with Memory.open(config, clock=clock, mind=Poisoned(), embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        ada.add("Something.")
        ada.work()
        clock.advance(timedelta(days=9))
        lines = {one.part: one for one in memory.doctor().findings}

    assert lines["jobs"].level is Level.WARN
    assert "fell over" in lines["jobs"].told
    assert lines["timetable"].level is Level.WARN
    assert "ada" in lines["timetable"].told


def test_a_budget_in_dollars_needs_a_price() -> None:
    with serving() as server:
        config = Config(
            memory=":memory:",
            mind="openai:of-mine",
            mind_url=server.url,
            budget=BudgetRules(usd_per_day=1.0),
        )
        with Memory.open(config, embedder=HashEmbedder()) as memory:
            lines = {one.part: one for one in memory.doctor(offline=True).findings}

    assert lines["prices"].level is Level.WARN
    assert "usd_per_day" in lines["prices"].told
