"""kill -9 in the middle of going over events, between two transactions and inside one; then run."""

from __future__ import annotations

import signal
from pathlib import Path

import forks
import pytest
from effort import times

SCRIPT = '''
import os, signal, sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from remanent import Memory, SteppedClock
from remanent.core.model.sleep import SleepJob
from remanent.testing import HashEmbedder, ScriptedMind
from remanent.backup.rules import CIRCUMSTANCES
from remanent_conformance.builders import digest

NINE = datetime(2026, 5, 4, 9, tzinfo=UTC)
path, kills = sys.argv[1], int(sys.argv[2])


class Fuse:
    """Passes every call on; at the n-th of one of them the process is gone."""

    def __init__(self, real, name, left):
        self.real, self.name, self.left = real, name, left

    def on(self, errand):
        return self

    def __getattr__(self, name):
        if name == self.name:
            self.left -= 1
            if self.left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return getattr(self.real, name)


memory = Memory.open(path, clock=SteppedClock(NINE), mind=ScriptedMind(), embedder=HashEmbedder())
ada = memory.user("ada", name="Ada")
for n in range(12):
    ada.record({"event_id": f"e{n}", "event_type": "message", "payload": {"text": f"Event {n}."},
                "session_id": f"s{n % 4}", "parent_event_id": "e0" if n else None,
                "importance_hint": 1 + n % 4})
ada.work()
env, scope, at = ada.env, ada.scope, NINE + timedelta(days=9)
if kills >= 0:
    place, call = (("mind", "summarize"), ("index", "put"), ("graph", "link"))[kills % 3]
    if place == "mind":
        env = replace(env, mind=Fuse(env.mind, call, kills // 3))
    else:
        fused = {place: Fuse(getattr(env, place), call, kills // 3)}
        env = replace(env, stores=replace(env.stores, **fused))
env.do_night_job(SleepJob.RECONSOLIDATE, scope, at)
assert ada.env.do_night_job(SleepJob.RECONSOLIDATE, scope, at).is_idle
print(digest(ada.env.graph.export(scope), without=CIRCUMSTANCES))
'''


def run(path: Path, kills: int) -> tuple[int | None, str]:
    return forks.run("-c", SCRIPT, path, kills)


@pytest.mark.slow
@pytest.mark.torture
def test_killed_anywhere_it_ends_where_it_would_have(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole.db", -1)
    assert whole[0] == 0

    for kills in (0, 1, 2, 4, 5, 9, 11)[:: times(3, 1)]:
        path = tmp_path / f"{kills}.db"
        assert run(path, kills)[0] == -signal.SIGKILL
        assert run(path, -1) == whole
