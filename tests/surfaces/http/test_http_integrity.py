"""Integrity over HTTP: two ordinary keys, and one of them tries to speak for the other (DEFECTS S1)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from api_world import World, problem
from fastapi.testclient import TestClient

from remanent import Memory, SteppedClock
from remanent.testing import HashEmbedder

LIE = "I live in Pyongyang now. My sister is Eve Mallory."
TURNS = [{"speaker": "Ada Lind", "text": LIE}]
READ_WRITE = ("read", "write")


@pytest.fixture
def town(tmp_path: Path) -> Iterator[World]:
    """With the mind that everybody gets. Ada is in a team; Bob is in none with her."""
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with Memory.open(tmp_path / "memory.db", clock=clock, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada Lind", timezone="Europe/Oslo")
        memory.user("bob", name="Bob Ek")
        ada.create_team("Mine", "mine")
        belief = ada.remember("I moved to Oslo.").belief.key
        clock.advance(timedelta(hours=1))
        yield World(memory=memory, clock=clock, source="", belief=belief)


@pytest.fixture
def ada(town: World) -> TestClient:
    return town.of("ada", READ_WRITE)


@pytest.fixture
def bob(town: World) -> TestClient:
    return town.of("bob", READ_WRITE)


def name_ada(bob: TestClient, **more: Any) -> str:
    sent = {"content": TURNS, "type": "conversation", "participants": ["ada"], **more}
    answer = bob.post("/v1/sources", json=sent)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["key"])


def work(town: World) -> None:
    town.clock.advance(timedelta(minutes=1))
    town.memory.work()


def search(ada: TestClient, key: str) -> str:
    return ada.post("/v1/search", json={"query": "where do I live?"}).text


def context(ada: TestClient, key: str) -> str:
    sent = {"message": "Where do I live, and who is my sister?", "budget": 2000}
    return ada.post("/v1/context", json=sent).text


def source(ada: TestClient, key: str) -> str:
    return ada.get(f"/v1/sources/{key}").text


def listed(ada: TestClient, key: str) -> str:
    return ada.get("/v1/sources").text


WAYS = (search, context, source, listed)


def believed(ada: TestClient) -> dict[str, str]:
    return {one["statement"]: one["status"] for one in ada.get("/v1/beliefs").json()["items"]}


@pytest.mark.parametrize("way", WAYS)
def test_naming_somebody_tells_them_nothing(
    town: World, ada: TestClient, bob: TestClient, way: Callable[[TestClient, str], str]
) -> None:
    key = name_ada(bob)
    work(town)
    assert "Mallory" not in way(ada, key)
    work(town)
    assert believed(ada) == {"I moved to Oslo.": "active"}
    (waiting,) = ada.get("/v1/waiting").json()["items"]
    assert (waiting["key"], waiting["contributed_by"]) == (key, "bob")
    assert "Mallory" not in json.dumps(waiting)


def test_accepted_it_is_read_and_believed_by_nobody(
    town: World, ada: TestClient, bob: TestClient
) -> None:
    key = name_ada(bob)
    work(town)
    for _ in range(2):
        assert ada.post(f"/v1/waiting/{key}/accept").status_code == 200
    hits = ada.post("/v1/search", json={"query": "where do I live?"}).json()["items"]
    assert {one.get("contributed_by") for one in hits if "Mallory" in one["text"]} == {"bob"}
    lines = json.loads(context(ada, key))["text"].splitlines()
    assert all("(from Bob Ek)" in one for one in lines if "Mallory" in one)
    source(ada, key)
    work(town)
    assert believed(ada) == {"I moved to Oslo.": "active"}
    problem(ada.post(f"/v1/sources/{key}/redo"), 403)

    assert ada.post(f"/v1/sources/{key}/hide").status_code == 200
    assert not [one for one in WAYS if "Mallory" in one(ada, key)]
    assert [one["key"] for one in ada.get("/v1/hidden").json()["items"]] == [key]
    assert ada.post(f"/v1/sources/{key}/unhide").status_code == 200
    assert "Mallory" in source(ada, key)


def test_in_a_common_team_nobody_speaks_for_another(
    town: World, ada: TestClient, bob: TestClient
) -> None:
    invitation = town.ada.invite("mine", "bob")
    town.memory.user("bob").accept(invitation.invitation_id)
    key = name_ada(bob, participants=[], team="mine")
    work(town)
    for way in WAYS:
        way(ada, key)
    work(town)
    assert believed(ada)["I moved to Oslo."] == "active"
    for one in ada.get("/v1/beliefs").json()["items"]:
        for support in one["supports"]:
            mine = support["source_key"] is None
            assert support.get("contributed_by") == (None if mine else "bob")
            assert mine or not support["by_owner"]


def test_an_import_names_nobody_either(town: World, ada: TestClient, bob: TestClient) -> None:
    line = json.dumps({"turns": TURNS, "type": "conversation", "participants": ["ada"]})
    headers = {"Content-Type": "application/octet-stream"}
    answer = bob.post("/v1/imports", params={"name": "lies.jsonl"}, content=line, headers=headers)
    assert answer.status_code == 200, answer.text
    work(town)
    assert not [one for one in WAYS if "Mallory" in one(ada, "nothing")]
    assert len(ada.get("/v1/waiting").json()["items"]) == 1


def test_declined_and_blocked_over_http(town: World, ada: TestClient, bob: TestClient) -> None:
    key = name_ada(bob)
    assert ada.post(f"/v1/waiting/{key[:8]}/decline").status_code == 200
    assert [ada.put("/v1/blocks/bob").json() for _ in range(2)] == [
        {"changed": True},
        {"changed": False},
    ]
    name_ada(bob, origin_id="another")
    assert ada.get("/v1/waiting").json()["items"] == []
    assert ada.get("/v1/blocks").json()["items"] == ["bob"]
    assert bob.get(f"/v1/sources/{key}").json()["page"]["node"]["accepted"] == []
    assert ada.delete("/v1/blocks/bob").json() == {"removed": True}
    problem(bob.post(f"/v1/waiting/{key}/accept"), 404)
    reader = town.of("ada", ("read",))
    problem(reader.post(f"/v1/waiting/{key}/accept"), 403)


def test_the_victim_cannot_be_answered_for(town: World, ada: TestClient, bob: TestClient) -> None:
    problem(bob.post(f"/v1/memories/{town.belief}/archive"), 404)
    headers = {"Remanent-User": "ada"}
    problem(bob.get("/v1/waiting", headers=headers), 403)
