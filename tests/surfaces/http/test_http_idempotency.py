"""Idempotency keys: the same request under the same name is done once."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from api_world import World, problem

from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.idempotency import IdempotentRequest

NAMED = {"Idempotency-Key": "a name"}
CELLO = {"text": "I sold the cello."}


def test_the_same_request_again_gets_the_same_answer(world: World) -> None:
    ada = world.of("ada")
    first = ada.post("/v1/remember", json=CELLO, headers=NAMED)
    world.clock.advance(timedelta(hours=23))
    again = ada.post("/v1/remember", json=CELLO, headers=NAMED)

    assert "idempotent-replay" not in first.headers
    assert again.headers["idempotent-replay"] == "true"
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["content-type"] == first.headers["content-type"]
    assert again.json()["outcome"] == "created" or again.json() == first.json()
    key = first.json()["belief"]["key"]
    assert len(ada.get(f"/v1/beliefs/{key}/why").json()["items"]) == 1


def test_after_a_day_it_is_a_new_request(world: World) -> None:
    ada = world.of("ada")
    ada.post("/v1/remember", json=CELLO, headers=NAMED)
    world.clock.advance(timedelta(hours=24))
    again = ada.post("/v1/remember", json=CELLO, headers=NAMED)

    assert "idempotent-replay" not in again.headers
    assert world.memory.once.purge() == 0
    world.clock.advance(timedelta(hours=24))
    assert world.memory.once.purge() == 1


def test_another_request_under_the_same_name_is_refused(world: World) -> None:
    ada = world.of("ada")
    ada.post("/v1/remember", json=CELLO, headers=NAMED)
    told = problem(ada.post("/v1/remember", json={"text": "Other."}, headers=NAMED), 422)
    assert told["field"] == "Idempotency-Key"
    problem(ada.post("/v1/sources", json={"content": "x"}, headers=NAMED), 422)
    problem(ada.post("/v1/remember", json=CELLO, headers={**NAMED, "Remanent-Team": "band"}), 422)


def test_each_key_and_user_has_names_of_their_own(world: World) -> None:
    clients = [world.of("ada"), world.of("ada"), world.of("bob")]
    answers = [one.post("/v1/remember", json=CELLO, headers=NAMED) for one in clients]

    assert [one.headers.get("idempotent-replay") for one in answers] == [None, None, None]


def test_a_refused_request_may_be_corrected_under_its_name(world: World) -> None:
    ada = world.of("ada")
    problem(ada.post("/v1/remember", json={"text": " "}, headers=NAMED), 422)

    assert ada.post("/v1/remember", json=CELLO, headers=NAMED).status_code == 200


def test_of_two_at_once_one_is_done(world: World) -> None:
    ada, answers = world.of("ada"), []
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait()
        answers.append(ada.post("/v1/remember", json=CELLO, headers=NAMED))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    new = [
        one for one in answers if one.status_code == 200 and "idempotent-replay" not in one.headers
    ]
    others = [one for one in answers if one not in new]
    assert len(new) == 1
    assert all(one.status_code == 409 or one.headers["idempotent-replay"] for one in others)
    key = new[0].json()["belief"]["key"]
    assert len(ada.get(f"/v1/beliefs/{key}/why").json()["items"]) == 1


def begun(world: World, user: str, secret: str, body: bytes, path: str) -> None:
    """What a server leaves that was killed after it began, and before it answered."""
    import hashlib

    digest = hashlib.sha256(b"\x1f".join((b"POST", path.encode(), b"", b"", body))).hexdigest()
    asker = secret.split("_")[1]
    _, is_ours = world.memory.once.begin(user, asker, NAMED["Idempotency-Key"], digest)
    assert is_ours


@pytest.mark.parametrize(
    ("path", "body", "count"),
    [
        ("/v1/remember", b'{"text": "I sold the cello."}', "beliefs"),
        ("/v1/events", b'{"event_type": "tool.called"}', "events"),
        ("/v1/sources", b'{"content": "A letter."}', "sources"),
        ("/v1/teams", b'{"name": "Chess"}', "teams"),
    ],
)
def test_killed_in_between_it_is_done_once_all_the_same(
    world: World, path: str, body: bytes, count: str
) -> None:
    """The first server did it and was killed before it could keep its answer."""
    secret = world.key("ada")
    ada = world.client(secret)
    headers: dict[str, Any] = {**NAMED, "Content-Type": "application/json"}
    first = ada.post(path, content=body, headers=headers)
    world.memory.env.records.delete(Scope(user_id="ada"), Select(IdempotentRequest))
    begun(world, "ada", secret, body, path)

    answer = ada.post(path, content=body, headers=headers)
    problem(answer, 409)
    assert answer.headers["retry-after"] == "1"
    world.clock.advance(timedelta(minutes=5))
    before = len(ada.get(f"/v1/{count}").json()["items"])
    again = ada.post(path, content=body, headers=headers)

    if count == "teams":  # its id follows from the name, and is taken: by the team it made
        problem(again, 409)
    else:
        assert again.status_code == first.status_code
    assert len(ada.get(f"/v1/{count}").json()["items"]) == before


def test_an_empty_or_endless_name_is_refused(world: World) -> None:
    ada = world.of("ada")
    problem(ada.post("/v1/remember", json=CELLO, headers={"Idempotency-Key": "x" * 256}), 422)
    problem(ada.post("/v1/remember", json=CELLO, headers={"Idempotency-Key": ""}), 422)


def test_reading_takes_no_notice_of_a_name(world: World) -> None:
    ada = world.of("ada")
    for _ in range(2):
        found = ada.post("/v1/search", json={"query": "quartz"}, headers=NAMED)
        assert found.status_code == 200
        assert "idempotent-replay" not in found.headers


def test_where_a_name_is_not_taken_it_is_refused(world: World) -> None:
    told = problem(world.service().post("/v1/all/work", headers=NAMED), 422)

    assert told["field"] == "Idempotency-Key"
