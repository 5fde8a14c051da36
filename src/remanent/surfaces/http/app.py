"""The app: every route, every face, signs of life, and what stands around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from remanent import __version__
from remanent.clock import Clock, SystemClock
from remanent.core.records.admin import Diagnosis, Level
from remanent.errors import RemanentError
from remanent.jobs.rules import ServerRules
from remanent.memory import Memory
from remanent.surfaces.http.answers import json_response
from remanent.surfaces.http.caller import TEAM_HEADER, USER_HEADER, Door, door_of
from remanent.surfaces.http.description import ABOUT, document
from remanent.surfaces.http.guard import Guard, Traffic
from remanent.surfaces.http.problems import answer_with_problems
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
