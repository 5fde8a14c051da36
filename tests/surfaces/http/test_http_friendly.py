"""What people send who have not read the reference: bare dates, pasted logs, misspelt fields; and what is
said to them then."""

from __future__ import annotations

from typing import Any

import pytest
from api_world import World, problem
from fastapi.testclient import TestClient

from remanent.testing import ScriptedMind


@pytest.fixture(scope="module")
def ada(still: World) -> TestClient:
    return still.of("ada")


# -- dates --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/v1/beliefs", "/v1/relationships?key=Ada Lindqvist"])
def test_a_bare_date_is_taken(ada: TestClient, path: str) -> None:
    response = ada.get(path, params={"as_of": "2026-05-05", **_query(path)})

    assert response.status_code == 200, response.text


def _query(path: str) -> dict[str, str]:
    return dict(one.split("=") for one in path.partition("?")[2].split("&") if one)


def test_times_without_an_offset_are_in_the_users_time_zone(world: World) -> None:
    ada = world.of("ada")  # in Oslo: two hours ahead in May
    ada.post("/v1/remember", json={"text": "I own a boat.", "at": "2026-05-02T10:00"})

    def held(as_of: str) -> bool:
        beliefs = ada.get("/v1/beliefs", params={"as_of": as_of}).json()["items"]
        return any("boat" in one["statement"] for one in beliefs)

    assert [held(f"2026-05-02T{at}") for at in ("07:59Z", "08:00Z", "09:59", "10:00")] == [
        False,
        True,
        False,
        True,
    ]
    assert [held(day) for day in ("2026-05-01", "2026-05-02")] == [False, True]


def test_a_bare_date_begins_or_ends_as_on_the_command_line(world: World) -> None:
    ada = world.of("ada")
    at = "2026-05-02T12:00"
    content = [{"text": "The quartz is sold.", "at": at}]
    ada.post("/v1/sources", json={"content": content, "started_at": "2026-05-02"})
    world.memory.work()

    def found(**filters: Any) -> bool:
        hits = ada.post("/v1/search", json={"query": "quartz sold", **filters}).json()["items"]
        return any("is sold" in one["text"] for one in hits)

    assert found(since="2026-05-02", until="2026-05-02")
    assert not found(since="2026-05-03")
    assert not found(until="2026-05-01")


# -- long messages ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/v1/context", "/v1/need"])
@pytest.mark.parametrize(
    "question", ["{} Where is my quartz recipe?", "Where is my quartz recipe? {}"]
)
def test_a_pasted_log_is_no_obstacle(
    world: World, mind: ScriptedMind, path: str, question: str
) -> None:
    mind.chances = {"Where is my quartz recipe?": 0.95}
    log = "INFO nothing of note in the scheduler\n" * 2_000
    response = world.of("ada").post(path, json={"message": question.format(log)})

    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer.get("need", answer)["needs_search"], answer


def test_the_least_budget_is_told_from_the_start(ada: TestClient) -> None:
    for budget in (0, 1, 49):
        told = problem(ada.post("/v1/context", json={"message": "x", "budget": budget}), 422)
        assert (told["field"], "50" in told["detail"]) == ("budget", True)
    assert ada.post("/v1/context", json={"message": "x", "budget": 50}).status_code == 200


# -- what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        ("/v1/sources", {"content": 5}, ["content"]),
        ("/v1/sources", {"content": [{"speaker": 1}]}, ["content.0.text", "content.0.speaker"]),
        ("/v1/explore", {"queries": [5]}, ["queries.0"]),
        ("/v1/explore", {"queries": [{"query": "x", "threshold": 7}]}, ["queries.0.threshold"]),
        ("/v1/search", {"querry": "x"}, ["query", "querry"]),
        ("/v1/search", [1], ["body"]),
    ],
)
def test_fields_are_called_as_their_sender_knows_them(
    ada: TestClient, path: str, body: Any, fields: list[str]
) -> None:
    told = problem(ada.post(path, json=body), 422)

    assert [one["field"] for one in told.get("errors", [told])] == fields
    for words in ("constrained", "function-", "Input", "inputs", "dictionary"):
        assert words not in str(told), told


def test_a_misspelt_field_is_told_its_right_name(ada: TestClient) -> None:
    told = problem(ada.post("/v1/search", json={"query": "x", "limt": 3}), 422)

    assert told["detail"] == "limt: is not taken here; did you mean limit?"


def test_a_body_that_is_no_json_says_so_and_where(ada: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    told = problem(ada.post("/v1/search", content=b'{"query" 1}', headers=headers), 422)

    assert told["field"] == "body"
    assert "is no JSON" in told["detail"]
    assert "9" in told["detail"]


# -- cursors, papers, short forms ---------------------------------------------------------------


def test_sources_have_a_cursor_like_all_other_lists(world: World) -> None:
    ada = world.of("ada")
    for number in range(4):
        ada.post("/v1/sources", json={"content": f"Note {number}."})
    seen: list[str] = []
    after: str | None = None
    while True:
        more = {} if after is None else {"after": after}
        page = ada.get("/v1/sources", params={"limit": 2, **more}).json()
        seen += [one["key"] for one in page["items"]]
        after = page["next"]
        if after is None:
            break
        assert after not in seen
    assert seen == [one.key for one in world.ada.sources()]
    for wrong in ("garbage", seen[0]):
        assert problem(ada.get("/v1/sources", params={"after": wrong}), 422)["field"] == "after"


def test_whoever_was_given_the_paper_of_an_erasure_can_check_it(world: World) -> None:
    erased = world.of("ada").delete(f"/v1/sources/{world.source}").json()
    reader = world.of("ada", ["read"])

    assert reader.post("/v1/erasures/verify", json={"certificate": erased}).json()["genuine"]
    forged = {**erased, "by": "bob"}
    assert not reader.post("/v1/erasures/verify", json={"certificate": forged}).json()["genuine"]


def test_a_short_form_that_never_was_cannot_be_removed(world: World) -> None:
    ada = world.of("ada")

    def events() -> int:
        return world.memory.env.ledger.last_seq(world.ada.scope)

    ada.put("/v1/abbreviations/CRM", json={"long": "customer relations"})
    before = events()
    problem(ada.delete("/v1/abbreviations/ANYTHING"), 404)
    assert events() == before
    assert ada.delete("/v1/abbreviations/CRM").json() == {"removed": True}
    problem(ada.delete("/v1/abbreviations/CRM"), 404)
