"""Server-sent events: progress while it goes on, signs of life, and an end when either side goes."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from api_world import World, events_in

from remanent.errors import BusyMemory
from remanent.surfaces.http.answers import Stop, Tell, progress
from remanent.surfaces.http.server import Server, address_of, listen

SSE = {"Accept": "text/event-stream"}


@contextmanager
def served(world: World) -> Iterator[tuple[Server, str]]:
    """A real server on a port of its own."""
    opened = listen("127.0.0.1", 0)
    server = Server(world.app, opened, place="", workers=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server, address_of(opened)
    finally:
        server.stop()
        thread.join()


def test_work_tells_of_every_job_and_then_what_was_done(world: World) -> None:
    for number in range(3):
        world.ada.add(f"Letter {number}.")
    found = events_in(world.of("ada").post("/v1/work", headers=SSE).text)

    steps = [json.loads(data) for name, data in found if name == "step"]
    assert [name for name, _ in found] == ["step"] * len(steps) + ["done"]
    assert len(steps) >= 3
    assert steps[0].keys() == {"kind", "key", "error", "remaining"}
    assert json.loads(found[-1][1])["done"] == len(steps)


def test_sleep_tells_of_its_phases(world: World) -> None:
    body = {"only": ["fade", "expire"]}
    found = events_in(world.of("ada").post("/v1/sleep", json=body, headers=SSE).text)

    phases = [json.loads(data)["job"] for name, data in found if name == "phase"]
    assert {"fade", "expire"} <= set(phases)
    assert [one["job"] for one in json.loads(found[-1][1])["outcomes"]] == ["fade", "expire"]


def test_without_asking_for_a_stream_there_is_a_summary(world: World) -> None:
    world.ada.add("A letter.")
    answer = world.of("ada").post("/v1/work", json={"limit": 1})

    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["done"] == 1


def test_work_ends_when_a_request_has_taken_as_long_as_it_may(world: World) -> None:
    for number in range(3):
        world.ada.add(f"Letter {number}.")
    ada = world.ruled(request_seconds=0, requests_per_minute=0).of("ada")

    assert ada.post("/v1/work").json()["done"] < 3


def test_a_stream_needs_a_key_like_all_else(world: World) -> None:
    assert world.client().get("/v1/jobs/stream").status_code == 401


def test_jobs_are_told_as_they_change_until_nothing_is_left(world: World) -> None:
    world.ada.add("A letter.")
    secret = {"Authorization": f"Bearer {world.key('ada')}"}
    told: list[dict[str, str]] = []
    with (
        served(world) as (_, url),
        httpx.Client(base_url=url, headers=secret, timeout=600) as client,
        client.stream("GET", "/v1/jobs/stream", params={"until_idle": True}) as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("data: "):
                told.append(json.loads(line.removeprefix("data: ")))
                if len(told) == 1:
                    assert told[0]["state"] == "ready"
                    world.ada.work()
    states = [one["state"] for one in told if one.get("key") == told[0]["key"]]
    assert states == ["ready", "done"]
    assert "jobs" in told[-1]


def test_a_quiet_stream_gives_signs_of_life_and_ends_with_the_server(world: World) -> None:
    world.ruled(heartbeat_seconds=0.01, requests_per_minute=0)
    secret = {"Authorization": f"Bearer {world.key('ada')}"}
    lines = []
    with (
        served(world) as (server, url),
        httpx.Client(base_url=url, headers=secret, timeout=600) as client,
        client.stream("GET", "/v1/jobs/stream") as stream,
    ):
        for line in stream.iter_lines():
            lines.append(line)
            if line.startswith(":"):
                server.stop()
    assert ": still here" in lines


def test_what_runs_is_asked_to_stop_when_its_reader_goes(world: World) -> None:
    ended = threading.Event()

    def run(tell: Tell, stop: Stop) -> None:
        tell("step", {"number": 1})
        while not stop():
            time.sleep(0.001)
        ended.set()

    async def read_one_and_go() -> bytes:
        events = progress(world.app.state.door, "/v1/work", run)
        first = await anext(events)
        await events.aclose()
        return first

    assert asyncio.run(read_one_and_go()) == b'event: step\ndata: {"number": 1}\n\n'
    assert ended.wait(600)


def test_what_goes_wrong_on_the_way_is_told_as_a_problem(world: World) -> None:
    def run(tell: Tell, stop: Stop) -> None:
        raise BusyMemory("/home/ada/memory.db", "is locked")

    async def read() -> list[bytes]:
        return [one async for one in progress(world.app.state.door, "/v1/work", run)]

    ((name, data),) = events_in(b"".join(asyncio.run(read())).decode())
    assert name == "problem"
    assert json.loads(data)["status"] == 503
    assert "/home/ada" not in data


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_real_server_does_not_say_what_it_is(world: World, path: str) -> None:
    with served(world) as (_, url):
        answer = httpx.get(url + path, timeout=600)
    assert answer.status_code == 200
    assert "server" not in answer.headers
