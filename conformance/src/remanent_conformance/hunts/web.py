"""The other ways in: every reading route of the HTTP API, and every reading tool of the MCP server, asked
through a real server on this machine with each caller's own key; and for attackers every writing one."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import quote, urlencode

import uvicorn

from remanent.core.records.access import Power
from remanent.jobs.rules import ServerRules
from remanent.surfaces.http.app import create_app
from remanent.surfaces.http.routing import FOR, POWER
from remanent.surfaces.http.server import faces
from remanent.surfaces.mcp.mounted import PATH
from remanent_conformance.hunts.hunt import Ask, Request
from remanent_conformance.hunts.town import Town

_HOST: Final = "127.0.0.1"
_STREAM_SECONDS: Final = 0.2
# Long: what is given up goes on beside what comes next, and no run is like another.
_PATIENCE_SECONDS: Final = 900
_MCP_TOOLS: Final[Mapping[str, Callable[[Request], dict[str, Any]]]] = {
    "search": lambda r: {"query": r.words(), "limit": 20},
    "recall": lambda r: {"query": r.words()},
    "explore": lambda r: {"query": r.words(), "granularity": r.town.dice.choice((1, 2, 3))},
    "traverse": lambda r: {"seeds": [r.key()]},
    "context": lambda r: {"message": r.words(), "budget": 2000},
    "show": lambda r: {"key": r.key()},
    "forget": lambda r: {"key": r.key(), "dry_run": True},
    "corrections": lambda r: {"key": r.key()},
}
_MEM0: Final[tuple[tuple[str, str, Callable[[Request], dict[str, Any]] | None], ...]] = (
    ("GET", "/memories?user_id={user}", None),
    ("GET", "/memories/{key}", None),
    ("GET", "/v1/memories/?user_id={user}", None),
    ("GET", "/v1/memories/{key}/", None),
    ("GET", "/v1/memories/{key}/history/", None),
    ("GET", "/v1/entities/", None),
    ("POST", "/search", lambda r: {"query": r.words(), "user_id": r.somebody()}),
    (
        "POST",
        "/v2/memories/search/",
        lambda r: {"query": r.words(), "filters": {"OR": [{"user_id": r.somebody()}]}},
    ),
    ("POST", "/v2/memories/", lambda r: {"filters": {"NOT": [{"user_id": r.somebody()}]}}),
)


_MCP_ATTACKS: Final[Mapping[str, Callable[[Request], dict[str, Any]]]] = {
    "remember": lambda r: {"statement": r.words()},
    "add_source": lambda r: {"turns": [{"speaker": r.somebody(), "text": r.words()}]},
    "record": lambda r: {"event_type": "message", "payload": {"text": r.words()}},
    "forget": lambda r: {"key": r.key()},
    "correct": lambda r: {"key": r.key(), "field": "note", "value": r.words()},
    "relate": lambda r: {"src": r.key(), "dst": r.key(), "type": "friend"},
    "answer_source": lambda r: {
        "key": r.key(),
        "answer": r.town.dice.choice(("accept", "decline", "block", "hide", "unhide")),
    },
}
_MEM0_ATTACKS: Final[tuple[tuple[str, str, Callable[[Request], dict[str, Any]] | None], ...]] = (
    ("POST", "/memories", lambda r: {"messages": r.words(), "user_id": r.somebody()}),
    ("POST", "/v1/memories/", lambda r: {"messages": r.words(), "user_id": r.somebody()}),
    ("PUT", "/memories/{key}", lambda r: {"text": r.words()}),
    ("DELETE", "/memories/{key}", None),
    ("DELETE", "/memories?user_id={user}", None),
    ("DELETE", "/v2/entities/user/{user}/", None),
)
_NOT_ATTACKS: Final = ("/v1/work", "/v1/sleep", "/v1/timetable/schedule")  # one's own, and slow


@dataclass(slots=True)
class Web:
    """A server of the town, and its callers' keys; `attacking`, what can be changed is tried."""

    attacking: bool = False
    _server: uvicorn.Server | None = None
    _thread: threading.Thread | None = None
    _port: int = 0
    _keys: dict[str, str] = field(default_factory=dict)

    def open(self, town: Town) -> Mapping[str, tuple[int, Ask]]:
        rules = ServerRules(requests_per_minute=10_000_000, burst=1_000_000)
        app = create_app(town.memory, rules=rules, clock=town.clock, faces=faces())
        powers = tuple(Power) if self.attacking else (Power.READ, Power.WRITE)
        for user in town.users:
            made = town.memory.create_key(user, name="leaks", powers=powers)
            self._keys[user] = made.secret
        self._start(app)
        has_mem0 = any(getattr(one, "path", "") == "/v1/ping/" for one in app.routes)
        ours = {**self._routes(app.openapi()), **self._tools()}
        return ours | (self._mem0() if has_mem0 else {})

    def close(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join()

    def _start(self, app: Any) -> None:
        config = uvicorn.Config(app, host=_HOST, port=0, log_level="error", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        (socket,) = self._server.servers[0].sockets
        self._port = socket.getsockname()[1]

    def _routes(self, document: Mapping[str, Any]) -> dict[str, tuple[int, Ask]]:
        routes: dict[str, tuple[int, Ask]] = {}
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if self._is_wanted(path, operation):
                    filled = partial(self._route, document, method.upper(), path, operation)
                    routes[f"{method.upper()} {path}"] = (1, filled)
        return routes

    def _is_wanted(self, path: str, operation: Mapping[str, Any]) -> bool:
        reads = operation.get(POWER) == Power.READ.value
        if not self.attacking:
            return operation.get(FOR) == "user" and reads
        return operation.get(FOR) in ("user", "anyone") and not reads and path not in _NOT_ATTACKS

    def _tools(self) -> dict[str, tuple[int, Ask]]:
        fills = _MCP_ATTACKS if self.attacking else _MCP_TOOLS
        tools = {
            f"mcp {name}": (1, partial(self._tool, name, fill)) for name, fill in fills.items()
        }
        if self.attacking:
            return dict(tools)
        return tools | {
            "mcp resources/list": (1, lambda r: self._rpc(r, "resources/list", {})),
            "mcp resources/read": (2, self._resource),
        }

    def _mem0(self) -> dict[str, tuple[int, Ask]]:
        return {
            f"mem0 {method} {path}": (1, partial(self._asked_as_mem0, method, path, body))
            for method, path, body in (_MEM0_ATTACKS if self.attacking else _MEM0)
        }

    def _asked_as_mem0(
        self,
        method: str,
        path: str,
        body: Callable[[Request], dict[str, Any]] | None,
        request: Request,
    ) -> str:
        where = path.replace("{key}", request.key()) if "{key}" in path else path
        where = where.replace("{user}", request.somebody()) if "{user}" in where else where
        return self._ask(request, method, where, None if body is None else body(request))

    def _route(
        self,
        document: Mapping[str, Any],
        method: str,
        path: str,
        operation: Mapping[str, Any],
        request: Request,
    ) -> str:
        query = {}
        for parameter in operation.get("parameters", ()):
            value = filler(document, parameter["name"], parameter.get("schema", {}), request)
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(str(value), safe=""))
            elif parameter["in"] == "query" and (parameter.get("required") or request.chance()):
                query[parameter["name"]] = value
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        sent = None if body is None else filler(document, "body", body["schema"], request)
        query = {name: value for name, value in query.items() if value is not None}
        where = f"{path}?{urlencode(query, doseq=True)}" if query else path
        return self._ask(request, method, where, sent)

    def _tool(self, name: str, fill: Callable[[Request], dict[str, Any]], request: Request) -> str:
        return self._rpc(request, "tools/call", {"name": name, "arguments": fill(request)})

    def _resource(self, request: Request) -> str:
        sort = request.town.dice.choice(("sources", "beliefs"))
        return self._rpc(request, "resources/read", {"uri": f"remanent://{sort}/{request.key()}"})

    def _rpc(self, request: Request, method: str, params: dict[str, Any]) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self._ask(request, "POST", PATH, message)

    def _ask(self, request: Request, method: str, where: str, sent: Any) -> str:
        """Status, headers and body, as the caller sees them; a fault of the server is a crash."""
        headers = {
            "Authorization": f"Bearer {self._keys[request.user]}",
            "Accept": f"application/json{', text/event-stream' if where == PATH else ''}",
        }
        teams = request.town.teams
        if where != PATH and request.town.dice.random() < 0.2:
            headers["Remanent-Team"] = request.town.dice.choice(teams)
        if self.attacking and request.town.dice.random() < 0.1:
            headers["Remanent-User"] = request.somebody()
        body = None if sent is None else json.dumps(sent)
        if body is not None:
            headers["Content-Type"] = "application/json"
        line = http.client.HTTPConnection(_HOST, self._port, timeout=_PATIENCE_SECONDS)
        try:
            line.request(method, where, body, headers)
            answer = line.getresponse()
            text = _read(answer, line).decode("utf-8", "replace")
        finally:
            line.close()
        if answer.status >= 500:
            raise RuntimeError(f"{method} {where}: {answer.status} {text[:200]}")
        return f"{answer.status} {answer.getheaders()} {text}"


def _read(answer: http.client.HTTPResponse, line: http.client.HTTPConnection) -> bytes:
    """All of it; of a stream, which has no end, what it says at once."""
    if "event-stream" not in (answer.getheader("content-type") or ""):
        return answer.read()
    if line.sock is not None:
        line.sock.settimeout(_STREAM_SECONDS)
    try:
        return answer.read1(1 << 20)
    except TimeoutError:
        return b""


_WORDS: Final = frozenset({"query", "queries", "message", "text", "q", "text_matches"})
_NAMED: Final = frozenset({"team", "user_id", "participants", "invitation_id"})
_KEYS: Final = frozenset({"key", "seeds", "other", "anchor", "source_key", "into", "keys"})


def filler(document: Mapping[str, Any], name: str, schema: Mapping[str, Any], r: Request) -> Any:
    """A value for a field of that name: somebody's key, a question, or whatever fits its schema."""
    schema = _plain(document, schema)
    kind = schema.get("type")
    if name in _WORDS | _KEYS and kind != "object":
        value: Any = r.words() if name in _WORDS else r.key()
        return [value] if kind == "array" else value
    if name in _NAMED:
        value = {"team": r.team, "invitation_id": r.invitation}.get(name, r.somebody)()
        return [value] if kind == "array" else value
    if kind == "object":
        wanted, fields = set(schema.get("required", ())), schema.get("properties", {})
        known = sorted((wanted | _WORDS | _KEYS | _NAMED) & fields.keys())  # one order, one run
        some = [one for one in known if one in wanted or r.chance()]
        return {one: filler(document, one, fields[one], r) for one in some}
    return _any_of(document, name, schema, r)


def _any_of(document: Mapping[str, Any], name: str, schema: Mapping[str, Any], r: Request) -> Any:
    if "enum" in schema:
        return r.town.dice.choice(schema["enum"])
    if "default" in schema:
        return schema["default"]
    kind, dated = schema.get("type"), "format" in schema
    if kind == "array":
        return [filler(document, name, schema.get("items", {}), r)]
    if kind == "boolean":
        return r.chance()
    number = max(1, int(schema.get("minimum", 1)))
    text = r.town.clock.now().isoformat() if dated else r.words()
    return number if kind in {"integer", "number"} else text


def _plain(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference or a choice stands for."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _plain(document, document["components"]["schemas"][name])
    for choice in ("anyOf", "oneOf", "allOf"):
        options = [one for one in schema.get(choice, ()) if one.get("type") != "null"]
        if options:
            return {**_plain(document, options[0]), **({"default": schema["default"]} if "default" in schema else {})}  # fmt: skip
    return schema
