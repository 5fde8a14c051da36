"""Clients of an API in this process, each with a key of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from remanent.clock import SteppedClock
from remanent.jobs.rules import ServerRules
from remanent.memory import Memory, UserMemory
from remanent.surfaces.http.app import create_app
from remanent_conformance.builders import digest

ALL = ("read", "write", "manage")
GOLDEN = Path(__file__).parents[2] / "golden" / "files" / "openapi.json"
# The API's description, as tests/golden holds it to the code: to make it would cost every worker seconds.
DOCUMENT: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
NO_LIMIT = ServerRules(requests_per_minute=0)


@dataclass
class World:
    memory: Memory
    clock: SteppedClock
    source: str
    belief: str
    _app: FastAPI | None = None
    _clients: list[TestClient] = field(default_factory=list)

    @property
    def app(self) -> FastAPI:
        if self._app is None:
            self._app = create_app(self.memory, rules=NO_LIMIT, clock=self.clock)
        return self._app

    def behind(self, app: FastAPI) -> World:
        """The same world behind that door."""
        self._app = app
        return self

    def ruled(self, **rules: Any) -> World:
        """The same world behind a door with other rules."""
        return self.behind(create_app(self.memory, rules=ServerRules(**rules), clock=self.clock))

    def in_dev(self, user: str | None = None, **rules: Any) -> TestClient:
        app = create_app(
            self.memory, dev=True, user=user, rules=ServerRules(**rules), clock=self.clock
        )
        return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)

    def client(self, secret: str | None = None, **headers: str) -> TestClient:
        given = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        return TestClient(self.app, headers={**given, **headers}, raise_server_exceptions=False)

    def key(self, user: str | None, powers: Sequence[str] = ALL, **more: Any) -> str:
        return self.memory.create_key(user, name="test", powers=powers, **more).secret

    def of(self, user: str, powers: Sequence[str] = ALL, **more: Any) -> TestClient:
        """A client with a key of that user's."""
        return self.client(self.key(user, powers, **more))

    def service(self, powers: Sequence[str] = ALL, **headers: str) -> TestClient:
        return self.client(self.key(None, powers), **headers)

    @property
    def ada(self) -> UserMemory:
        return self.memory.user("ada", create=False)


def people(memory: Memory, clock: SteppedClock) -> World:
    ada = memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")
    for one in ("bob", "cleo", "dan"):
        memory.user(one, name=one.title())
    ada.create_team("The band", "band")
    for one, role in (("bob", "admin"), ("cleo", "member")):
        invitation = ada.invite("band", one, role)
        memory.user(one).accept(invitation.invitation_id)
    source = ada.add("The quartz recipe is under the mat.", title="A secret")
    belief = ada.remember("I play the cello.").belief.key
    memory.work()
    return World(memory=memory, clock=clock, source=source, belief=belief)


def problem(response: httpx.Response, status: int) -> dict[str, Any]:
    """The problem that a response is, which must be one of that status."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = response.json()
    assert told["status"] == status
    assert told["type"].startswith("urn:remanent:")
    assert told["title"]
    assert told["detail"]
    assert told["instance"].startswith("/")
    return told


def events_in(text: str) -> list[tuple[str, str]]:
    """Server-sent events by name and data; heartbeats are left out."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in lines:
            found.append((lines["event"], lines["data"]))
    return found


@contextmanager
def nothing_changes(memory: Memory) -> Iterator[None]:
    """No word of anyone's memory, and no place of anyone, is another afterwards."""
    before = _said(memory)
    yield
    assert _said(memory) == before


def _said(memory: Memory) -> dict[str, Any]:
    env, users, keys = memory.env, memory.users(), memory.keys()
    scopes = {one.user_id: env.registry.scope_of(one.user_id) for one in users}
    return {
        "users": users,
        "graphs": {name: digest(env.graph.export(scope)) for name, scope in scopes.items()},
        "teams": {one.user_id: memory.user(one.user_id).teams() for one in users},
        "keys": [(one.key_id, one.revoked_at) for one in keys],
        "jobs": {one.user_id: len(memory.user(one.user_id).jobs()) for one in users},
    }
