"""The app: every route, every face, signs of life, and what stands around them."""

from __future__ import annotations

import hashlib
from collections import Counter as Counting
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remanent import __version__
from remanent.clock import Clock, SystemClock, stopwatch
from remanent.core.dataclasses import dataclass
from remanent.core.records.admin import Diagnosis, Level
from remanent.errors import RemanentError
from remanent.jobs.rules import ServerRules
from remanent.memory import Memory
from remanent.metrics import Counter, Family, Histogram
from remanent.surfaces.http.answers import json_response
from remanent.surfaces.http.caller import TEAM_HEADER, USER_HEADER, Door, door_of, secret_in
from remanent.surfaces.http.description import ABOUT, document
from remanent.surfaces.http.problems import TooLarge, TooMany, answer_with_problems, refuse
from remanent.surfaces.http.routes import routers
from remanent.surfaces.http.routing import IDEMPOTENCY_KEY, REPLAY
from remanent.surfaces.http.shapes import HealthStatus

_REQUEST_HEADERS: Final = ["Authorization", "X-API-Key", "Content-Type", "If-None-Match"]
_ANSWER_HEADERS: Final = ["ETag", "Retry-After", REPLAY]

Lifespan = Callable[[], AbstractAsyncContextManager[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """Another shape of the same memory: a router beside our own, or an app mounted under a path.

    `lifespan` is entered when the server starts and left when it ends.
    """

    router: APIRouter | None = None
    path: str = ""
    app: ASGIApp | None = None
    lifespan: Lifespan | None = None


def create_app(
    memory: Memory,
    *,
    dev: bool = False,
    user: str | None = None,
    rules: ServerRules | None = None,
    clock: Clock | None = None,
    faces: Sequence[Face] = (),
) -> FastAPI:
    """The API of a memory, as an ASGI app. The memory stays the caller's to close.

    With `dev` whoever asks on this machine needs no key, and `user` is whose memory it then is when a
    request names nobody.
    """
    rules = rules or ServerRules()
    app = FastAPI(
        title="Remanent",
        version=__version__,
        description=ABOUT,
        docs_url=None,  # FastAPI's pages load their scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan(faces),
    )
    app.state.door = Door(
        memory=memory, clock=clock or SystemClock(), rules=rules, dev=dev, user=user
    )
    app.state.traffic = Traffic()
    answer_with_problems(app)
    for router in (*routers(), open_router):
        app.routes.extend(router.routes)  # as they are; to include them makes each anew
    for face in faces:
        if face.router is not None:
            app.include_router(face.router)
        if face.app is not None:
            app.mount(face.path, face.app)
    _allow_origins(app, rules)
    app.add_middleware(Guard, most_bytes=rules.body_bytes, traffic=app.state.traffic)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    return app


def _lifespan(faces: Sequence[Face]) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.door.stopping.clear()  # the same app may be started again
        async with AsyncExitStack() as stack:
            for face in faces:
                if face.lifespan is not None:
                    await stack.enter_async_context(face.lifespan())
            yield
            app.state.door.stopping.set()

    return lifespan


def _allow_origins(app: FastAPI, rules: ServerRules) -> None:
    """Pages of other sites may ask only if the settings name their origin."""
    if not rules.allowed_origins:
        return
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(rules.allowed_origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=[*_REQUEST_HEADERS, USER_HEADER, TEAM_HEADER, IDEMPOTENCY_KEY],
        expose_headers=_ANSWER_HEADERS,
    )


open_router = APIRouter(tags=["health"])
_NOT_READY: Final = {"description": "Not now.", "model": HealthStatus}


@open_router.get("/healthz", response_model=HealthStatus, operation_id="check_alive")
async def healthz() -> Response:
    """Whether this process answers. Needs no key."""
    return json_response({"status": "ok"})


@open_router.get(
    "/readyz",
    response_model=HealthStatus,
    operation_id="check_readiness",
    responses={503: _NOT_READY},
)
async def readyz(request: Request) -> Response:
    """Whether the memory can be reached, its schema is ours and the embedder has its weights. Needs no
    key, and tells no more than the part that fails."""
    door = door_of(request)
    if door.stopping.is_set():
        return json_response({"status": "stopping"}, 503)
    try:
        diagnosis: Diagnosis = await run_in_threadpool(door.memory.ready)
    except RemanentError:
        return json_response({"status": "store"}, 503)
    failing = [one.part for one in diagnosis.findings if one.level is Level.FAIL]
    return json_response({"status": ", ".join(failing) or "ok"}, 503 if failing else 200)


_HEADERS: Final[Sequence[tuple[bytes, bytes]]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "any"})
_MOST_AT_ONCE: Final = 32  # of one caller's; there are 40 threads, and others want some
_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Traffic:
    """Requests of one app, by route; a path or method that somebody made up is none of them."""

    def __init__(self) -> None:
        self.requests = Counter(
            "http_requests_total", "Requests answered, by route, method and status."
        )
        self.seconds = Histogram(
            "http_request_seconds", "How long requests took, by route and method.", _BOUNDS
        )

    def families(self) -> list[Family]:
        """What was counted so far."""
        return [self.requests.family(), self.seconds.family()]

    def saw(self, scope: Scope, status: int, seconds: float) -> None:
        """One more request was answered."""
        route = getattr(scope.get("route"), "path", "none")
        method = "any" if route == "none" else scope["method"]
        method = method if method in _METHODS else "other"
        self.requests.add(route=route, method=method, status=str(status))
        self.seconds.observe(seconds, route=route, method=method)


class Guard:
    """ASGI middleware: the outermost but for what ends in a fault of ours."""

    def __init__(self, app: ASGIApp, *, most_bytes: int, traffic: Traffic) -> None:
        self._app = app
        self._most = most_bytes
        self._traffic = traffic
        self._at_once: Counting[bytes] = Counting()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = stopwatch(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _complete(message)
            await send(message)

        who = _who(scope)
        self._at_once[who] += 1
        try:
            if self._at_once[who] > _MOST_AT_ONCE:
                await refuse(TooMany(1.0), scope["path"])(scope, receive, answer)
            else:
                await self._app(scope, _measured(receive, self._most), answer)
        finally:
            self._at_once[who] -= 1
            if not self._at_once[who]:
                del self._at_once[who]
            self._traffic.saw(scope, status, stopwatch() - begun)


def _who(scope: Scope) -> bytes:
    """What tells one caller from another before anyone has looked at their key: the key, or else where
    they ask from. One made up is refused so soon that it holds nothing up."""
    host = scope["client"][0] if scope.get("client") else ""
    caller = secret_in(Headers(scope=scope)) or f"from {host}"
    return hashlib.sha256(caller.encode()).digest()


def _measured(receive: Receive, most: int) -> Receive:
    """`receive`, up to so many bytes: a request may not say how long it is, or lie."""
    got = 0

    async def measured() -> Message:
        nonlocal got
        message = await receive()
        if message["type"] == "http.request":
            got += len(message.get("body", b""))
            if got > most:
                raise TooLarge(most)
        return message

    return measured


def _complete(message: Message) -> None:
    there = {name.lower() for name, _ in message["headers"]}
    missing = [(name, value) for name, value in _HEADERS if name not in there]
    message["headers"] = [*message["headers"], *missing]
