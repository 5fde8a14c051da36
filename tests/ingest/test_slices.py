"""A long source is read in slices, a job each: whoever else waits has a turn between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.config import Config
from remanent.core.model.event import SOURCE_EXTRACTED, SOURCE_PROCESSED
from remanent.core.model.job import JobKind, JobState
from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.page import Step
from remanent.core.model.source import ProcessingStatus, Source
from remanent.ingest.extract import MOST_WRITES, extract_source
from remanent.ingest.process import process_source
from remanent.ingest.rules.passages import PassageRules, Piece, next_size, slice_of
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

UNFINISHED = (JobState.READY, JobState.RUNNING, JobState.PARKED)
SLICE = 200


def long_text(sections: int) -> str:
    return "\n\n".join(
        f"Tom Lie: did thing {n}\nPerson{n % 7} Berg > home > Town{n % 5}\n"
        f"It is so that Tom Lie bought {n} apples."
        for n in range(sections)
    )


@contextmanager
def opened(
    path: Path, clock: SteppedClock, *, characters: int = SLICE, mind: PlainMind | None = None
) -> Iterator[Memory]:
    rules = PassageRules(max_characters=100, slice_characters=characters)
    config = Config(memory=str(path), passages=rules)
    mind = PlainMind() if mind is None else mind
    with Memory.open(config, clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        yield memory


@pytest.fixture
def sliced(tmp_path: Path, clock: SteppedClock) -> Iterator[Memory]:
    with opened(tmp_path / "sliced.db", clock) as memory:
        yield memory


def graph_of(user: UserMemory) -> str:
    return digest(user.env.graph.export(user.scope), without=CIRCUMSTANCES)


def source_of(user: UserMemory, key: str) -> Source:
    node = user.env.graph.get(user.scope, key)
    assert isinstance(node, Source)
    return node


def events_of(user: UserMemory, kind: str) -> list[dict[str, Any]]:
    ledger = user.env.ledger.replay(user.scope, after=0)
    return [dict(one.payload) for one in ledger if one.event_type == kind]


def test_the_slices_of_a_text_are_all_of_it_and_each_once() -> None:
    text = [Piece(text="x" * (number % 9 + 1), start=0, end=0) for number in range(20)]
    taken, position = list[Piece](), 0
    while position < sum(len(one.text) for one in text):
        part, position = slice_of(text, position, position + 30)
        assert part
        taken += part
    assert taken == text
    assert slice_of(text, 0, 1)[0] == text[:1]


def test_the_next_slice_is_as_long_as_its_time_allows() -> None:
    rules = PassageRules(slice_characters=1000, slice_seconds=5)
    assert next_size(1000, timedelta(), rules) == 1000
    assert next_size(1000, timedelta(seconds=5), rules) == 1000
    assert next_size(1000, timedelta(seconds=50), rules) == 100
    assert next_size(100, timedelta(seconds=1), rules) == 500
    assert next_size(10, timedelta(days=9), rules) == 100


def test_read_in_slices_it_is_what_it_is_read_at_once(
    tmp_path: Path, sliced: Memory, clock: SteppedClock
) -> None:
    text = long_text(20)
    ada = sliced.user("ada", name="Ada")
    key = ada.add(text)
    sliced.work()
    assert source_of(ada, key).processing_status is ProcessingStatus.EXTRACTED
    with opened(tmp_path / "whole.db", clock, characters=1_000_000) as whole:
        other = whole.user("ada", name="Ada")
        other.add(text)
        assert whole.work().done == 3
        assert [one.text for one in ada.read(key).passages] == [
            one.text for one in other.read(key).passages
        ]
        one, two = ada.read(key).extraction, other.read(key).extraction
        assert one is not None
        assert two is not None
        assert {c.name for c in one.candidates} == {c.name for c in two.candidates}
        assert set(one.findings.notes) == set(two.findings.notes)
        assert set(one.findings.relations) == set(two.findings.relations)
        assert one.beliefs == two.beliefs
        assert graph_of(ada) == graph_of(other)
    assert len(events_of(ada, SOURCE_PROCESSED)) > 5
    assert len(events_of(ada, SOURCE_EXTRACTED)) > 5
    assert "to" not in events_of(ada, SOURCE_EXTRACTED)[-1]


def test_more_than_an_agent_may_write_is_no_failure(tmp_path: Path, clock: SteppedClock) -> None:
    with opened(tmp_path / "m.db", clock, characters=1_000_000) as memory:
        ada = memory.user("ada", name="Ada")
        key = ada.add("\n\n".join(f"Tom Lie: did thing {n}" for n in range(MOST_WRITES + 100)))
        assert memory.work().parked == 0
        extraction = ada.read(key).extraction
        assert extraction is not None
        assert extraction.is_done
        assert len(extraction.findings.notes) == MOST_WRITES


def test_what_is_short_enough_is_cut_and_read_and_drawn_at_once_each(sliced: Memory) -> None:
    ada = sliced.user("ada", name="Ada")
    ada.add("Tom Lie: sails")
    assert sliced.work().done == 3
    assert events_of(ada, SOURCE_PROCESSED)[-1].keys() == {"source_key"}
    assert events_of(ada, SOURCE_EXTRACTED)[-1].keys() == {"source_key"}


def test_a_note_of_ten_megabytes_keeps_nobody_else_waiting(
    tmp_path: Path, clock: SteppedClock
) -> None:
    """Not even where there is one worker: bob's fresh note is found at once by its words, and read after
    one slice of ada's at most."""
    with opened(tmp_path / "m.db", clock, characters=50_000) as memory:
        ada, bob = memory.user("ada", name="Ada"), memory.user("bob", name="Bob")
        ada.add("word " * 1_990_000 + "walrus")
        assert ada.search("walrus")
        memory.work(limit=2)  # ada's alone, and under way
        for number in range(3):
            clock.advance(timedelta(seconds=1))
            ada.add(f"another of ada's, {number}")
            fresh = bob.add(f"Kim Moe: owns marmot{number}")
            assert bob.search(f"marmot{number}")[0].key == fresh
            steps: list[Step] = []
            memory.work(limit=6, progress=steps.append)
            assert sum(fresh in one.key for one in steps) == 3  # found, read and extracted
            assert bob.search(f"marmot{number}")[0].source_key == fresh
        assert ada.status().reading
        assert ada.search("walrus")


