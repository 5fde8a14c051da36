"""Answers: pages, ETags, files, and the same records that the command line prints."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from api_world import World, problem
from fastapi.testclient import TestClient

from remanent.core.model.codec import to_record
from remanent.core.model.mind_types import BeliefDraft
from remanent.surfaces.http.answers import json_response, page
from remanent.testing import ScriptedMind


def walked(client: TestClient, path: str, limit: int, **params: Any) -> list[dict[str, Any]]:
    """All items of a list, page by page."""
    found: list[dict[str, Any]] = []
    after: str | None = None
    for _ in range(100):
        asked = {"limit": limit, **params, **({} if after is None else {"after": after})}
        answer = client.get(path, params=asked).json()
        assert len(answer["items"]) <= limit
        found += answer["items"]
        after = answer["next"]
        if after is None:
            return found
    raise AssertionError("there is no end of it")


@pytest.fixture
def full(world: World) -> TestClient:
    for number in range(7):
        world.ada.add(f"Letter number {number} about the harbour.")
        world.ada.remember(f"My number {number} boat is called Boat{number}.")
        world.ada.record("tool.called", {"n": number}, session_id="s")
        world.clock.advance(timedelta(minutes=1))
    world.memory.work()
    return world.of("ada")


def test_what_became_of_each_statement_is_said(world: World) -> None:
    mind = world.memory.env.mind
    assert isinstance(mind, ScriptedMind)
    mind.remembered = lambda text: [BeliefDraft(statement=one) for one in text.split("; ")]
    ada = world.of("ada")

    one = ada.post("/v1/remember", json={"text": "Tom keeps bees"}).json()
    two = ada.post("/v1/remember", json={"text": "My kettle is red; Tom keeps bees"}).json()

    assert (one["outcome"], one["also"]) == ("created", [])
    assert (two["outcome"], two["belief"]["statement"]) == ("created", "My kettle is red")
    (also,) = two["also"]
    assert (also["outcome"], also["belief"]["key"]) == ("reinforced", one["belief"]["key"])


def test_pages_give_every_item_once(full: TestClient) -> None:
    for path in ("sources", "beliefs", "anchors", "jobs", "stories", "forgettable"):
        whole = full.get(f"/v1/{path}", params={"limit": 1000}).json()
        for limit in (1, 3, 8, 1000):
            found = walked(full, f"/v1/{path}", limit)

            assert [one["key"] for one in found] == [one["key"] for one in whole["items"]], path
            assert len({one["key"] for one in found}) == len(found), path


def test_events_and_hits_have_pages(full: TestClient) -> None:
    events = walked(full, "/v1/events", 3, touch=False)
    hits = walked(full, "/v1/search", 2, query="harbour", touch=False)

    assert len({one["event"]["key"] for one in events}) == len(events) >= 7
    assert len({one["key"] for one in hits}) == len(hits) >= 7


def test_a_made_up_cursor_is_refused(full: TestClient) -> None:
    for after in ("nonsense", "eyJ9", "WzEsIDJd", "W10", "\u00e9"):
        assert problem(full.get("/v1/beliefs", params={"after": after}), 422)["field"] == "after"


def test_a_page_goes_on_where_it_ended_though_something_came_before_it() -> None:
    letters = list("bcdefg")
    first = page(lambda _: letters, str, 2, None)
    letters.insert(0, "a")
    second = page(lambda _: letters, str, 2, first["next"])
    letters.remove("e")
    third = page(lambda _: letters, str, 2, second["next"])

    assert (first["items"], second["items"]) == (["b", "c"], ["d", "e"])
    assert third["items"] == ["g"]  # by number, where the last one seen is gone


def test_a_thing_that_is_as_it_was_is_not_sent_again(world: World) -> None:
    ada = world.of("ada")
    path = f"/v1/memories/{world.belief}"
    first = ada.get(path)
    tag = first.headers["etag"]
    world.clock.advance(timedelta(hours=1))
    again = ada.get(path, headers={"If-None-Match": f'"other", {tag}'})

    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == tag
    assert first.headers["cache-control"] == "private, no-cache"


def test_a_thing_that_is_another_has_another_tag(world: World) -> None:
    ada = world.of("ada")
    path = f"/v1/beliefs/{world.belief}"
    tag = ada.get(path).headers["etag"]
    ada.post(f"{path}/forget", json={"reason": "sold"})
    again = ada.get(path, headers={"If-None-Match": tag})

    assert again.status_code == 200
    assert again.headers["etag"] != tag


def test_bodies_are_the_records_of_the_same_things(world: World) -> None:
    ada = world.of("ada")

    assert ada.get("/v1/beliefs").json()["items"] == to_record(world.ada.beliefs())
    assert ada.get("/v1/timetable").json()["items"] == to_record(world.ada.timetable())
    status = to_record(world.ada.status())
    assert ada.get("/v1/status").json() == {**status, "place": ""}


def test_beliefs_go_out_and_come_in_as_lines(world: World) -> None:
    out = world.of("ada").get("/v1/beliefs/export")
    assert out.headers["content-type"] == "application/jsonl"
    dan = world.of("dan")
    headers = {"Content-Type": "application/jsonl"}
    dry = dan.post("/v1/beliefs/import?dry_run=true", content=out.content, headers=headers)
    done = dan.post("/v1/beliefs/import", content=out.content, headers=headers)

    assert dry.status_code == done.status_code == 200, done.text
    statements = [one["statement"] for one in dan.get("/v1/beliefs").json()["items"]]
    assert statements == ["I play the cello."]


def test_an_upload_is_taken_in_and_known_again(world: World) -> None:
    ada = world.of("ada")
    line = {"content": "The harbour is closed.", "type": "text-note"}
    sent = {
        "content": json.dumps(line).encode(),
        "headers": {"Content-Type": "application/octet-stream"},
    }
    first = ada.post("/v1/imports?format=jsonl", **sent)
    again = ada.post("/v1/imports?format=jsonl", **sent)

    assert first.json()["added"] == 1, first.text
    assert again.json()["known"] == 1
    assert ada.post("/v1/imports/estimate?format=jsonl", **sent).status_code == 200
    problem(ada.post("/v1/imports?name=../../etc/passwd", **sent), 422)


def test_an_export_is_the_whole_of_what_one_may_take(world: World) -> None:
    text = world.of("ada").get("/v1/export").text

    assert "quartz" in text
    assert "quartz" not in world.of("dan").get("/v1/export").text


def test_search_by_the_address_alone_is_the_same(world: World) -> None:
    ada = world.of("ada")
    asked = {"query": "quartz", "kinds": ["passage", "source"], "touch": False}

    assert ada.get("/v1/search", params=asked).json() == ada.post("/v1/search", json=asked).json()


def test_an_unknown_parameter_is_refused(world: World) -> None:
    assert problem(world.of("ada").get("/v1/sources?limi=3"), 422)["field"] == "limi"


def test_half_a_character_does_not_spoil_an_answer() -> None:
    answer = json_response({"text": "caf\u00e9 \ud83d", "waits": timedelta(seconds=1.5)})
    assert json.loads(answer.body) == {"text": "caf\u00e9 ?", "waits": 1.5}
    assert json.loads(json_response({"waits": timedelta(seconds=1.5)}).body) == {"waits": 1.5}
