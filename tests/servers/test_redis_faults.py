"""Redis is killed and stopped in the middle of it, beside PostgreSQL: what was acknowledged is there, and in
the end the graph is that of a memory to which nothing ever happened."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from uuid import uuid4

import fault_worker
import on_postgres
import on_redis
import pytest
from own_postgres import own_postgres
from own_redis import OwnRedis, own_redis
from test_postgres_faults import (
    PAUSE_S,
    SOURCES,
    adds,
    beginning_s,
    check,
    settle,
    small_disk,
    start_worker,
    undisturbed,
    workers,
)

from remanent import Memory
from remanent.errors import StoreError, UnreachableMemory

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.torture]

__all__ = ["beginning_s", "undisturbed"]


@pytest.fixture(scope="module")
def server() -> Iterator[OwnRedis]:
    on_postgres.server_url()
    with own_redis() as one:
        yield one


@pytest.fixture
def place(server: OwnRedis) -> Iterator[str]:
    schemas = on_postgres.Schemas()
    with on_redis.given(schemas, server.url) as place:
        yield place
    schemas.drop()


def test_killed_in_the_middle_of_ingestion(
    server: OwnRedis, place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    kills = {SOURCES // 4, SOURCES // 2, 3 * SOURCES // 4}

    def meanwhile(number: int) -> None:
        if number in kills:
            kills.discard(number)
            server.kill()

    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), meanwhile, server.start)
        assert len(refused) >= 3
        assert all(f"127.0.0.1:{server.port}" in one for one in refused)  # it is named
        settle(memory, started)
        assert all(one.poll() is None for one in started)  # they waited, and went on
        check(memory, keys, undisturbed)


def test_postgresql_killed_beside_it(
    server: OwnRedis, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    kills = {SOURCES // 4, SOURCES // 2, 3 * SOURCES // 4}
    with own_postgres() as locks:
        place = f"{locks.url(f'k{uuid4().hex[:12]}')} {server.url}"

        def meanwhile(number: int) -> None:
            if number in kills:
                kills.discard(number)
                locks.kill()

        with (
            fault_worker.opened(place, beginning_s) as memory,
            workers(place, beginning_s) as started,
        ):
            keys, refused = adds(memory, range(SOURCES), meanwhile, locks.start)
            assert len(refused) >= 3
            settle(memory, started)
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
    server: OwnRedis, place: str, beginning_s: float, undisturbed: dict[str, str]
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


def test_a_full_disk_loses_nothing(beginning_s: float, undisturbed: dict[str, str]) -> None:
    schemas = on_postgres.Schemas()
    with (
        small_disk() as disk,
        own_redis(disk=disk) as server,
        on_redis.given(schemas, server.url) as place,
    ):
        balloon, tried = disk / "balloon", list[bool]()

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
                server.start()  # it ends when it can no longer write down what it is told

        with fault_worker.opened(place, beginning_s) as memory:
            keys, refused = adds(memory, range(SOURCES), meanwhile, make_room)
            assert len(refused) > 2
            memory.work()
            check(memory, keys, undisturbed)
    schemas.drop()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (("--appendonly", "no"), "appendonly no"),
        (("--appendfsync", "everysec"), "appendfsync everysec"),
        (("--maxmemory-policy", "allkeys-lru"), "maxmemory-policy allkeys-lru"),
    ],
)
def test_a_server_that_would_lose_something_is_refused(
    settings: tuple[str, str], told: str
) -> None:
    schemas = on_postgres.Schemas()
    with (
        own_redis(*settings) as one,
        on_redis.given(schemas, one.url) as place,
        pytest.raises(StoreError, match=told),
    ):
        Memory.open(place)
    schemas.drop()


def test_a_server_that_is_away_is_named_without_its_password() -> None:
    schemas = on_postgres.Schemas()
    with schemas.given() as url:
        with pytest.raises(UnreachableMemory) as away:
            Memory.open(f"{url} redis://ada:hunter2@127.0.0.1:1/0")
        assert "127.0.0.1:1" in str(away.value)
        assert "hunter2" not in str(away.value)
    schemas.drop()


def test_what_could_not_be_settled_is_gone_before_the_file_is_written_anew(
    server: OwnRedis, place: str, beginning_s: float
) -> None:
    """Redis is away for a moment when all else is written, and back when the certificate is."""
    with fault_worker.opened(place, beginning_s) as memory:
        memory.user("ada", name="Ada").add("Zacharias Quill: Likes chess.")
        memory.work()
        block: Any = memory.env.stores.opening.block
        first, *others = block.members
        block.members = (away := Away(first), *others)
        assert "Quill" in words_on_disk(server)
        assert memory.erase_user("ada").is_compacted
        assert away.times == 0
        assert "Quill" not in words_on_disk(server)


def words_on_disk(server: OwnRedis) -> str:
    files = (server.folder / "appendonlydir").iterdir()
    return " ".join(one.read_bytes().decode(errors="replace") for one in files)


class Away:
    """A member of a block, as it is, but for the first time that it should settle something."""

    def __init__(self, member: Any) -> None:
        self._member, self.times = member, 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._member, name)

    def settle(self) -> None:
        if self.times:
            self.times -= 1
            raise UnreachableMemory("redis", "is away")
        self._member.settle()
