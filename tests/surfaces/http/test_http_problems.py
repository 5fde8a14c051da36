"""Whatever goes wrong is a problem of one shape, and says no more than the caller may know."""

from __future__ import annotations

import inspect
import json

import pytest
from api_world import World, problem
from fastapi.testclient import TestClient

from remanent import errors
from remanent.clock import SystemClock
from remanent.surfaces.http import problems
from remanent.surfaces.http.app import create_app

LINES = {"Content-Type": "application/jsonl"}


@pytest.fixture(scope="module")
def ada(still: World) -> TestClient:
    return still.of("ada")


def test_a_value_that_does_not_fit_names_its_field(ada: TestClient) -> None:
    told = problem(ada.post("/v1/search", json={"query": "x", "limit": 0}), 422)

    assert told["field"] == "limit"
    assert "1" in told["detail"]


def test_several_that_do_not_fit_are_all_named_and_none_is_repeated(ada: TestClient) -> None:
    body = {"limit": "my password", "nonsense": True}
    response = ada.post("/v1/search", json=body)
    told = problem(response, 422)

    assert {one["field"] for one in told["errors"]} == {"query", "limit", "nonsense"}
    assert "password" not in response.text


def test_what_a_verb_refuses_has_the_same_shape(ada: TestClient) -> None:
    told = problem(ada.post("/v1/remember", json={"text": "  "}), 422)

    assert told["field"] == "text"
    assert told["instance"] == "/v1/remember"


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b"[" * 100_000, b'{"query": ' + b"9" * 5000 + b"}", b"null", b"3"]
)
def test_a_body_that_cannot_be_read_is_no_fault_of_ours(ada: TestClient, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}

    problem(ada.post("/v1/search", content=body, headers=headers), 422)


@pytest.mark.parametrize("text", ["\ud800", "a\x00b"])
def test_halves_of_characters_and_nul_are_refused(ada: TestClient, text: str) -> None:
    import json

    for path, field in (("/v1/remember", "text"), ("/v1/sources", "content")):
        body = json.dumps({field: text}).encode()
        problem(ada.post(path, content=body, headers={"Content-Type": "application/json"}), 422)


@pytest.mark.parametrize(
    "body", [b"{", b'{"query": 3}', b"[]", b'"quartz"', b'{"query": "quartz"}']
)
def test_what_comes_in_pieces_is_answered_as_what_comes_at_once(
    still: World, ada: TestClient, body: bytes
) -> None:
    """The one is left to the framework, the other is taken apart by us where it fits."""
    headers = {"Content-Type": "application/json"}
    whole = ada.post("/v1/search", content=body, headers=headers)
    pieces = ada.post("/v1/search", content=iter([body[:1], body[1:]]), headers=headers)

    assert pieces.status_code == whole.status_code
    assert pieces.headers["content-type"] == whole.headers["content-type"]
    if whole.status_code != 200:  # a search strengthens what it finds
        assert pieces.content == whole.content
    stranger = still.client("rmn_0000000000000000_nonsense")
    problem(stranger.post("/v1/search", content=body, headers=headers), 401)


def test_unknown_routes_methods_and_keys(ada: TestClient) -> None:
    assert problem(ada.get("/v1/nonsense"), 404)["type"] == "urn:remanent:not-found"
    assert problem(ada.get("/v1/memories/nonsense"), 404)["instance"] == "/v1/memories/nonsense"
    response = ada.put("/v1/sources")
    problem(response, 405)
    assert response.headers["allow"] == "GET, POST"


def test_another_type_of_body_is_refused(ada: TestClient) -> None:
    text = {"Content-Type": "text/plain"}
    problem(ada.post("/v1/sources", content=b'{"content": "x"}', headers=text), 415)
    problem(ada.post("/v1/beliefs/import", json={}), 415)
    problem(ada.post("/v1/sources", content=b'{"content": "x"}'), 415)
    charset = {"Content-Type": "application/json; charset=utf-8"}
    assert ada.post("/v1/search", content=b'{"query": "x"}', headers=charset).status_code == 200


def test_lines_that_are_no_beliefs_are_refused(ada: TestClient) -> None:
    problem(ada.post("/v1/beliefs/import", content=b"\xff{", headers=LINES), 422)


def test_queries_that_only_want_to_write_are_refused(ada: TestClient) -> None:
    told = problem(ada.post("/v1/cypher", json={"query": "CREATE (n) RETURN n"}), 422)

    assert told["type"] == "urn:remanent:forbidden-query"


def _every_error() -> list[type[errors.RemanentError]]:
    return [
        one
        for _, one in inspect.getmembers(errors, inspect.isclass)
        if issubclass(one, errors.RemanentError) and one is not errors.RemanentError
    ]


@pytest.mark.parametrize("kind", _every_error(), ids=lambda one: one.__name__)
def test_every_error_of_ours_has_a_status_that_is_no_fault(
    kind: type[errors.RemanentError],
) -> None:
    row = next(problems.TABLE[one] for one in kind.__mro__ if one in problems.TABLE)

    assert row.status in (401, 403, 404, 409, 422, 503, 507)


def test_a_busy_memory_says_when_to_come_again_and_not_where_it_is() -> None:
    busy = problems.refuse(errors.BusyMemory("/home/ada/memory.db", "is locked"), "/v1/search")

    assert busy.status_code == 503
    assert busy.headers["retry-after"] == "1"
    assert b"/home/ada" not in busy.body


def test_a_server_that_is_away_is_a_problem_of_its_own() -> None:
    place = "postgresql://ada:hunter2@db.example.com/memory"
    away = problems.refuse(errors.UnreachableMemory(place, "does not answer"), "/v1/sources")

    assert away.status_code == 503
    assert away.headers["retry-after"] == "1"
    assert json.loads(away.body)["type"] == "urn:remanent:store-away"
    assert b"db.example.com" not in away.body


def test_a_full_disk_is_a_problem_of_its_own() -> None:
    full = problems.refuse(errors.DiskFull("/home/ada/memory.db", "is full"), "/v1/sources")

    assert full.status_code == 507
    assert json.loads(full.body)["type"] == "urn:remanent:disk-full"
    assert b"reading goes on" in full.body
    assert b"/home/ada" not in full.body


def test_a_fault_of_ours_is_a_problem_too_and_tells_nothing(still: World) -> None:
    app = create_app(still.memory, dev=True, user="ada", clock=SystemClock())

    @app.get("/v1/fault")
    def fault() -> None:
        raise ZeroDivisionError("the quartz recipe")

    client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    response = client.get("/v1/fault")
    problem(response, 500)
    assert "quartz" not in response.text


def test_a_status_tells_nobody_where_the_file_is(still: World, ada: TestClient) -> None:
    assert ada.get("/v1/status").json()["place"] == ""
