"""kill -9 in the middle of projecting and enriching: what is done afterwards ends where it would have."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import forks
import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.config import Config
from remanent.core.model.event import Lag
from remanent.events.rules.ranking import EventRules
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import digest

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
EVENTS = 9

# Dies when it is asked for the time, for topics or for vectors the so-manieth time while it works.
SCRIPT = """
import os, signal, sys
from datetime import UTC, datetime
from remanent import Memory, SteppedClock
from remanent.config import Config
from remanent.events.rules.ranking import EventRules
from remanent.testing import HashEmbedder, ScriptedMind

path, what, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

def count(name):
    global left
    if name == what:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

class Clock(SteppedClock):
    def now(self):
        count("now")
        return super().now()

class Mind(ScriptedMind):
    def topics(self, reading):
        count("topics")
        return super().topics(reading)

class Vectors(HashEmbedder):
    def embed(self, texts, *, kind="passage"):
        count("embed")
        return super().embed(texts)

at = datetime(2026, 5, 4, 9, tzinfo=UTC)
config = Config(memory=path, events=EventRules(batch=4, enrich_batch=2))
with Memory.open(config, clock=Clock(at), mind=Mind(), embedder=Vectors()) as memory:
    memory.work()
"""


def opened(path: Path, at: datetime) -> Memory:
    config = Config(memory=str(path), events=EventRules(batch=4, enrich_batch=2))
    return Memory.open(config, clock=SteppedClock(at), mind=ScriptedMind(), embedder=HashEmbedder())


def live(ada: UserMemory) -> None:
    for number in range(EVENTS):
        ada.record(
            "message",
            {"role": "user", "text": f"the deploy of atlas failed {number % 2}"},
            event_id=f"e{number}",
            session_id="s1",
            parent_event_id=f"e{(number * 5) % EVENTS}" if number % 3 == 1 else None,
            occurred_at=NOW - timedelta(minutes=(number * 7) % EVENTS),
        )


def finished(path: Path) -> str:
    """The graph, once all is done by somebody who comes when every lease has run out."""
    with opened(path, NOW + timedelta(hours=1)) as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        memory.work()
        assert ada.lag() == Lag()
        return digest(ada.env.graph.export(ada.scope))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    with opened(path, NOW) as memory:
        live(memory.user("ada", name="Ada Lindqvist"))
    return finished(path)


@pytest.mark.parametrize(
    ("what", "after"), [("now", 3), ("now", 6), ("topics", 1), ("topics", 4), ("embed", 2)]
)
def test_killed_half_way_it_ends_the_same(
    tmp_path: Path, whole: str, what: str, after: int
) -> None:
    path = tmp_path / "memory.db"
    with opened(path, NOW) as memory:
        live(memory.user("ada", name="Ada Lindqvist"))

    code, _ = forks.run("-c", SCRIPT, path, what, after)

    assert code == -signal.SIGKILL
    assert finished(path) == whole
