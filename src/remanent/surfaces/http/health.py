"""Signs of life, for whoever watches and has no key."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from remanent.core.records.admin import Diagnosis, Level
from remanent.errors import RemanentError
from remanent.surfaces.http.answers import said
from remanent.surfaces.http.caller import door_of
from remanent.surfaces.http.shapes import Alive

open_router = APIRouter(tags=["health"])
_NOT_READY: Final = {"description": "Not now.", "model": Alive}


@open_router.get("/healthz", response_model=Alive, operation_id="get_healthz")
async def healthz() -> Response:
    """Whether this process answers. Needs no key."""
    return said({"status": "ok"})


@open_router.get(
    "/readyz", response_model=Alive, operation_id="get_readyz", responses={503: _NOT_READY}
)
async def readyz(request: Request) -> Response:
    """Whether the memory can be reached, its schema is ours and the embedder has its weights. Needs no
    key, and tells no more than the part that fails."""
    door = door_of(request)
    if door.stopping.is_set():
        return said({"status": "stopping"}, 503)
    try:
        found: Diagnosis = await run_in_threadpool(door.memory.ready)
    except RemanentError:
        return said({"status": "store"}, 503)
    failing = [one.part for one in found.findings if one.level is Level.FAIL]
    return said({"status": ", ".join(failing) or "ok"}, 503 if failing else 200)
