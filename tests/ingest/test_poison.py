"""A source that nobody can read (a dead letter): set aside with its error, in nobody's way, and tried again by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.job import Job, JobState
from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.core.model.source import ProcessingStatus, Source
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.rules import passages
from remanent.ingest.rules.passages import Piece
from remanent.testing import ScriptedMind


class Squeamish(ScriptedMind):
    """Falls over poison until it has the antidote."""

    antidote = False

    def summarize(self, reading: Reading) -> str:
        if not self.antidote and any("poison" in one.text for one in reading.passages):
            raise RuntimeError("choked on it")
        return super().summarize(reading)


@pytest.fixture
def mind() -> Squeamish:
    return Squeamish()


def parked(ada: UserMemory, clock: SteppedClock) -> list[Job]:
    """What is given up once every attempt was made."""
    for _ in range(10):
        ada.work()
        clock.advance(timedelta(hours=1))
    return ada.jobs([JobState.PARKED])


def status(ada: UserMemory, key: str) -> ProcessingStatus:
    node = ada.read(key).node
    assert isinstance(node, Source)
    return node.processing_status


def test_poison_for_the_mind_is_parked_and_holds_up_nobody(
    ada: UserMemory, clock: SteppedClock, mind: Squeamish
) -> None:
    poison = ada.add("poison")
    others = [ada.add(f"Note {number}.") for number in range(5)]

    first = ada.work()

    assert (first.done, first.retried, first.parked) == (16, 1, 0)  # all others, in the first round
    assert {status(ada, key) for key in others} == {ProcessingStatus.EXTRACTED}
    (job,) = parked(ada, clock)
    assert (job.key, job.attempts) == (f"process:{poison}@6", 5)
    assert job.error == "RuntimeError: choked on it"
    assert status(ada, poison) is ProcessingStatus.RAW
    assert ada.search("poison")[0].kind is Kind.PASSAGE  # found all the same

    mind.antidote = True
    assert ada.retry_job(poison[:8]).key == job.key
    assert ada.work().done == 2
    assert status(ada, poison) is ProcessingStatus.EXTRACTED


def test_poison_for_the_parser_is_parked_and_holds_up_nobody(
    ada: UserMemory, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = passages.cut

    def fragile(raw: str, **options: object) -> tuple[Piece, ...]:
        if "unreadable" in raw:
            raise ValueError("an unclosed quote")
        return cut(raw, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(passages, "cut", fragile)
    poison, good = ada.add("unreadable"), ada.add("A note.")
    (job,) = parked(ada, clock)

    assert job.payload == {"source_key": poison}
    assert "an unclosed quote" in (job.error or "")
    assert status(ada, good) is ProcessingStatus.EXTRACTED
    monkeypatch.setattr(passages, "cut", cut)
    ada.retry_job(job.key)
    assert ada.work().done == 3


def test_a_job_that_fails_again_has_all_its_attempts_again(
    ada: UserMemory, clock: SteppedClock
) -> None:
    poison = ada.add("poison")
    parked(ada, clock)
    ada.retry_job(f"process:{poison[:6]}")

    assert ada.work().retried == 1
    assert parked(ada, clock)[0].attempts == 5


def test_a_dropped_job_is_never_done(ada: UserMemory, clock: SteppedClock) -> None:
    poison = ada.add("poison")
    parked(ada, clock)

    assert ada.drop_job(poison).state is JobState.PARKED
    assert [one.state for one in ada.jobs()] == [JobState.DONE]  # it was made findable
    assert ada.work().done == 0
    assert ada.read(poison).raw == "poison"


def test_a_job_that_waits_can_be_dropped_but_not_retried(ada: UserMemory) -> None:
    key = ada.add("A note.")

    with pytest.raises(UnknownKey):
        ada.retry_job(key)
    assert ada.drop_job(key).state is JobState.READY
    with pytest.raises(UnknownKey):
        ada.drop_job(key)


def test_names_must_be_clear(ada: UserMemory) -> None:
    for number in range(3):
        ada.add(f"Note {number}.")

    with pytest.raises(InvalidInput, match="3 jobs"):
        ada.drop_job("process:")
    with pytest.raises(UnknownKey):
        ada.drop_job("")


def test_jobs_of_others_are_out_of_reach(
    memory: Memory, ada: UserMemory, clock: SteppedClock
) -> None:
    poison = ada.add("poison")
    parked(ada, clock)
    bob = memory.user("bob")

    for tend in (bob.retry_job, bob.drop_job):
        with pytest.raises(UnknownKey):
            tend(f"process:{poison}")


def test_work_can_be_told_to_stop_between_jobs(memory: Memory, ada: UserMemory) -> None:
    for number in range(4):
        ada.add(f"Note {number}.")
    seen: list[str] = []

    worked = memory.work(progress=lambda step: seen.append(step.key), stop=lambda: len(seen) == 3)

    assert worked.done == 3
    assert ada.work(stop=lambda: True).done == 0
    assert ada.jobs([JobState.RUNNING]) == []
    assert ada.work().done == 9
