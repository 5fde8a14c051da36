"""The server over streamable HTTP, behind the same door as the rest of the API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

import anyio
from anyio.abc import TaskStatus
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from remanent.core.records.access import Power
from remanent.errors import Forbidden, RemanentError
from remanent.memory import UserMemory
from remanent.surfaces.http.app import Face
from remanent.surfaces.http.caller import Caller, caller_of
from remanent.surfaces.http.problems import detail_of, refuse

PATH: Final = "/mcp"


class Mounted:
    """An ASGI app: whoever has a key that reads comes in, and each tool asks for the power it needs.

    It is made when the first comes in: to load what speaks MCP takes as long as to load all else.
    """

    def __init__(self, groups: str) -> None:
        self._groups = groups
        if groups:
            self._made()  # so that a group that is not there is told at the start

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        self._app: ASGIApp | None = None
        self._turn = anyio.Lock()
        async with anyio.create_task_group() as self._sessions:
            yield
            self._sessions.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await run_in_threadpool(caller_of, Request(scope), Power.READ)
        except RemanentError as error:
            await refuse(error, scope["path"])(scope, receive, send)
            return
        async with self._turn:
            app = self._app or await self._sessions.start(self._run)
        await app(scope, receive, send)

    async def _run(self, *, task_status: TaskStatus[ASGIApp]) -> None:
        app, sessions = await run_in_threadpool(self._made)
        async with sessions:
            self._app = app
            task_status.started(app)
            await anyio.sleep_forever()

    def _made(self) -> tuple[ASGIApp, AbstractAsyncContextManager[None]]:
        from mcp.server.transport_security import TransportSecuritySettings

        from remanent.surfaces.mcp.server import make_server

        server = make_server(_whose, detail_of, groups=self._groups)
        # Every request brings its key, so no session outlives one; and the door looks at hosts and origins.
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        return app, server.session_manager.run()


def mcp_face(groups: str = "") -> Face:
    """What `create_app` needs to answer MCP clients at /mcp, with the tools of these groups too."""
    mounted, router = Mounted(groups), APIRouter()
    router.routes.append(
        Route(PATH, mounted, methods=["GET", "POST", "DELETE"], include_in_schema=False)
    )
    return Face(router=router, lifespan=mounted.lifespan)


def _whose(context: Any, power: Power) -> UserMemory:
    caller: Caller = context.request.state.caller
    if caller.key is not None and power not in caller.key.powers:
        raise Forbidden(f"this needs a key with the power to {power.value}")
    return caller.user
