"""Every route does what it is for, once, and what it answers has the shape it is described with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
import schemathesis
from api_world import DOCUMENT, NO_LIMIT, World, people
from test_http_access import BODIES
from test_http_verbs import operations

from remanent.clock import SteppedClock
from remanent.memory import Memory
from remanent.surfaces.http.app import create_app
from remanent.surfaces.http.routing import TAKES
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import a_person

QUERIES = {
    "GET /v1/recall": {"query": "cello", "explain": True},
    "GET /v1/search": {"query": "quartz", "explain": True},
    "GET /v1/relationships": {"key": "{person}"},
    "GET /v1/events": {"query": "tuner", "explain": True},
    "GET /v1/jobs/stream": {"until_idle": True},
    "GET /v1/doctor": {"offline": True},
    "GET /v1/audit": {"team": "band"},
    "POST /v1/imports": {"format": "jsonl"},
    "POST /v1/imports/estimate": {"format": "jsonl"},
}
ASKED = {
    "POST /v1/recall": {"query": "cello"},
    "POST /v1/search": {"query": "quartz", "explain": True},
    "POST /v1/search/why-not": {"key": "{belief}", "query": "quartz"},
    "POST /v1/explore": {"queries": ["quartz"], "return_explanations": True},
    "POST /v1/traverse": {"seeds": ["{source}"]},
    "POST /v1/cypher": {"query": "MATCH (b:Belief) RETURN b.statement"},
    "POST /v1/context": {"message": "What do I play?"},
    "POST /v1/need": {"message": "What do I play?", "before": [{"text": "Hello."}]},
    "POST /v1/phrasings": {"query": "What do I play?"},
    "POST /v1/events/search": {"limit": 3},
    "POST /v1/imports/learned": {"sources": ["{source}"]},
    "POST /v1/anchors/{key}/merge": {"into": "{source}"},
    "POST /v1/relationships": {"src": "{person}", "dst": "Sarah Chen", "type": "friend"},
    "POST /v1/sleep": {"only": ["fade"]},
    "POST /v1/all/sleep": {"only": ["expire"]},
    "POST /v1/embedding": {"embedder": "hash"},
    "POST /v1/keys": {"name": "another", "user_id": "ada"},
    "POST /v1/erasures/verify": {"certificate": {}},
}
# These end as a problem here, for a reason; their good answers have tests of their own.
ENDS_OTHERWISE = {
    "POST /v1/anchors/{key}/merge": 404,  # a source is no anchor
    "POST /v1/anchors/{key}/split": 422,  # nothing was merged
    "POST /v1/embedding": 422,  # no such embedder
    "POST /v1/all/import": 422,  # these lines are no memory
    "POST /v1/teams/{team}/leave": 409,  # the last owner
    "DELETE /v1/teams/{team}": 409,  # it holds sources
    "POST /v1/jobs/{key}/retry": 404,  # none is parked
}


@pytest.fixture(scope="module")
def full() -> Iterator[World]:
    clock = SteppedClock(datetime(2026, 5, 4, 9, tzinfo=UTC))
    with Memory.open(
        ":memory:", clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()
    ) as opened:
        world = people(opened, clock)
        world.ada.record("message.sent", {"role": "user", "text": "Hi"}, session_id="s1")
        world.ada.add("The barn is booked.", team="band")
        env = opened.env
        env.graph.put(env.registry.scope_of("ada"), a_person("Sarah Chen", user="ada"))
        opened.work()
        yield world.behind(create_app(opened, rules=NO_LIMIT, clock=clock))


ROUTES = sorted(
    ((f"{method} {path}", one) for method, path, one in operations(DOCUMENT)),
    key=lambda route: route[0].startswith(
        "DELETE"
    ),  # what is there is used before it is taken away
)


def _filled(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value.strip("{}"), value) if value.startswith("{") else value
    if isinstance(value, dict):
        return {name: _filled(one, names) for name, one in value.items()}
    return [_filled(one, names) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def schema(full: World) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", create_app(full.memory))


@pytest.mark.parametrize(("name", "route"), ROUTES, ids=[name for name, _ in ROUTES])
def test_a_good_request_gets_an_answer_of_the_described_shape(
    full: World, schema: Any, name: str, route: dict[str, Any]
) -> None:
    method, path = name.split(" ")
    ada, guest = full.ada, f"guest-{len(full.memory.users())}"
    full.memory.user(guest)
    source = ada.add(f"Something for {name}.")
    belief = ada.remember(f"I own {name}.").belief.key
    if "stream" in path:  # it ends when nothing is left to do
        full.memory.work()
    names = {
        "source": source,
        "belief": belief,
        "person": next(one.key for one in ada.anchors("person") if one.name != "Sarah Chen"),
        "team": "band",
        "user_id": "cleo" if "members" in path else guest,
        "short": "QR",
        "consumer": "mine",
        "session_id": "s1",
        "invitation_id": ada.invite("band", guest).invitation_id,
        "key_id": full.memory.create_key("dan", name="x").key.key_id,
        "correction_id": ada.correct("Sarah Chen", "note", f"Of {name}.").correction_id,
    }
    kind = "belief" if "beliefs" in path else "person" if "anchors" in path else "source"
    names["key"] = names[kind]
    if "instructions/" in path:
        names["key"] = ada.instruct(f"Never own {name}.").belief.key
    if "waiting" in path:  # guests share no team with ada, and are asked
        names["key"] = ada.add(f"An offer for {name}.", participants=[guest])
    if path.endswith("hide"):  # what is not one's own
        names["key"] = full.memory.user("bob").add(f"Bob's own {name}.", team="band")
    if path.endswith("unhide"):
        ada.hide(names["key"])
    who = guest if path.endswith(("/accept", "/decline")) else "ada"
    service = full.service(**{"Remanent-User": who})
    takes = route.get(TAKES, "application/json")
    sent: dict[str, Any] = {"params": _filled(QUERIES.get(name, {}), names)}
    if takes != "application/json":
        lines = StringIO()
        ada.export_beliefs(lines)
        line = '{"content": "The harbour is closed."}' if "imports" in path else lines.getvalue()
        sent |= {"content": line.encode(), "headers": {"Content-Type": takes}}
    else:
        sent["json"] = _filled(ASKED.get(name, BODIES.get(name)), names)
    response = service.request(method, path.format(**names), **sent)

    expected = ENDS_OTHERWISE.get(name)
    assert response.status_code == expected or (not expected and response.is_success), response.text
    response.request.read()
    schema[path][method].validate_response(response)
