"""Limits: how much, how often, from where; and what every answer carries."""

from __future__ import annotations

from datetime import timedelta

import pytest
from api_world import World, problem
from fastapi.testclient import TestClient

SEARCH = {"query": "quartz"}


def test_too_large_a_body_is_refused_by_what_it_says_and_by_what_it_is(world: World) -> None:
    ada = world.ruled(body_bytes=1000, requests_per_minute=0).of("ada")
    body = b'{"content": "' + b"x" * 1000 + b'"}'
    headers = {"Content-Type": "application/json"}

    told = problem(ada.post("/v1/sources", content=body, headers=headers), 413)
    assert "1000" in told["detail"]

    def pieces() -> object:
        for start in range(0, len(body), 100):
            yield body[start : start + 100]

    problem(ada.post("/v1/sources", content=pieces(), headers=headers), 413)  # type: ignore[arg-type]
    named = {**headers, "Idempotency-Key": "a"}
    problem(ada.post("/v1/sources", content=pieces(), headers=named), 413)  # type: ignore[arg-type]
    assert ada.post("/v1/sources", json={"content": "x" * 900}).status_code == 201


def test_who_asks_too_often_waits(world: World) -> None:
    world.ruled(requests_per_minute=60, burst=3)
    ada, bob = world.of("ada"), world.of("bob")
    statuses = [ada.get("/v1/status").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    refused = ada.get("/v1/status")
    problem(refused, 429)
    assert refused.headers["retry-after"] == "1"
    assert bob.get("/v1/status").status_code == 200

    world.clock.advance(timedelta(seconds=1))
    assert [ada.get("/v1/status").status_code for _ in range(2)] == [200, 429]
    world.clock.advance(timedelta(hours=1))
    assert [ada.get("/v1/status").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_who_tries_out_keys_waits_too(world: World) -> None:
    world.ruled(requests_per_minute=60, burst=3)
    stranger = world.client("rmn_0000000000000000_nonsense")
    ada = world.of("ada")

    assert [stranger.get("/v1/status").status_code for _ in range(5)] == [401, 401, 401, 429, 429]
    assert ada.get("/v1/status").status_code == 200


def test_signs_of_life_are_not_counted(world: World) -> None:
    client = world.ruled(requests_per_minute=1, burst=1).client()

    assert {client.get("/healthz").status_code for _ in range(5)} == {200}


@pytest.mark.parametrize("path", ["/healthz", "/v1/status", "/nonsense", "/openapi.json"])
def test_every_answer_carries_what_protects_its_reader(still: World, path: str) -> None:
    headers = still.client().get(path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_pages_of_other_sites_may_not_ask_unless_they_are_named(world: World) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    refused = world.client().options("/v1/search", headers=asked)
    assert "access-control-allow-origin" not in refused.headers

    world.ruled(origins="https://app.example, https://other.example")
    allowed = world.client().options("/v1/search", headers=asked)
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    stranger = {**asked, "Origin": "https://evil.example"}
    refused = world.client().options("/v1/search", headers=stranger)
    assert "access-control-allow-origin" not in refused.headers
    answer = world.of("ada").get("/v1/status", headers={"Origin": "https://app.example"})
    assert answer.headers["access-control-allow-origin"] == "https://app.example"


# -- without a key ------------------------------------------------------------------------------


def test_in_dev_nobody_needs_a_key_and_the_default_user_is_meant(world: World) -> None:
    client = world.in_dev("ada")

    assert client.get("/v1/status").json()["user_id"] == "ada"
    assert client.get("/v1/status", headers={"Remanent-User": "bob"}).json()["user_id"] == "bob"
    assert client.get("/v1/users").status_code == 200
    assert client.get("/metrics").status_code == 200
    problem(world.in_dev().get("/v1/status"), 422)


def test_in_dev_a_key_still_counts(world: World) -> None:
    client = world.in_dev("ada")
    secret = {"Authorization": f"Bearer {world.key('bob', ['read'])}"}

    assert client.get("/v1/status", headers=secret).json()["user_id"] == "bob"
    problem(client.post("/v1/remember", json={"text": "x"}, headers=secret), 403)
    problem(client.get("/v1/status", headers={"X-API-Key": "rmn_x_y"}), 401)


def test_in_dev_no_page_of_another_site_gets_in(world: World) -> None:
    client = world.in_dev("ada")
    problem(client.post("/v1/work", headers={"Origin": "https://evil.example"}), 403)
    rebound = TestClient(client.app, base_url="http://evil.example")
    problem(rebound.get("/v1/status"), 403)
    near = world.in_dev("ada", origins="http://localhost:3000")
    assert near.get("/v1/status", headers={"Origin": "http://localhost:3000"}).status_code == 200


# -- watching -----------------------------------------------------------------------------------


def test_ready_says_which_part_fails(world: World) -> None:
    client = world.client()
    assert client.get("/readyz").json() == {"status": "ok"}
    world.app.state.door.stopping.set()
    assert client.get("/readyz").status_code == 503
    world.app.state.door.stopping.clear()
    world.memory.close()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "store"})


def test_requests_are_counted_by_route_and_never_by_what_was_in_it(world: World) -> None:
    ada = world.of("ada")
    ada.get(f"/v1/memories/{world.source}")
    ada.get("/v1/made-up-path")
    text = world.service().get("/metrics").text

    counted = 'remanent_http_requests_total{method="GET",route="/v1/memories/{key}",status="200"} 1'
    assert counted in text
    assert 'remanent_http_requests_total{method="any",route="none",status="404"} 1' in text
    assert 'remanent_http_request_seconds_count{method="GET",route="/v1/memories/{key}"} 1' in text
    assert "made-up" not in text
    assert world.source not in text
    for name in (
        "remanent_consolidation_lag_seconds",
        "remanent_enrichment_lag_seconds",
        "remanent_reconsolidation_last_run",
        "remanent_graph_nodes_total",
        "remanent_graph_nodes_pruned_total",
        "remanent_reflection_triggers_total",
        "remanent_decay_score",
    ):
        assert f"# TYPE {name}" in text


def test_nobody_sleeps_through_centuries(world: World) -> None:
    until = {"until": "2926-01-01T00:00:00Z"}

    assert problem(world.of("ada").post("/v1/sleep", json=until), 422)["field"] == "until"
