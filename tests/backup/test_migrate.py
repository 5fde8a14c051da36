"""Moving house: a whole memory goes to another place as it is, whoever is killed on the way."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import exported as files
import pytest
import rebuilt as lives
from on_postgres import Schemas

from remanent import Memory
from remanent.backup.migrate import migrate
from remanent.core.model.scope import Scope
from remanent.core.records.export import MoveProgress, MoveState
from remanent.errors import Conflict, InvalidInput, ReadOnlyMemory

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Something in every table, keys, log and work that is done included."""
    place = tmp_path_factory.mktemp("lived") / "memory.db"
    files.lived(place)
    with files.opened(place) as memory:
        memory.create_key("ada", name="phone")
        memory.env.secret()
        memory.work(limit=2)
    return place


@pytest.fixture
def old(lived: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(lived, tmp_path / "old.db"))


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.server)])
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where it moves to."""
    if request.param == "file":
        yield str(tmp_path / "new.db")
        return
    schemas = Schemas()
    with schemas.given() as url:
        yield url
    schemas.drop()


def whole(memory: Memory) -> list[object]:
    return [(one.sort, one.value) for one in memory.env.stores.export.dump(None, household=True)]


def test_all_of_it_comes_over_as_it_is(old: Path, new: str) -> None:
    steps: list[MoveProgress] = []
    with files.opened(old) as source:
        before, digests = whole(source), files.digests(source)
        report = migrate(source.env, new, progress=steps.append, step=100)

        assert report.records == len(before)
        assert {"key", "deed", "job", "mark"} <= report.counts.keys()
        assert steps[-1].share <= 1.0
        assert [one.done for one in steps] == sorted(one.done for one in steps)
        with files.opened(new) as target:
            assert whole(target) == before
            assert files.digests(target) == digests
            secrets = [one.env.secret() for one in (source, target)]
            assert secrets[0] == secrets[1]
            theirs = target.user("ada").search("Kestrel budget", touch=False)
            ours = source.user("ada").search("Kestrel budget", touch=False)
            assert [(one.key, one.score) for one in theirs] == [
                (one.key, one.score) for one in ours
            ]


def test_the_new_one_goes_on_living(old: Path, new: str) -> None:
    with files.opened(old) as source:
        last = source.env.ledger.last_seq(Scope(user_id="ada"))
        source.migrate(new)
    with files.opened(new) as target:
        ada = lives.ada_of(target)
        ada.add("Maria Berg has moved to Tromso for good.")
        worked = target.work()

        assert worked.done > 0
        assert not ada.jobs(["parked"])[1:]  # but for the one that was parked before
        assert target.env.ledger.last_seq(ada.scope) > last
        assert target.doctor(offline=True, deep=True).is_sound


def test_nobody_writes_to_a_house_that_is_left(old: Path, new: str) -> None:
    with files.opened(old) as source, files.opened(old) as other:
        source.migrate(new)
        for memory in (source, other):
            with pytest.raises(ReadOnlyMemory, match=f"has moved to {re.escape(new)}"):
                lives.ada_of(memory).remember("I keep 99 bees")
            with pytest.raises(ReadOnlyMemory):
                memory.user("eve", name="Eve")
            assert memory.user("ada", create=False).search("Kestrel", touch=True)

        assert source.cancel_migration() is not None
        lives.ada_of(other).remember("I keep 99 bees")
        assert source.cancel_migration() is None


def test_what_comes_while_it_moves_is_refused_and_says_why(old: Path, new: str) -> None:
    told: list[str] = []
    with files.opened(old) as source, files.opened(old) as other:

        def meanwhile(_: MoveProgress) -> None:
            with pytest.raises(ReadOnlyMemory, match="is being moved") as refused:
                lives.ada_of(other).remember(f"I keep {len(told)} bees")
            told.append(str(refused.value))

        migrate(source.env, new, progress=meanwhile, step=200)
        assert told
        with files.opened(new) as target:
            assert whole(target) == whole(source)


def test_run_again_it_is_there_already(old: Path, new: str) -> None:
    with files.opened(old) as source:
        first = source.migrate(new)
        again = source.migrate(new)
    assert again.already
    assert again.digest == first.digest
    assert again.counts == first.counts


def test_it_can_go_back(old: Path, new: str, tmp_path: Path) -> None:
    with files.opened(old) as source:
        there = source.migrate(new)
        before = whole(source)
    with files.opened(new) as target:
        back = target.migrate(tmp_path / "back.db")
    with files.opened(tmp_path / "back.db") as home:
        assert whole(home) == before
        lives.ada_of(home).remember("I am home again")
    assert back.digest == there.digest


def test_another_memory_is_never_touched(old: Path, new: str, tmp_path: Path) -> None:
    with files.opened(new) as stranger:
        stranger.user("eve", name="Eve")
        before = whole(stranger)
    with files.opened(old) as source:
        with pytest.raises(Conflict, match="holds another memory"):
            source.migrate(new)
        lives.ada_of(source).remember("I am still here")  # nothing was closed for it
        for nowhere in (":memory:", source.env.config.memory):
            with pytest.raises(InvalidInput, match=r"is this memory itself|name a file"):
                source.migrate(nowhere)
        source.migrate(tmp_path / "first.db")
        with pytest.raises(Conflict, match="has moved to"):
            source.migrate(tmp_path / "second.db")
    with files.opened(new) as stranger:
        assert whole(stranger) == before
        with pytest.raises(Conflict, match="holds what came from"):
            stranger.migrate(tmp_path / "first.db")


_MOVING = """
import sys
sys.path[:0] = sys.argv[4:]
import exported as files
from remanent.backup.migrate import migrate

steps = 0
def stand(step):
    global steps
    steps += 1
    if steps == int(sys.argv[3]):
        print("here", flush=True)
        sys.stdin.read()

with files.opened(sys.argv[1]) as memory:
    migrate(memory.env, sys.argv[2], progress=stand, step=150)
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 4, 9])
def test_killed_and_started_again_it_ends_the_same(
    step: int, old: Path, new: str, lived: Path
) -> None:
    kill_at(step, old, new)
    with files.opened(new) as half, pytest.raises(ReadOnlyMemory, match="not all here"):
        half.user("eve", name="Eve")
    with files.opened(old) as source, pytest.raises(ReadOnlyMemory, match="is being moved"):
        lives.ada_of(source).remember("I keep 99 bees")

    with files.opened(old) as source:
        report = migrate(source.env, new, step=150)
        assert 0 < report.resumed <= report.records
        with files.opened(new) as target, files.opened(lived) as original:
            assert whole(target) == whole(original)


@pytest.mark.slow
def test_given_up_half_way_it_stays_where_it_was(old: Path, new: str, tmp_path: Path) -> None:
    kill_at(3, old, new)
    with files.opened(old) as source:
        assert source.cancel_migration().state is MoveState.LEAVING
        lives.ada_of(source).remember("I keep 99 bees")
        with pytest.raises(Conflict, match="holds what came from"):
            source.migrate(new)
        source.migrate(tmp_path / "other.db")
    with files.opened(new) as half, pytest.raises(Conflict, match="not all here"):
        half.cancel_migration()


def kill_at(step: int, old: Path, new: str) -> None:
    """Migrate in a process of its own, which is killed where it says it is."""
    folders = [str(HERE), str(HERE.parent)]
    command = [sys.executable, "-c", _MOVING, str(old), new, str(step), *folders]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "here\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