def test_newer_notes_of_ones_own_come_before_the_next_slice(
    sliced: Memory, clock: SteppedClock
) -> None:
    ada = sliced.user("ada", name="Ada")
    ada.add(long_text(20))
    sliced.work(limit=1)
    clock.advance(timedelta(seconds=1))
    fresh = ada.add("Kim Moe: sails")
    steps: list[Step] = []
    sliced.work(limit=3, progress=steps.append)
    assert all(fresh in one.key for one in steps)


def test_it_is_said_how_much_has_been_read(sliced: Memory) -> None:
    ada = sliced.user("ada", name="Ada")
    key = ada.add(long_text(20))
    assert ada.status().reading == ()
    sliced.work(limit=1)
    source = source_of(ada, key)
    assert source.processing_status is ProcessingStatus.RAW
    assert source.read_to is not None
    assert source.characters is not None
    assert SLICE <= source.read_to < source.characters
    (job,) = ada.jobs(UNFINISHED)
    assert job.reading is not None
    assert (job.reading.read_to, job.reading.characters) == (source.read_to, source.characters)
    (reading,) = ada.status().reading
    assert (reading.source_key, reading.kind) == (key, JobKind.PROCESS)
    assert reading == job.reading
    assert ada.search("apples")  # what was processed by its passages, the rest by its words

    while source_of(ada, key).processing_status is ProcessingStatus.RAW:
        sliced.work(limit=1)
    sliced.work(limit=1)
    (reading,) = ada.status().reading
    extraction = ada.read(key).extraction
    assert extraction is not None
    assert not extraction.is_done
    assert reading.kind is JobKind.EXTRACT
    assert reading.read_to == extraction.read_to

    sliced.work()
    assert ada.status().reading == ()
    extraction = ada.read(key).extraction
    assert extraction is not None
    assert (extraction.read_to, extraction.found_to) == (None, None)
    assert (source_of(ada, key).read_to, source_of(ada, key).characters) == (None, None)


