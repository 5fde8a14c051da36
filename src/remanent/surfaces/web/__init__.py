"""The web: pages that ask the HTTP API like everybody else, and the session a browser signs in to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from remanent import __version__
from remanent.core.records.access import ApiKey, Power
from remanent.errors import Unauthorized
from remanent.surfaces.http.answers import json_response
from remanent.surfaces.http.app import Face
from remanent.surfaces.http.caller import COOKIE, LASTS, Door, door_of, key_of, secret_in

STATIC: Final = Path(__file__).parent / "static"
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
router = APIRouter(include_in_schema=False)


@router.get("/")
def index() -> Response:
    """The one page; what it shows is told by the part of the address that stays in the browser."""
    page = (STATIC / "index.html").read_bytes()
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return Response(page, media_type="text/html", headers=headers)


@router.get("/session")
def session(request: Request) -> Response:
    """Who is signed in; without a key that is good, that nobody is."""
    door = door_of(request)
    try:
        key = key_of(request, Power.READ)
    except Unauthorized:
        return json_response({"signed_in": False, "version": __version__})
    return json_response(_who(door, key))


@router.post("/session")
def sign_in(request: Request) -> Response:
    """Exchange the key in the header Authorization for a cookie that no script can read."""
    door = door_of(request)
    key = key_of(request, Power.READ)
    answer = json_response(_who(door, key))
    secret = secret_in(request.headers)
    if secret is not None:
        answer.set_cookie(
            COOKIE,
            door.sessions.begin(secret, door.clock.now()),
            max_age=int(LASTS.total_seconds()),
            httponly=True,
            samesite="strict",
            secure="https" in (request.url.scheme, request.headers.get("x-forwarded-proto")),
        )
    return answer


@router.delete("/session")
def sign_out(request: Request) -> Response:
    """End the session, here and in the browser."""
    door_of(request).sessions.end(request.headers)
    answer = json_response({"signed_in": False, "version": __version__})
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _who(door: Door, key: ApiKey | None) -> dict[str, Any]:
    return {
        "signed_in": True,
        "version": __version__,
        "dev": key is None,
        "user_id": door.user if key is None else key.user_id,
        "team": None if key is None else key.team,
        "powers": sorted(Power if key is None else key.powers),
    }


class _Assets(StaticFiles):
    """Files of the pages; a browser asks each time whether it has the newest."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Content-Security-Policy"] = (
            POLICY  # a script in a thread of its own heeds its own
        )
        return response


def web_face() -> Face:
    """The pages, as a face of the server."""
    return Face(router=router, path="/web", app=_Assets(directory=STATIC))
