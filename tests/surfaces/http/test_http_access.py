"""Every write, tried by nobody, by a stranger, by a reader, by a member and by an admin."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from api_world import DOCUMENT, World, nothing_changes, problem
from fastapi.testclient import TestClient
from test_http_verbs import operations

from remanent.surfaces.http.routing import FOR, POWER, TAKES

# What each write needs to be sent, so that only the caller can be what is wrong with it.
BODIES: dict[str, Any] = {
    "POST /v1/sources": {"content": "Anything."},
    "POST /v1/sources/{key}/artifacts": {"name": "a", "output": "b"},
    "POST /v1/remember": {"text": "I like tea."},
    "POST /v1/beliefs/contradictions": {},
    "POST /v1/beliefs/{key}/restate": {"statement": "I play the harp."},
    "POST /v1/consolidate": {"turns": [{"text": str(n), "speaker": "Ada"} for n in range(4)]},
    "PUT /v1/abbreviations/{short}": {"long": "a long form"},
    "POST /v1/instructions": {"text": "Always answer in French."},
    "POST /v1/anchors/{key}/merge": {"into": "other"},
    "POST /v1/memories/{key}/correct": {"field": "context_type", "value": "planning"},
    "POST /v1/relationships": {"src": "Ada", "dst": "Sarah Chen", "type": "friend"},
    "POST /v1/events": {"event_type": "tool.called"},
    "PUT /v1/consumers/{consumer}": {"seq": 1},
    "POST /v1/events/batch": {"events": [{"event_type": "tool.called"}]},
    "POST /v1/teams": {"name": "Another"},
    "PUT /v1/teams/primary": {"team": "band"},
    "PUT /v1/teams/active": {"team": "band"},
    "PATCH /v1/teams/{team}": {"name": "The gang"},
    "PUT /v1/teams/{team}/members/{user_id}": {"role": "admin"},
    "POST /v1/teams/{team}/invitations": {"user_id": "eve"},
    "POST /v1/users": {"user_id": "eve"},
    "POST /v1/embedding": {"embedder": "builtin"},
    "POST /v1/keys": {"name": "another"},
}


ROUTES = {f"{method} {path}": one for method, path, one in operations(DOCUMENT) if POWER in one}
WRITES = sorted(name for name, one in ROUTES.items() if one[POWER] != "read")
OF_A_USER = [name for name in WRITES if ROUTES[name][FOR] == "user"]
OF_A_SERVICE = sorted(name for name, one in ROUTES.items() if one[FOR] == "service")
WITH_KEYS = [name for name in OF_A_USER if "{key}" in name]
# What a team's member, admin and owner may do to it; who is outside learns nothing of it.
TEAM_WRITES = {
    "PATCH /v1/teams/{team}": "admin",
    "PUT /v1/teams/{team}/members/{user_id}": "admin",
    "DELETE /v1/teams/{team}/members/{user_id}": "admin",
    "POST /v1/teams/{team}/invitations": "admin",
    "DELETE /v1/teams/{team}": "owner",
}


def send(client: TestClient, name: str, world: World, **names: str) -> Any:
    method, path = name.split(" ")
    key = world.belief if "beliefs" in path else world.source
    filled = {
        "key": key,
        "team": "band",
        "user_id": "cleo",
        "short": "QR",
        "consumer": "mine",
        "session_id": "s1",
        "invitation_id": "none",
        "key_id": "none",
        "correction_id": "none",
        **names,
    }
    takes = ROUTES[name].get(TAKES, "application/json")
    if takes != "application/json":
        return client.request(
            method, path.format(**filled), content=b"{}", headers={"Content-Type": takes}
        )
    return client.request(method, path.format(**filled), json=BODIES.get(name))


def test_the_table_of_bodies_holds_only_writes() -> None:
    assert BODIES.keys() <= set(WRITES)


@pytest.mark.parametrize("name", WRITES)
def test_nobody_gets_in_without_a_good_key(still: World, name: str) -> None:
    expired = still.key("ada", expires_at=still.clock.now() + timedelta(hours=1))
    revoked = still.key("ada")
    still.clock.advance(timedelta(hours=2))
    still.memory.revoke_key(revoked.split("_")[1])
    details = set()
    with nothing_changes(still.memory):
        for secret in (None, "rmn_0000000000000000_nonsense", expired, revoked, f"{revoked}x"):
            response = send(still.client(secret), name, still)
            details.add(problem(response, 401)["detail"])
            assert response.headers["www-authenticate"].startswith("Bearer")

    assert len(details) == 1


@pytest.mark.parametrize("name", WRITES)
def test_a_reader_writes_nothing(still: World, name: str) -> None:
    reader = still.of("ada", ["read"])
    service = still.service(["read"], **{"Remanent-User": "ada"})
    with nothing_changes(still.memory):
        for client in (reader, service):
            problem(send(client, name, still), 403)


@pytest.mark.parametrize("name", [one for one in WRITES if ROUTES[one][POWER] == "manage"])
def test_a_writer_manages_nothing(still: World, name: str) -> None:
    client = still.of("ada", ["read", "write"])
    with nothing_changes(still.memory):
        problem(send(client, name, still), 403)


@pytest.mark.parametrize("name", OF_A_SERVICE)
def test_what_is_about_all_needs_a_key_of_a_service(still: World, name: str) -> None:
    keys = [still.key("ada"), still.key(None, team="band")]
    with nothing_changes(still.memory):
        for secret in keys:
            problem(send(still.client(secret, **{"Remanent-User": "ada"}), name, still), 403)


@pytest.mark.parametrize("name", WITH_KEYS)
@pytest.mark.parametrize("who", ["dan", "cleo", "bob"])
def test_what_is_anothers_own_is_not_there(still: World, name: str, who: str) -> None:
    """Personal things of Ada's: for a stranger as for a member or an admin of her team."""
    client = still.of(who)
    with nothing_changes(still.memory):
        told = problem(send(client, name, still), 404)

    assert "quartz" not in told["detail"]
    assert "cello" not in told["detail"]