def test_every_slice_twice_changes_nothing(
    tmp_path: Path, sliced: Memory, clock: SteppedClock
) -> None:
    text = long_text(20)
    ada = sliced.user("ada", name="Ada")
    key = ada.add(text)
    while jobs := ada.jobs([JobState.READY]):
        (job,) = jobs
        sliced.work(limit=1)
        before, events = graph_of(ada), ada.status().events
        start = int(job.payload.get("from", 0))
        step = process_source if job.kind is JobKind.PROCESS else extract_source
        step(sliced.env, ada.scope, key, part=(start, 0))
        assert (graph_of(ada), ada.status().events) == (before, events)
        assert len(ada.jobs([JobState.READY])) <= 1
    with opened(tmp_path / "quiet.db", clock) as quiet:
        other = quiet.user("ada", name="Ada")
        other.add(text)
        quiet.work()
        assert graph_of(other) == graph_of(ada)


class Slow(PlainMind):
    """Takes a second for every hundred characters."""

    clock: SteppedClock

    def extract(self, reading: Reading) -> list[Candidate]:
        self.clock.advance(timedelta(seconds=sum(len(one.text) for one in reading.passages) / 100))
        return super().extract(reading)


def test_a_slow_mind_is_given_shorter_slices(tmp_path: Path, clock: SteppedClock) -> None:
    mind = Slow()
    mind.clock = clock
    with opened(tmp_path / "m.db", clock, characters=1000, mind=mind) as memory:
        ada = memory.user("ada", name="Ada")
        ada.add(long_text(40))
        memory.work()
        ends = [one["to"] for one in events_of(ada, SOURCE_EXTRACTED)[:-1]]
        sizes = [two - one for one, two in zip([0, *ends], ends, strict=False)]
        assert sizes[0] >= 1000
        assert max(sizes[1:]) <= 600


@pytest.mark.parametrize("steps", [2, 6, 10])
def test_a_graph_is_rebuilt_in_the_middle_of_it(sliced: Memory, steps: int) -> None:
    ada = sliced.user("ada", name="Ada")
    key = ada.add(long_text(20))
    sliced.work(limit=steps)
    assert ada.status().reading
    rebuilt = sliced.rebuild()
    assert rebuilt.comparison.is_same
    rebuilt.switch()
    sliced.work()
    assert source_of(ada, key).processing_status is ProcessingStatus.EXTRACTED
    assert ada.read(key).passages[-1].text.endswith("bought 19 apples.")
    assert sliced.rebuild().comparison.is_same


def test_a_slice_that_was_cancelled_leaves_what_was_read(sliced: Memory) -> None:
    ada = sliced.user("ada", name="Ada")
    key = ada.add(long_text(20))
    sliced.work(limit=2)
    read = source_of(ada, key)
    (job,) = ada.jobs(UNFINISHED)
    ada.drop_job(job.key)
    assert sliced.work().done == 0
    assert source_of(ada, key) == read
    assert ada.search("bought 19 apples")[0].source_key == key
    ada.redo(key)  # it goes on where it was
    sliced.work()
    assert source_of(ada, key).processing_status is ProcessingStatus.EXTRACTED


def test_what_is_erased_while_it_is_read_is_gone(sliced: Memory) -> None:
    ada = sliced.user("ada", name="Ada")
    key = ada.add(long_text(20))
    sliced.work(limit=10)
    ada.erase(key)
    assert ada.jobs(UNFINISHED) == []
    assert not ada.search("apples")
    assert sliced.work().done == 0
    assert ada.status().reading == ()
