"""kill -9 at random moments, again and again: what was acknowledged is there, and nothing is half."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from effort import times

from remanent import Memory, SteppedClock, SystemClock
from remanent.core.model.belief import Belief
from remanent.core.model.event import REMEMBERED, SOURCE_ADDED
from remanent.core.model.job import JobState
from remanent.core.model.source import ProcessingStatus, Source
from remanent.testing import ScriptedMind

KILLS = times(15, 200)
MOST_ACKNOWLEDGED = 3
LONGEST_S = 0.08  # from the last acknowledgement to the kill: about one verb


@pytest.fixture
def zygote() -> Iterator[subprocess.Popen[str]]:
    script = Path(__file__).with_name("zygote.py")
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def one_life(
    zygote: subprocess.Popen[str], path: Path, seed: int, dice: random.Random
) -> list[str]:
    """Let a writer get somewhere, kill it, and give back what it had acknowledged."""
    assert zygote.stdin is not None
    assert zygote.stdout is not None
    zygote.stdin.write(f"{path} {seed}\n")
    zygote.stdin.flush()
    pid = int(zygote.stdout.readline().split()[1])
    acknowledged = [
        zygote.stdout.readline().strip() for _ in range(dice.randrange(MOST_ACKNOWLEDGED + 1))
    ]
    time.sleep(dice.random() * LONGEST_S)
    os.kill(pid, signal.SIGKILL)
    while (line := zygote.stdout.readline()) != "gone\n":
        assert line, "the zygote died"
        acknowledged.append(line.strip())
    return acknowledged


@pytest.mark.slow
@pytest.mark.torture
def test_nothing_acknowledged_is_lost(tmp_path: Path, zygote: subprocess.Popen[str]) -> None:
    path = tmp_path / "memory.db"
    dice = random.Random(9)

    acknowledged = [line for seed in range(KILLS) for line in one_life(zygote, path, seed, dice)]

    added = {key: mark for word, key, mark in _split(acknowledged, "added", 3)}
    remembered = {mark for word, mark in _split(acknowledged, "remembered", 2)}
    assert added
    assert remembered
    later = SteppedClock(
        SystemClock().now() + timedelta(hours=1)
    )  # the leases of the killed are over
    with Memory.open(path, clock=later, mind=ScriptedMind()) as memory:
        _check_every_acknowledgement(memory, added, remembered)
        _check_nothing_is_half_written(memory)


def _split(lines: list[str], word: str, parts: int) -> list[list[str]]:
    return [line.split() for line in lines if line.startswith(word) and len(line.split()) == parts]


def _check_every_acknowledgement(
    memory: Memory, added: dict[str, str], remembered: set[str]
) -> None:
    ada = memory.user("ada", create=False)
    env = memory.env
    scope = env.registry.scope_of("ada")
    for key, mark in added.items():
        raw = env.ledger.raw(scope, key)
        assert raw is not None
        assert mark in raw.content
        assert isinstance(env.graph.get(scope, key), Source)
    for mark in remembered:
        assert env.ledger.event(scope, mark) is not None
    settled = {one.event_id for belief in _all_beliefs(memory) for one in belief.supports}
    assert remembered <= settled
    assert ada.profile.name == "Ada Lindqvist"


def _check_nothing_is_half_written(memory: Memory) -> None:
    """Whatever the kills left undone is done now, once, from what the ledger holds."""
    ada = memory.user("ada")
    env = memory.env
    scope = env.registry.scope_of("ada")
    ada.work()
    assert ada.jobs([JobState.PARKED]) == []
    events = list(env.ledger.replay(scope, limit=1_000_000))
    assert len({event.event_id for event in events}) == len(events)
    settled = {one.event_id for belief in _all_beliefs(memory) for one in belief.supports}
    for event in events:
        if event.event_type == SOURCE_ADDED:
            source = env.graph.get(scope, str(event.payload["source_key"]))
            assert isinstance(source, Source)
            assert source.processing_status is ProcessingStatus.EXTRACTED
            assert env.graph.passages(scope, source.key)
        elif event.event_type == REMEMBERED:
            assert event.event_id in settled


def _all_beliefs(memory: Memory) -> list:  # type: ignore[type-arg]
    from remanent.core.read import every

    env = memory.env
    return every(env.graph, env.registry.scope_of("ada"), Belief)
