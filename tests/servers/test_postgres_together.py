"""Two API servers and two workers on one PostgreSQL, alone and with others beside it, sixteen clients: no
error, nothing lost or doubled, and whoever has written finds it at once, whichever server is asked. One of
the servers is killed, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
from effort import IS_TORTURE, times
from own_neo4j import own_neo4j
from own_postgres import OwnPostgres, own_postgres
from own_redis import own_redis

from remanent import Memory
from remanent.core.model.event import SOURCE_ADDED, SOURCE_EXTRACTED, SOURCE_PROCESSED
from remanent.core.model.job import JobState

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.torture]

REMANENT = (sys.executable, "-c", "from remanent.surfaces.cli import main; main()")
CLIENTS = 16
ROUNDS = 2  # at least
LASTS_S = times(0, 300)
USERS = [f"user{number}" for number in range(4)]
SET_UPS = ["postgres", "postgres+redis", *(["postgres+neo4j+redis"] if IS_TORTURE else [])]


@pytest.fixture(scope="module")
def server() -> Iterator[OwnPostgres]:
    with own_postgres() as one:
        yield one


class Place:
    """A memory on the server, and the processes that use it."""

    def __init__(self, url: str) -> None:
        self.url = url
        names = {name: text for name, text in os.environ.items() if "REMANENT" not in name}
        limits = {"REMANENT_SERVER__REQUESTS_PER_MINUTE": "0"}
        self._environ = {**names, "REMANENT_MEMORY": url, **limits}
        with Memory.open(url) as memory:
            for user in USERS:
                memory.user(user, name=user.title())
            powers = ("read", "write")
            self.secret = memory.create_key(None, name="test", powers=powers).secret

    @contextmanager
    def running(self, *command: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            [*REMANENT, *command], stdout=subprocess.PIPE, text=True, env=self._environ
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    @contextmanager
    def serving(self) -> Iterator[tuple[subprocess.Popen[str], str]]:
        with self.running("serve", "--no-worker", "--json", "--port", "0") as process:
            yield process, _told(process)["url"]

    def client(self, url: str, user: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.secret}", "Remanent-User": user}
        return httpx.Client(base_url=url, headers=headers, timeout=600)


def _told(process: subprocess.Popen[str]) -> dict[str, Any]:
    text = ""
    for line in process.stdout or ():
        text += line
        if line == "}\n":
            return dict(json.loads(text))
    raise AssertionError("it did not start")


@dataclass(frozen=True)
class Together:
    """Two API servers and two workers that run on one memory: to start them takes longer than what they do here,
    so the tests use the same, and the last may kill one."""

    place: Place
    servers: list[subprocess.Popen[str]]
    workers: list[subprocess.Popen[str]]
    urls: list[str]


@pytest.fixture(scope="module", params=SET_UPS)
def address(request: pytest.FixtureRequest, server: OwnPostgres) -> Iterator[str]:
    urls = [server.url(f"t{uuid4().hex[:12]}")]
    with ExitStack() as started:
        if "neo4j" in request.param:
            urls.append(started.enter_context(own_neo4j()).url)
        if "redis" in request.param:
            urls.append(started.enter_context(own_redis()).url)
        yield " ".join(urls)


@pytest.fixture(scope="module")
def together(address: str) -> Iterator[Together]:
    place = Place(address)
    with (
        place.serving() as (one, first),
        place.serving() as (other, second),
        place.running("work", "--follow") as worker,
        place.running("work", "--follow") as another,
    ):
        yield Together(place, [one, other], [worker, another], [first, second])


def sent(
    clients: list[httpx.Client], first: int, path: str, body: dict[str, Any]
) -> httpx.Response:
    """Send it to one server, and where that is gone, once more to the other, under the same name."""
    headers = {"Idempotency-Key": uuid4().hex}
    for number in (first, first + 1):
        try:
            return clients[number % len(clients)].post(path, json=body, headers=headers)
        except httpx.TransportError:
            continue
    raise AssertionError("no server is left")


def asked(clients: list[httpx.Client], first: int, path: str) -> httpx.Response:
    for number in (first, first + 1):
        try:
            return clients[number % len(clients)].get(path)
        except httpx.TransportError:
            continue
    raise AssertionError("no server is left")


def one_client(place: Place, urls: list[str], number: int, ends_s: float) -> list[str]:
    """Write at one server, and read it at the other, round after round; the keys of its sources."""
    user = USERS[number % len(USERS)]
    clients = [place.client(url, user) for url in urls]
    keys: list[str] = []
    try:
        while len(keys) < ROUNDS or time.monotonic() < ends_s:
            here = number + len(keys)
            text = f"Note {len(keys)} of client {number}: the kettle of house {number} is on."
            added = sent(clients, here, "/v1/sources", {"content": text})
            assert added.status_code < 300, added.text
            keys.append(added.json()["key"])
            found = asked(clients, here + 1, f"/v1/sources/{keys[-1]}")
            assert found.status_code == 200, found.text
            said = f"I keep {len(keys)} bees in hive number {number}"
            told = sent(clients, here, "/v1/remember", {"text": said})
            assert told.status_code < 300, told.text
            held = asked(clients, here + 1, f"/v1/beliefs/{told.json()['belief']['key']}")
            assert held.status_code == 200, held.text
    finally:
        for one in clients:
            one.close()
    return keys


def all_clients(place: Place, urls: list[str]) -> Iterator[list[str]]:
    ends_s = time.monotonic() + LASTS_S
    with ThreadPoolExecutor(CLIENTS) as pool:
        yield from pool.map(lambda one: one_client(place, urls, one, ends_s), range(CLIENTS))


def check(place: Place, keys: dict[str, set[str]]) -> None:
    """Wait until all is read; then every job was done once, and none for nothing."""
    with Memory.open(place.url) as memory:
        for user in USERS:
            ada = memory.user(user)
            while ada.jobs([JobState.READY, JobState.RUNNING]):
                time.sleep(0.1)
            assert ada.jobs([JobState.PARKED]) == []
            events = list(memory.env.ledger.replay(ada.scope, limit=1_000_000))
            for kind in (SOURCE_ADDED, SOURCE_PROCESSED, SOURCE_EXTRACTED):
                told = [
                    (one.payload["source_key"], one.payload.get("to"))  # found up to there, or read
                    for one in events
                    if one.event_type == kind
                ]
                assert len(set(told)) == len(told), kind
                assert keys[user] <= {key for key, _ in told}, kind


def by_user(lists: Iterator[list[str]]) -> dict[str, set[str]]:
    keys: dict[str, set[str]] = {user: set() for user in USERS}
    for number, some in enumerate(lists):
        assert len(some) >= ROUNDS
        keys[USERS[number % len(USERS)]] |= set(some)
    return keys


def test_two_servers_and_two_workers_serve_sixteen_clients(together: Together) -> None:
    keys = by_user(all_clients(together.place, together.urls))
    check(together.place, keys)
    assert [one.poll() for one in (*together.servers, *together.workers)] == [None] * 4


def test_a_killed_server_loses_nothing_that_it_acknowledged(together: Together) -> None:
    place, urls = together.place, together.urls
    with place.client(urls[0], USERS[0]) as client:
        added = client.post("/v1/sources", json={"content": "Said just before the end."})
        assert added.status_code < 300
    with ThreadPoolExecutor(1) as beside:
        serving = beside.submit(by_user, all_clients(place, urls))
        together.servers[0].kill()  # somewhere in the first requests of sixteen clients
        keys = serving.result()
    keys[USERS[0]].add(added.json()["key"])
    check(place, keys)
