"""Neo4j is killed and stopped in the middle of it, beside PostgreSQL and Redis: what was acknowledged is
there, and in the end the graph is that of a memory to which nothing ever happened."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress

import fault_worker
import on_postgres
import on_redis
import pytest
from effort import IS_TORTURE, times
from own_neo4j import OwnNeo4j, own_neo4j
from test_postgres_faults import (
    PAUSE_S,
    adds,
    beginning_s,
    check,
    digests,
    settle,
    small_disk,
    start_worker,
    workers,
)

from remanent import Memory
from remanent.errors import UnreachableMemory

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.torture]

__all__ = ["beginning_s"]

SOURCES = times(9, 500)  # a server that has just come back has all its plans to make anew
KILLS = times(1, 3)


@pytest.fixture(scope="module")
def server() -> Iterator[OwnNeo4j]:
    on_postgres.server_url()
    with own_neo4j() as one:
        yield one


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, beginning_s: float) -> dict[str, str]:
    """The digests of a file that took in the same."""
    path = tmp_path_factory.mktemp("embedded") / "memory.db"
    with fault_worker.opened(str(path), beginning_s) as memory:
        adds(memory, range(SOURCES), lambda _: None, lambda: None)
        memory.work()
        return digests(memory)


@pytest.fixture(params=["postgres", "postgres+redis"])
def place(request: pytest.FixtureRequest, server: OwnNeo4j) -> Iterator[str]:
    schemas = on_postgres.Schemas()
    given = schemas.given() if request.param == "postgres" else on_redis.given(schemas)
    with given as others:
        yield f"{others} {server.url}"
    schemas.drop()


def test_killed_in_the_middle_of_ingestion(
    server: OwnNeo4j, place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    kills = {number * SOURCES // (KILLS + 1) for number in range(1, KILLS + 1)}

    def meanwhile(number: int) -> None:
        if number in kills:
            kills.discard(number)
            server.kill()

    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), meanwhile, server.start)
        assert len(refused) >= KILLS
        assert all(f"127.0.0.1:{server.port}" in one for one in refused)  # it is named
        settle(memory, started)
        assert all(one.poll() is None for one in started)  # they waited, and went on
        check(memory, keys, undisturbed)


def test_killed_workers_leave_nothing_undone(
    place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), lambda _: None, lambda: None)
        victim = started.pop(0)
        assert victim.stdout is not None
        victim.stdout.readline()  # it is at it
        victim.kill()
        victim.communicate()
        started.append(start_worker(place, beginning_s))
        settle(memory, started)
        assert refused == []
        check(memory, keys, undisturbed)


def test_a_server_that_stands_still_is_waited_for(
    server: OwnNeo4j, place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    def meanwhile(number: int) -> None:
        if number == SOURCES // 2:
            server.pause()
            threading.Timer(PAUSE_S, server.go_on).start()

    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), meanwhile, lambda: None)
        assert refused == []
        settle(memory, started)
        check(memory, keys, undisturbed)


@pytest.mark.skipif(not IS_TORTURE, reason="part of `make torture`: it takes minutes")
def test_a_full_disk_loses_nothing(beginning_s: float, undisturbed: dict[str, str]) -> None:
    schemas = on_postgres.Schemas()
    with (
        small_disk(400) as disk,
        own_neo4j(disk) as server,
        on_redis.given(schemas) as others,
    ):
        place, balloon, tried = f"{others} {server.url}", disk / "balloon", list[bool]()

        def meanwhile(number: int) -> None:
            if number == SOURCES // 2:
                with suppress(OSError), balloon.open("wb") as file:
                    while True:
                        file.write(b"\0" * 65536)
                        file.flush()

        def make_room() -> None:
            tried.append(True)
            if len(tried) > 2:  # it stays full for a while
                balloon.unlink(missing_ok=True)
                server.kill()  # a Neo4j that could not write stays shut until it is started again
                server.start()

        with fault_worker.opened(place, beginning_s) as memory:
            keys, refused = adds(memory, range(SOURCES), meanwhile, make_room)
            assert len(refused) > 2
            memory.work()
            check(memory, keys, undisturbed)
    schemas.drop()


def test_a_server_that_is_away_is_named_without_its_password() -> None:
    schemas = on_postgres.Schemas()
    with schemas.given() as url:
        with pytest.raises(UnreachableMemory) as away:
            Memory.open(f"{url} neo4j://ada:hunter2@127.0.0.1:1")
        assert "127.0.0.1:1" in str(away.value)
        assert "hunter2" not in str(away.value)
    schemas.drop()
