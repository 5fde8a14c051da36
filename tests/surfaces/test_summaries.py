"""`remanent summaries`, and `show` of what remains of events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import remanent

from remanent import Memory, SteppedClock
from remanent.core.model.sleep import SleepJob
from remanent.testing import ScriptedMind

NINE = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory in which two events were told and have left the graph."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("REMANENT_MEMORY", str(path))
    monkeypatch.setenv("REMANENT_USER", "ada")
    with Memory.open(path, clock=SteppedClock(NINE), mind=ScriptedMind()) as memory:
        ada = memory.user("ada", name="Ada")
        for n, text in enumerate(("The heron landed.", "It flew away.")):
            event = {"event_type": "message", "payload": {"text": text}, "session_id": "s1"}
            ada.record({**event, "event_id": f"heron-{n}", "agent_id": "watcher"})
        ada.work()
        ada.env.do_night_job(SleepJob.RECONSOLIDATE, ada.scope, NINE + timedelta(days=40))
    return path


def test_summaries_are_listed(path: Path) -> None:
    done = remanent("summaries", "--level", "episode", "--session", "s1")

    assert done.code == 0
    assert "The heron landed." in done.out
    assert "2 events" in done.out
    listed = remanent("summaries", "--limit", "9", "--json").json["summaries"]
    assert {one["level"] for one in listed} == {"episode", "session", "agent"}


def test_show_tells_what_a_summary_stands_for(path: Path) -> None:
    (one,) = remanent("summaries", "--level", "episode", "--json").json["summaries"]

    shown = " ".join(remanent("show", one["key"]).out.split())
    gone = remanent("show", "heron-1")

    assert "It flew away." in shown
    assert "2 in the ledger alone" in shown
    assert gone.code == 0
    assert "Told in short by" in gone.out


def test_a_level_that_does_not_exist_is_named(path: Path) -> None:
    done = remanent("summaries", "--level", "week")

    assert done.code != 0
    assert "level" in done.err


def test_nothing_yet_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = str(tmp_path / "memory.db")
    Memory.open(memory).user("ada", name="Ada")

    assert "remanent sleep" in remanent("summaries", "--memory", memory, "--user", "ada").out


def test_status_counts_them_in_words(path: Path) -> None:
    status = " ".join(remanent("status", "--memory", str(path)).out.split())
    assert "3 summaries" in status, status
