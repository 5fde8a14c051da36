"""The server over streamable HTTP, behind the same door as the rest of the API."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from mcp.server.transport_security import TransportSecuritySettings
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from remanent.core.records.access import Power
from remanent.errors import Forbidden, RemanentError
from remanent.memory import UserMemory
from remanent.surfaces.http.app import Face
from remanent.surfaces.http.caller import Caller, caller_of
from remanent.surfaces.http.problems import detail_of, refuse
from remanent.surfaces.mcp.server import make_server

PATH: Final = "/mcp"


class Mounted:
    """An ASGI app: whoever has a key that reads comes in, and each tool asks for the power it needs."""

    def __init__(self, groups: str) -> None:
        self.server = make_server(_whose, detail_of, groups=groups)
        # Every request brings its key, so no session outlives one; and the door looks at hosts and origins.
        self._app = self.server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await run_in_threadpool(caller_of, Request(scope), Power.READ)
        except RemanentError as error:
            await refuse(error, scope["path"])(scope, receive, send)
            return
        await self._app(scope, receive, send)


def mcp_face(groups: str = "") -> Face:
    """What `create_app` needs to answer MCP clients at /mcp, with the tools of these groups too."""
    mounted, router = Mounted(groups), APIRouter()
    router.routes.append(
        Route(PATH, mounted, methods=["GET", "POST", "DELETE"], include_in_schema=False)
    )
    return Face(router=router, lifespan=mounted.server.session_manager.run)


def _whose(context: Any, power: Power) -> UserMemory:
    caller: Caller = context.request.state.caller
    if caller.key is not None and power not in caller.key.powers:
        raise Forbidden(f"this needs a key with the power to {power.value}")
    return caller.user
