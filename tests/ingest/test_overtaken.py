"""Whose lease runs out while a mind reads is overtaken by another: the source is read once all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES, LIVED
from remanent.core.model.event import SOURCE_EXTRACTED, SOURCE_PROCESSED
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import BeliefDraft, Reading, Topics
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.testing import HashEmbedder
from remanent_conformance.builders import MOMENT, digest

TEXT = "Maria Berg: Likes chess.\nMaria Berg > home > Oslo\nIt is so that Maria has 2 dogs."


class Slow(PlainMind):
    """While it reads for the first time, something else happens."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def _wait(self) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()

    def topics(self, reading: Reading) -> Topics:
        self._wait()
        return super().topics(reading)

    def beliefs(self, reading: Reading) -> list[BeliefDraft]:
        self._wait()
        return super().beliefs(reading)


def opened(path: Path, mind: PlainMind) -> Memory:
    return Memory.open(path, clock=SteppedClock(MOMENT), mind=mind, embedder=HashEmbedder())


def told(memory: Memory, ada: UserMemory, kind: str) -> int:
    return sum(one.event_type == kind for one in memory.env.ledger.replay(ada.scope))


@pytest.mark.parametrize("step", [process_source, extract_source])
def test_what_another_has_done_meanwhile_is_not_done_again(
    tmp_path: Path, step: Callable[..., None]
) -> None:
    digests = []
    for is_overtaken in (False, True):
        mind = Slow()
        with opened(tmp_path / f"{is_overtaken}.db", mind) as memory:
            ada = memory.user("ada", name="Ada")
            key = ada.add(TEXT, started_at=MOMENT)
            for _ in range(1 if step is process_source else 2):
                process_source(memory.env, ada.scope, key)
            if is_overtaken:
                mind.meanwhile = memory.work
            step(memory.env, ada.scope, key)
            memory.work()
            assert told(memory, ada, SOURCE_PROCESSED) == 2  # found, and read
            assert told(memory, ada, SOURCE_EXTRACTED) == 1
            assert ada.jobs([JobState.READY, JobState.RUNNING, JobState.PARKED]) == []
            graph = memory.env.graph.export(ada.scope)
            digests.append(digest(graph, without=CIRCUMSTANCES | LIVED))
    assert digests[0] == digests[1]
