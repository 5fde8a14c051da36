"""A small town behind an API: Ada owns a band, Bob tends it, Cleo plays in it, Dan is a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from api_world import World, people

from remanent.clock import SteppedClock
from remanent.memory import Memory
from remanent.testing import HashEmbedder, ScriptedMind


@pytest.fixture
def world(tmp_path: Path, clock: SteppedClock, mind: ScriptedMind) -> Iterator[World]:
    with Memory.open(
        tmp_path / "memory.db", clock=clock, mind=mind, embedder=HashEmbedder()
    ) as opened:
        yield people(opened, clock)


@pytest.fixture(scope="module")
def still() -> Iterator[World]:
    """One world for many tests of which none may change it."""
    clock = SteppedClock(datetime(2026, 5, 4, 9, tzinfo=UTC))
    with Memory.open(
        ":memory:", clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()
    ) as opened:
        yield people(opened, clock)
