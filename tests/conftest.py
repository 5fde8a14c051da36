"""Fixtures shared by all suites: a clock that stands still, and memories on it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from remanent.clock import SteppedClock
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind

# A busy machine is no failure: hypothesis must not time its examples.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have a memory of their own; it is not ours to touch."""
    for name in ("REMANENT_MEMORY", "REMANENT_CONFIG", "REMANENT_USER", "REMANENT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(datetime(2026, 5, 4, 9, tzinfo=UTC))


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind()


@pytest.fixture
def memory(tmp_path: Path, clock: SteppedClock, mind: ScriptedMind) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "memory.db", clock=clock, mind=mind, embedder=HashEmbedder()
    ) as opened:
        yield opened


@pytest.fixture
def ada(memory: Memory) -> UserMemory:
    return memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
