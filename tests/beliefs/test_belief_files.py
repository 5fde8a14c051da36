"""Beliefs go out to a file and come in again, whole or not at all."""

from __future__ import annotations

import gzip
import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from kept import HOME, OTHER_HOME, events, found, held, line_of, state

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.event import BELIEF_IMPORTED
from remanent.core.model.mind_types import Judgement
from remanent.errors import Forbidden, InvalidInput
from remanent.testing import HashEmbedder, ScriptedMind

DAY = timedelta(days=1)


@pytest.fixture
def lived(ada: UserMemory, mind: ScriptedMind, clock: SteppedClock) -> UserMemory:
    """Beliefs of every status."""
    ada.remember("Nobody remembers this")
    clock.advance(120 * DAY)
    ada.prune()
    mind.judgements = lambda new, old: (
        Judgement.CONTRADICTS if {new, old} == {HOME, OTHER_HOME} else Judgement.DIFFERENT
    )
    ada.remember(HOME)
    clock.advance(DAY)
    ada.remember(OTHER_HOME)
    secret = ada.remember("This is a secret")
    ada.forget(secret.belief.key)
    ada.remember("Tom lives in a big old house")
    return ada


def lines(ada: UserMemory) -> list[str]:
    stream = io.StringIO()
    ada.export_beliefs(stream)
    return stream.getvalue().splitlines(keepends=True)


def opened(tmp_path: Path, clock: SteppedClock, name: str) -> Memory:
    return Memory.open(tmp_path / name, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder())


def test_beliefs_of_every_status_move_to_another_memory(
    lived: UserMemory, tmp_path: Path, clock: SteppedClock
) -> None:
    path = tmp_path / "beliefs.jsonl"
    exported = lived.export_beliefs(path)
    before = {one["key"]: one for one in map(json.loads, path.read_text("utf-8").splitlines())}
    assert (exported.beliefs, exported.active) == (5, 2)
    assert {one["status"] for one in before.values()} == {one.value for one in BeliefStatus}

    with opened(tmp_path, clock, "other.db") as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        done = ada.import_beliefs(path)
        after = {one["key"]: one for one in map(json.loads, lines(ada))}

        assert (done.added, done.active, done.known) == (5, 2, 0)
        assert after.keys() == before.keys()
        for key, record in after.items():
            assert record["changes"].pop()["kind"] == "imported"
            assert record == before[key]
        assert found(ada, "big old city Bergen house") == held(lived)
        noon = clock.now() - timedelta(hours=12)
        assert HOME in {one.statement for one in ada.beliefs(noon)}
        assert [one.key for one in ada.beliefs(noon)] == [one.key for one in lived.beliefs(noon)]
        assert len(events(ada, BELIEF_IMPORTED)) == 5


def test_importing_again_changes_nothing(
    lived: UserMemory, tmp_path: Path, clock: SteppedClock
) -> None:
    said = lines(lived)
    before = state(lived)

    assert lived.import_beliefs(io.StringIO("".join(said))).known == 5
    assert state(lived) == before
    with opened(tmp_path, clock, "other.db") as memory:
        ada = memory.user("ada")
        ada.import_beliefs(io.StringIO("".join(said)))
        after = state(ada)
        again = ada.import_beliefs(io.StringIO("".join(said)))
        assert (again.added, again.known) == (0, 5)
        assert state(ada) == after


def test_another_user_gets_keys_of_their_own(memory: Memory, lived: UserMemory) -> None:
    bob = memory.user("bob")
    said = "".join(lines(lived))
    before = state(lived)

    assert bob.import_beliefs(io.StringIO(said)).added == 5
    assert bob.import_beliefs(io.StringIO(said)).known == 5

    mine, theirs = ({one["key"]: one for one in map(json.loads, lines(w))} for w in (lived, bob))
    assert not mine.keys() & theirs.keys()
    gone = next(one for one in theirs.values() if one["statement"] == HOME)
    assert theirs[gone["superseded_by"]]["statement"] == OTHER_HOME
    assert held(bob) == held(lived)
    assert state(lived) == before


def test_a_dry_import_counts_and_writes_nothing(
    lived: UserMemory, tmp_path: Path, clock: SteppedClock
) -> None:
    with opened(tmp_path, clock, "other.db") as memory:
        ada = memory.user("ada")
        before = state(ada)

        done = ada.import_beliefs(io.StringIO("".join(lines(lived))), dry_run=True)

        assert (done.added, done.active, done.dry_run) == (5, 2, True)
        assert state(ada) == before


def test_one_bad_line_and_nothing_comes_in(ada: UserMemory) -> None:
    good, bad = line_of(ada, statement="one"), line_of(ada, statement="two", confidence=7)
    before = state(ada)

    with pytest.raises(InvalidInput, match=r"line 2: confidence: 7 is not a number from 0 to 1"):
        ada.import_beliefs(io.StringIO(good + bad))
    assert state(ada) == before


def test_a_key_that_is_somebody_elses_or_something_else_is_refused(
    memory: Memory, ada: UserMemory
) -> None:
    bob = memory.user("bob")
    theirs = bob.remember("Bob has a secret").belief
    note = ada.add("A note.")
    good = line_of(ada, statement="one")
    before = state(ada)

    with pytest.raises(Forbidden):
        ada.import_beliefs(io.StringIO(good + line_of(ada, statement="two", key=theirs.key)))
    with pytest.raises(InvalidInput, match=r"line 2: key: .* is a source in this memory"):
        ada.import_beliefs(io.StringIO(good + line_of(ada, statement="two", key=note)))
    assert state(ada) == before
    assert held(bob) == {"Bob has a secret"}


def test_a_file_that_ends_in_gz_is_compressed_and_read_again(
    lived: UserMemory, tmp_path: Path, clock: SteppedClock
) -> None:
    path = tmp_path / "beliefs.jsonl.gz"
    lived.export_beliefs(path)

    assert gzip.decompress(path.read_bytes()).decode() == "".join(lines(lived))
    with opened(tmp_path, clock, "other.db") as memory:
        assert memory.user("ada").import_beliefs(path).added == 5


def test_files_that_cannot_be_read_or_written_are_named(ada: UserMemory, tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("café".encode("latin-1"))

    (tmp_path / "plain.gz").write_text("not compressed")
    for bad in ("none.jsonl", ".", "latin", "plain.gz"):
        with pytest.raises(InvalidInput) as caught:
            ada.import_beliefs(tmp_path / bad)
        assert caught.value.field == "path"
    with pytest.raises(InvalidInput, match=r"path: .*cannot be written"):
        ada.export_beliefs(tmp_path / "no" / "such" / "folder.jsonl")
    assert sorted(one.name for one in tmp_path.glob("*.part")) == []