@pytest.mark.parametrize("name", OF_A_USER)
def test_a_key_acts_for_its_own_user_only(still: World, name: str) -> None:
    client = still.client(still.key("dan"), **{"Remanent-User": "ada"})
    with nothing_changes(still.memory):
        problem(send(client, name, still), 403)


@pytest.mark.parametrize("name", OF_A_USER)
def test_a_service_has_to_say_for_whom(still: World, name: str) -> None:
    client = still.service()
    with nothing_changes(still.memory):
        assert problem(send(client, name, still), 422)["field"] == "Remanent-User"


@pytest.mark.parametrize(("name", "least"), TEAM_WRITES.items())
def test_a_team_is_tended_by_who_may(world: World, name: str, least: str) -> None:
    stranger, member = world.of("dan"), world.of("cleo")
    others = {"user_id": "bob"} if "{user_id}" in name else {}
    with nothing_changes(world.memory):
        problem(send(stranger, name, world), 404)
        problem(send(member, name, world, **others), 403)
    admin = send(world.of("bob"), name, world)
    if least == "admin":
        assert admin.status_code in (200, 201), admin.text
    else:
        problem(admin, 403)
        assert send(world.of("ada"), name, world).status_code == 200


def test_a_member_of_a_team_reads_what_it_shares_and_a_stranger_does_not(world: World) -> None:
    shared = world.ada.add("We play in the barn on Friday.", team="band")
    world.memory.work()

    assert world.of("cleo").get(f"/v1/sources/{shared}").status_code == 200
    stranger = world.of("dan")
    with nothing_changes(world.memory):
        problem(stranger.get(f"/v1/sources/{shared}"), 404)
        problem(stranger.delete(f"/v1/sources/{shared}"), 404)


def test_a_key_of_a_team_sees_no_other_team(world: World) -> None:
    world.ada.create_team("Chess", "chess")
    barn = world.ada.add("We play in the barn on Friday.", team="band")
    pawn = world.ada.add("We play with the white pawn.", team="chess")
    world.memory.work()
    bound = world.of("ada", team="band")
    free = world.of("ada")

    assert bound.get(f"/v1/sources/{barn}").status_code == 200
    problem(bound.get(f"/v1/sources/{pawn}"), 404)
    problem(bound.get("/v1/status", headers={"Remanent-Team": "chess"}), 403)
    narrowed = {"Remanent-Team": "band"}
    assert free.get(f"/v1/sources/{pawn}").status_code == 200
    problem(free.get(f"/v1/sources/{pawn}", headers=narrowed), 404)
    problem(free.get("/v1/status", headers={"Remanent-Team": "nobody-knows"}), 404)


def test_a_service_acts_for_whom_it_names(world: World) -> None:
    service = world.service()
    seen = service.get("/v1/status", headers={"Remanent-User": "cleo"})

    assert seen.json()["user_id"] == "cleo"
    problem(service.get("/v1/status", headers={"Remanent-User": "nobody"}), 404)


def test_a_key_may_come_in_either_header(world: World) -> None:
    secret = world.key("ada")

    assert world.client().get("/v1/status", headers={"X-API-Key": secret}).status_code == 200
    assert (
        world.client().get("/v1/status", headers={"authorization": f"bearer {secret}"}).status_code
        == 200
    )
    problem(world.client().get("/v1/status", headers={"Authorization": f"Basic {secret}"}), 401)


def test_a_user_makes_keys_for_themselves_that_may_do_no_more(world: World) -> None:
    end = world.clock.now() + timedelta(days=1)
    client = world.of("ada", ["read", "manage"], expires_at=end)
    made = client.post("/v1/keys", json={"name": "mine", "powers": ["read"]})
    assert made.status_code == 201
    assert made.json()["key"]["user_id"] == "ada"
    assert made.json()["key"]["expires_at"] == end.isoformat()
    assert world.client(made.json()["secret"]).get("/v1/status").status_code == 200

    problem(client.post("/v1/keys", json={"name": "x", "powers": ["write"]}), 403)
    problem(client.post("/v1/keys", json={"name": "x", "powers": ["read"], "user_id": "bob"}), 403)
    theirs = {one["user_id"] for one in client.get("/v1/keys").json()["items"]}
    assert theirs == {"ada"}
    bobs = world.key("bob").split("_")[1]
    problem(client.delete(f"/v1/keys/{bobs}"), 404)
    own = made.json()["key"]["key_id"]
    assert client.delete(f"/v1/keys/{own}").json()["revoked_at"]
    problem(world.client(made.json()["secret"]).get("/v1/status"), 401)


def test_no_answer_ever_tells_a_secret_again(world: World) -> None:
    service = world.service()
    secret = service.post("/v1/keys", json={"name": "one"}).json()["secret"]
    tail = secret.split("_", 2)[2]  # the secret part, which may have underscores of its own

    assert tail not in service.get("/v1/keys").text
    assert tail not in service.get("/v1/all/audit").text
    assert tail not in service.get("/metrics").text
    problem(service.post("/v1/keys", json={"name": "two"}, headers={"Idempotency-Key": "k"}), 422)
