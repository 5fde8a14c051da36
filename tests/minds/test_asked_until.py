"""A worker that is told to stop asks a model nothing more, and hangs up when the memory is closed."""

from __future__ import annotations

from pathlib import Path

from scripted_model import Script, an_unbound_mind

from remanent import Memory
from remanent.core.model.job import JobState
from remanent.testing import HashEmbedder


def test_a_worker_told_to_stop_asks_nothing_more(tmp_path: Path) -> None:
    script = Script()
    mind = an_unbound_mind(script)
    with Memory.open(tmp_path / "m.db", mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada Quist", timezone="UTC")
        ada.add("Tom sings. Tom swims. Tom reads.", type="text-note")
        memory.work(limit=1)  # it is found: nobody is asked for that
        told: list[str] = []

        def stop() -> bool:
            told.append("asked")
            return len(told) > 1  # the first time is before any job is taken

        worked = memory.work(stop=stop)
        assert (worked.done, script.asked) == (0, [])
        (job,) = ada.jobs([JobState.READY])
        assert (job.key[:8], job.error is not None) == ("process:", True)
