"""What somebody tries who means no good, with a key or without: each of these once went through."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from api_world import NO_LIMIT, World, events_in, problem
from fastapi import Response
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from remanent.clock import SteppedClock
from remanent.core.model.mind_types import BeliefDraft
from remanent.errors import StoreError
from remanent.memory import Memory
from remanent.surfaces.http.app import Guard, Traffic, create_app
from remanent.surfaces.http.server import faces
from remanent.testing import HashEmbedder, ScriptedMind

JSON = {"Content-Type": "application/json"}
BYTES = {"Content-Type": "application/octet-stream"}


def with_faces(world: World) -> World:
    """The same world, with mem0's routes and MCP's beside our own."""
    return world.behind(create_app(world.memory, rules=NO_LIMIT, clock=world.clock, faces=faces()))


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


# -- values made to break something --------------------------------------------------------------


@pytest.mark.parametrize("path", ["/v1/beliefs", "/v1/anchors", "/v1/search"])
def test_a_cursor_that_is_all_brackets_is_no_cursor(still: World, path: str) -> None:
    nested = base64.urlsafe_b64encode(b"[" * 1400).decode()
    asked = {"after": nested, **({"query": "quartz"} if path == "/v1/search" else {})}

    told = problem(still.of("ada").get(path, params=asked), 422)

    assert told["field"] == "after"


@pytest.mark.parametrize(
    ("path", "before", "field"),
    [
        ("/v1/sources", '{"content": ', "content"),
        ("/v1/events", '{"event_type": "tool.called", "payload": ', "payload"),
        ("/v1/cypher", '{"query": "RETURN $a", "parameters": ', "parameters"),
        ("/v1/teams", '{"name": "Deep", "settings": ', "settings"),
    ],
)
@pytest.mark.parametrize("levels", [150, 450, 900])
def test_what_is_nested_too_deeply_is_refused_before_anything_is_done(
    still: World, path: str, before: str, field: str, levels: int
) -> None:
    ada = still.of("ada")

    told = problem(ada.post(path, content=f"{before}{deep(levels)}}}", headers=JSON), 422)

    assert field in told["field"]
    assert [one["team"]["team_id"] for one in ada.get("/v1/teams").json()["items"]] == ["band"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/sources", json.dumps({"content": [1] * 5000})),
        ("/v1/sources", json.dumps({"content": [{}] * 5000})),
        ("/v1/consolidate", json.dumps({"turns": [{}] * 5000})),
        ("/v1/events/batch", json.dumps({"events": [{}] * 900})),
        ("/v1/search", json.dumps({"query": "a", **{f"k{one}": 1 for one in range(5000)}})),
    ],
)
def test_many_mistakes_are_told_as_few(still: World, path: str, body: str) -> None:
    """Ten megabytes of them were a list of gigabytes, made while everybody else waited."""
    answer = still.of("ada").post(path, content=body, headers=JSON)

    problem(answer, 422)
    assert len(answer.content) < 2000


def test_an_upload_may_not_be_called_more_than_a_file_can_be(still: World) -> None:
    asked = {"name": "漢" * 100}

    told = problem(
        still.of("ada").post("/v1/imports", params=asked, content=b"hi", headers=BYTES), 422
    )

    assert told["field"] == "name"


def test_where_an_upload_is_put_aside_is_not_told(still: World) -> None:
    sent = b"PK\x05\x06" + b"\x00" * 10 + b"\xff" * 8

    told = problem(still.of("ada").post("/v1/imports?name=a.zip", content=sent, headers=BYTES), 422)

    assert "remanent-" not in told["detail"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/memories/search/", '{"query": "tea", "top_k": 1e999}'),
        ("/v1/memories/search/", '{"query": "tea", "threshold": ' + "9" * 400 + "}"),
        ("/v3/memories/", '{"page": 1e999}'),
        ("/search", '{"query": "tea", "filters": "x"}'),
        ("/search", '{"query": "tea", "filters": [1]}'),
    ],
)
def test_values_of_another_kind_are_refused_as_mem0_does(
    world: World, path: str, body: str
) -> None:
    ada = with_faces(world).of("ada")

    assert ada.post(path, content=body, headers=JSON).status_code == 400
    assert ada.post("/v2/memories/", json={"categories": 5}).json() == []


@pytest.mark.parametrize("infer", [True, False])
def test_mem0_keeps_nothing_of_what_it_refuses(world: World, infer: bool) -> None:
    ada = with_faces(world).of("ada")
    before = len(world.ada.beliefs()), len(world.ada.sources())
    said = json.dumps({"messages": "I like jasmine tea.", "infer": infer})[:-1]

    refused = ada.post("/v1/memories/", content=f'{said}, "metadata": {deep(70)}}}', headers=JSON)

    assert refused.status_code == 400
    assert (len(world.ada.beliefs()), len(world.ada.sources())) == before


def test_mem0_changes_nothing_of_what_it_refuses(world: World) -> None:
    ada = with_faces(world).of("ada")
    body = f'{{"text": "I play the viola.", "metadata": {deep(70)}}}'

    refused = ada.put(f"/v1/memories/{world.belief}/", content=body, headers=JSON)

    assert refused.status_code == 400
    assert [one.statement for one in world.ada.beliefs()] == ["I play the cello."]


def test_mem0_strengthens_what_it_hands_back_and_nothing_else(world: World) -> None:
    world.ada.remember("My sister lives in Bergen.")
    ada = with_faces(world).of("ada")

    found = ada.post("/v1/memories/search/", json={"query": "cello", "top_k": 1}).json()["results"]

    assert [one["id"] for one in found] == [world.belief]
    counts = {one.statement: one.life.access_count for one in world.ada.beliefs()}
    assert counts == {"I play the cello.": 1, "My sister lives in Bergen.": 0}


# -- more than a key is good for -----------------------------------------------------------------


def test_mem0_heeds_the_user_that_a_service_names_beside_it(world: World) -> None:
    """A gateway that sets `Remanent-User` has said for whom its client may speak."""
    service = with_faces(world).key(None)
    bob = world.client(service, **{"Remanent-User": "bob"})

    assert bob.get("/v1/memories/", params={"user_id": "ada"}).status_code == 403
    assert bob.get(f"/v1/memories/{world.belief}/").status_code == 404
    assert bob.delete("/v1/memories/", params={"user_id": "ada"}).status_code == 403
    assert bob.delete("/v1/entities/user/ada/").status_code == 403
    said = {"messages": "I like tea.", "user_id": "ada"}
    assert bob.post("/v1/memories/", json=said).status_code == 403
    assert bob.post("/reset").status_code == 403
    assert len(world.ada.beliefs()) == 1
    assert bob.get("/v1/memories/").json() == []
    new = world.client(service, **{"Remanent-User": "eve"})
    assert new.post("/v1/memories/", json={"messages": "I like tea.", "infer": False}).is_success
    assert [one.statement for one in world.memory.user("eve").beliefs()] == ["I like tea."]
    assert world.of("ada").get("/v1/memories/", headers={"Remanent-User": "bob"}).status_code == 403


def test_mem0_heeds_the_team_that_is_named_beside_it(world: World) -> None:
    ada = with_faces(world).of("ada")

    assert ada.get("/v1/memories/", headers={"Remanent-Team": "band"}).status_code == 200
    assert ada.get("/v1/memories/", headers={"Remanent-Team": "other"}).status_code == 404


def test_a_service_for_one_team_meets_its_members_only_and_resets_nobody(world: World) -> None:
    secret = with_faces(world).key(None, team="band")
    service = world.client(secret)

    found = service.get("/v1/entities/")
    assert found.status_code == 200, found.text
    assert [one["name"] for one in found.json()["results"]] == ["ada"]
    assert service.get(f"/v1/memories/{world.belief}/").status_code == 200
    assert service.post("/reset").status_code == 403
    assert len(world.ada.beliefs()) == 1


def test_a_stream_ends_when_its_key_does(world: World) -> None:
    made = world.memory.create_key("ada", name="short", powers=("read",))
    world.ada.add("One more to be read.")
    client = world.client(made.secret)
    heard: list[str] = []
    with client.stream("GET", "/v1/jobs/stream") as stream:
        for line in stream.iter_lines():
            heard.append(line)
            if line.startswith("event: job") and len(world.memory.keys()) == 1:
                world.memory.revoke_key(made.key.key_id)
    last, data = events_in("\n".join(heard))[-1]

    assert last == "problem"
    assert json.loads(data)["type"] == "urn:remanent:unauthorized"


def test_a_stream_ends_when_its_key_runs_out(world: World) -> None:
    end = world.clock.now() + timedelta(hours=1)
    secret = world.key("ada", ("read",), expires_at=end)
    world.ada.add("One more to be read.")
    heard: list[str] = []
    with world.client(secret).stream("GET", "/v1/jobs/stream") as stream:
        for line in stream.iter_lines():
            heard.append(line)
            if line.startswith("event: job"):
                world.clock.advance(timedelta(hours=2))

    assert events_in("\n".join(heard))[-1][0] == "problem"


# -- what a stranger can fill up -----------------------------------------------------------------


def test_methods_that_somebody_made_up_are_not_counted_one_by_one(world: World) -> None:
    stranger = world.client()
    for number in range(20):
        assert stranger.request(f"X{number}", "/v1/search").status_code in (401, 405)

    numbers = world.service().get("/metrics").text
    assert "X19" not in numbers
    assert 'method="other"' in numbers


def test_nobody_keeps_all_others_waiting() -> None:
    """There are 40 threads for all, and some answers take a minute."""
    statuses: list[int] = []

    async def main() -> None:
        go_on, refused = asyncio.Event(), asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await go_on.wait()
            await Response("done")(scope, receive, send)

        guard = Guard(slow, most_bytes=1000, traffic=Traffic())

        async def ask(key: bytes) -> None:
            async def send(message: Message) -> None:
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])
                if len(statuses) == 8:
                    refused.set()

            asked = {"type": "http", "method": "GET", "path": "/v1/work", "query_string": b""}
            await guard({**asked, "headers": [(b"authorization", key)]}, _nothing, send)

        waiting = [asyncio.create_task(ask(b"Bearer ada")) for _ in range(20)]
        waiting += [asyncio.create_task(ask(b"token   ada")) for _ in range(20)]
        waiting += [asyncio.create_task(ask(b"Bearer bob")) for _ in range(5)]
        await refused.wait()
        assert statuses == [429] * 8
        go_on.set()
        await asyncio.gather(*waiting)
        await ask(b"Bearer ada")

    asyncio.run(main())
    assert statuses == [429] * 8 + [200] * 38


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


# -- without a key -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil{x}.example", "localhost@evil.example", "evil.example:99999", "["],
)
def test_a_name_that_cannot_be_read_is_not_this_machines(world: World, host: str) -> None:
    """What is no host at all, the framework takes for the name of its own socket."""
    problem(world.in_dev("ada").get("/v1/status", headers={"Host": host}), 403)


@pytest.mark.parametrize("host", ["localhost", "LocalHost:7070", "127.0.0.1:80", "[::1]:7070"])
def test_names_of_this_machine_are_taken(world: World, host: str) -> None:
    assert world.in_dev("ada").get("/v1/status", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_cannot_even_ask_without_reading(world: World, site: str) -> None:
    """A picture's address is asked for without an Origin, and a memory that is asked is touched."""
    browser = world.in_dev("ada")

    problem(browser.get("/v1/recall?query=cello", headers={"Sec-Fetch-Site": site}), 403)
    assert browser.get("/v1/status", headers={"Sec-Fetch-Site": "none"}).status_code == 200
    assert browser.get("/v1/status", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


# -- MCP over HTTP -------------------------------------------------------------------------------

_MCP = {**JSON, "Accept": "application/json, text/event-stream"}


def _call(client: TestClient, tool: str, **arguments: Any) -> Mapping[str, Any]:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = {**asked, "params": {"name": tool, "arguments": arguments}}
    answer = client.post("/mcp", json=body, headers=_MCP)
    assert answer.status_code == 200, answer.text
    told: Mapping[str, Any] = answer.json()["result"]
    return told


class _Failing(ScriptedMind):
    """While it thinks, the disk goes away."""

    def believe(self, text: str, *, owner_names: Sequence[str]) -> list[BeliefDraft]:
        raise StoreError("/srv/kept/here.db", "disk I/O error")


def test_a_tool_does_not_tell_where_the_memory_is_kept(clock: SteppedClock) -> None:
    with Memory.open(":memory:", clock=clock, mind=_Failing(), embedder=HashEmbedder()) as opened:
        opened.user("ada")
        app = create_app(opened, rules=NO_LIMIT, clock=clock, faces=faces())
        secret = opened.create_key("ada", name="test").secret
        with TestClient(app, headers={"Authorization": f"Bearer {secret}"}) as client:
            told = _call(client, "remember", text="I play the oboe.")

    assert told["isError"]
    assert "/srv" not in json.dumps(told)
    assert "The place where this memory is kept failed" in json.dumps(told)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_source", {"turns": [1] * 5000}),
        ("search", {"query": "a", "kinds": [1] * 5000}),
        ("context", {"message": "a", "before": [1] * 5000}),
    ],
)
def test_a_tool_tells_of_many_mistakes_as_few(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    with with_faces(world).of("ada") as client:
        told = _call(client, tool, **arguments)

    assert told["isError"]
    assert len(json.dumps(told)) < 2000


def test_too_large_a_body_is_refused_at_mcp_too(world: World) -> None:
    world.ruled(body_bytes=1000, requests_per_minute=0)
    rules = world.app.state.door.rules
    world.behind(create_app(world.memory, rules=rules, clock=world.clock, faces=faces()))
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 2000 + b'"}'

    def pieces() -> Any:
        for start in range(0, len(body), 100):
            yield body[start : start + 100]

    with world.of("ada") as client:
        assert client.post("/mcp", content=body, headers=_MCP).status_code == 413
        assert client.post("/mcp", content=pieces(), headers=_MCP).status_code == 413
