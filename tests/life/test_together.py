"""Two processes and eight threads each, writing at once: no error, no lost write, no duplicate."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from remanent import Memory
from remanent.core.model.job import JobState
from remanent.core.model.node import Kind
from remanent.testing import HashEmbedder, ScriptedMind

THREADS = 8
ROUNDS = 12
SAME = "Tom likes green tea."


def write(path: str, name: str) -> dict[str, list[str]]:
    """What one process does: its own sources and statements, ones that all share, and work."""
    with Memory.open(path, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada")

        def one(thread: int) -> list[str]:
            keys = []
            for number in range(ROUNDS):
                keys.append(ada.add(f"Note {name} {thread} {number}: the kettle is on."))
                ada.add(f"Shared note {number}.")
                ada.remember(SAME, event_id=f"{name}-{thread}-{number}")
                ada.work(limit=3)
            return keys

        with ThreadPoolExecutor(THREADS) as pool:
            lists = list(pool.map(one, range(THREADS)))
    return {"keys": [key for keys in lists for key in keys]}


def test_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, path, name],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("left", "right")
    ]
    outcomes = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outcomes

    keys = [key for out, _ in outcomes for key in json.loads(out)["keys"]]
    assert len(set(keys)) == len(keys) == 2 * THREADS * ROUNDS
    with Memory.open(path, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        ada.work()
        assert ada.jobs([JobState.READY, JobState.RUNNING, JobState.PARKED]) == []
        assert ada.status().counts["source"] == len(keys) + ROUNDS
        (belief,) = ada.beliefs()
        assert belief.statement == SAME
        assert len({one.event_id for one in belief.supports}) == 2 * THREADS * ROUNDS
        env = memory.env
        scope = env.registry.scope_of("ada")
        found = env.index.match(scope, "kettle", kinds=[Kind.PASSAGE], limit=10_000)
        assert sorted(match.owner_key for match in found) == sorted(keys)
        vector = HashEmbedder().embed(["kettle"])[0]
        near = env.index.near(scope, vector, kinds=[Kind.PASSAGE], limit=10_000)
        assert len(near) == len(keys) + ROUNDS


if __name__ == "__main__":
    json.dump(write(*sys.argv[1:]), sys.stdout)
