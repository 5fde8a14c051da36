"""Whatever a killed process leaves between two servers is mended: in the end all is as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dying
import effort
import forks
import pytest
import rebuilt as lives
import set_ups
from test_combined_life import graphs

from remanent import Memory
from remanent.core.model.job import JobState
from remanent.core.records.export import RecordKind

pytestmark = [pytest.mark.server, pytest.mark.slow]

# In which of its blocks one dies, the next in a later one.
BLOCKS = (1, 3, 7, 15, 31, 63, 127) if effort.IS_TORTURE else (2, 6, 24, 127)
TORTURE = [(one,) for one in dying.STEPS] if effort.IS_TORTURE else []


@pytest.fixture(autouse=True)
def _random_bytes() -> Iterator[None]:
    real = os.urandom
    yield
    os.urandom = real


def everything(memory: Memory) -> list[dict[str, Any]]:
    """What Ada has. Which places events have in the ledger is left out: who dies may have taken one."""
    records = json.loads(json.dumps(lives.exported(memory, "ada"), default=str))
    for one in records:
        one["value"].pop("seq", None)
    return sorted(records, key=json.dumps)


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The same life in a file, in which nobody is killed: what there is behind each thing."""
    real, place = os.urandom, tmp_path_factory.mktemp("unharmed") / "memory.db"
    told = {}
    for thing, do in dying.THINGS.items():
        with dying.opened(str(place), thing) as memory:
            do(memory)
            told[thing] = everything(memory)
    os.urandom = real
    return told


@pytest.mark.parametrize("steps", [dying.STEPS, *TORTURE], ids="-".join)
@pytest.mark.parametrize("set_up", set_ups.BESIDE)
def test_a_life_of_killed_processes(
    set_up: str, steps: tuple[str, ...], unharmed: dict[str, list[dict[str, Any]]]
) -> None:
    places = set_ups.Places()
    script = str(Path(dying.__file__))
    deaths = 0
    with places.given(set_up) as place:
        for thing in dying.THINGS:
            for turn, number in enumerate(BLOCKS):
                step = steps[turn % len(steps)]
                ended, _ = forks.run(script, place, thing, step, number)
                assert ended in (0, -signal.SIGKILL)
                deaths += ended != 0
                if ended == 0:
                    break
            assert ended == 0, f"{thing} did not get through in its last turn"
            if thing in ("work at last", "erase"):
                with dying.opened(place, thing) as memory:
                    assert everything(memory) == unharmed[thing]
                    counts = memory.env.queue.counts()
                    assert {state for state, count in counts.items() if count} == {JobState.DONE}
    places.drop()
    assert deaths > len(dying.THINGS) / 2


def test_a_worker_that_was_there_before_goes_on(tmp_path: Path) -> None:
    """What a killed one had promised is derived before the job that it promised with it is begun."""
    first = ("register", "add")
    for thing in (*first, "work"):
        with dying.opened(str(tmp_path / "memory.db"), thing) as embedded:
            dying.THINGS[thing](embedded)
            told = graphs(embedded)
    places = set_ups.Places()
    with places.given("postgres+redis") as place:
        for thing in first:
            with dying.opened(place, thing) as memory:
                dying.THINGS[thing](memory)
        with dying.opened(place, "work") as memory:
            assert forks.run(Path(dying.__file__), place, "work", "promise", 2)[0] != 0
            memory.work()
            assert graphs(memory) == told
    places.drop()


def test_what_a_killed_one_promised_is_in_an_export() -> None:
    """And in another house: nobody would apply it there."""
    places = set_ups.Places()
    with places.given("postgres+redis") as place, dying.opened(place, "register") as memory:
        dying.THINGS["register"](memory)
        assert forks.run(Path(dying.__file__), place, "add", "promise", 2)[0] == -signal.SIGKILL
        found = [one.sort for one in memory.env.stores.export.dump(None)]
        assert found.count(RecordKind.NODE) > 1  # Ada, and what she added
    places.drop()


def test_what_only_the_ledger_knows_is_there_before_it_is_asked_for() -> None:
    places = set_ups.Places()
    with places.given("postgres+redis") as place:
        ended, _ = forks.run(str(Path(dying.__file__)), place, "register", "promise", 1)
        assert ended == -signal.SIGKILL
        with dying.opened(place, "register") as memory:
            assert [one.user_id for one in memory.users()] == ["ada"]
            assert memory.env.stores.ledger.last_seq(lives.ada_of(memory).scope) == 1
    places.drop()


# Each where it could be torn by one server more; `make torture` tries all.
ENDS = {
    "postgres+redis": dying.STEPS,
    "postgres+neo4j": ("derive",),
    "postgres+neo4j+redis": ("settle",),
}
TORN = [
    (set_up, step)
    for set_up, short in ENDS.items()
    for step in (dying.STEPS if effort.IS_TORTURE else short)
]


@pytest.mark.torture
@pytest.mark.parametrize(("set_up", "step"), TORN, ids="-".join)
def test_what_appends_nothing_is_done_whole_or_can_be_done_again(set_up: str, step: str) -> None:
    """Who was killed asks again, where anything is left to be asked for; then nothing is left anywhere."""
    places = set_ups.Places()
    script = str(Path(dying.__file__))
    with places.given(set_up) as place:
        for thing in ("register", "add", "work", "record", "work again"):
            with dying.opened(place, thing) as memory:
                dying.THINGS[thing](memory)
        for thing, do in dying.ERASURES.items():
            ended, _ = forks.run(script, place, thing, step, 1)
            assert ended == -signal.SIGKILL
            with dying.opened(place, thing) as memory:
                do(memory)
                if thing == "erase an event":
                    assert memory.env.ledger.event(lives.ada_of(memory).scope, "e1") is None
                    assert not any("Oslo it is" in json.dumps(one) for one in everything(memory))
                else:
                    assert memory.users() == []
                    assert _left_of_ada(memory) == {}
    places.drop()


def _left_of_ada(memory: Memory) -> dict[str, int]:
    """In which tables she or her friend still is. That her id is not in the memory's secret nobody can say:
    it may be three of its digits."""
    told, named = Counter[str](), Counter[str]()
    for store in memory.env.stores.erasing:
        told.update(store.traces(["Maria"]))
        named.update(store.traces(["ada"]))
    return {
        table: count for table, count in (named | told).items() if table != "meta" or told[table]
    }
