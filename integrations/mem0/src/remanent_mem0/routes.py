"""Routes of mem0's REST API: as its hosted platform has them, for `MemoryClient`, and its open-source server.

How requests of mem0's programs are read, and how errors are told to them, stands here as well.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from remanent.core.records.access import Power
from remanent.errors import InvalidInput, RemanentError
from remanent.surfaces.http.problems import refuse, row_of
from remanent_mem0 import memories
from remanent_mem0.reach import Reach, given_ids, reach_of
from remanent_mem0.shapes import paged

Ask = dict[str, Any]


class Mem0Route(APIRoute):
    """Errors are `{"detail": ...}`, and what cannot be taken is a 400, as they know it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await answer(request)
            except RemanentError as error:
                plain = refuse(error, request.url.path)
                row = row_of(error)
                status = 400 if isinstance(error, InvalidInput) else row.status
                headers = {
                    name: plain.headers[name]
                    for name in ("retry-after", "www-authenticate")
                    if name in plain.headers
                }
                return JSONResponse({"detail": row.detail or str(error)}, status, headers=headers)

        return handler


async def _body(request: Request) -> Ask:
    """The body of a request, and what its address says beside it."""
    body = await request.body()
    try:
        given = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError):
        raise InvalidInput("body", "is not JSON") from None
    if not isinstance(given, dict):
        raise InvalidInput("body", "must be an object")
    named = {name: _value(name, value) for name, value in request.query_params.items()}
    return {**named, **given}


def _value(name: str, value: str) -> Any:
    """Their client writes an object into an address as Python would print it."""
    if name not in ("filters", "metadata") or not value:
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise InvalidInput(name, "cannot be read")


def _reading(request: Request) -> Reach:
    return reach_of(request, Power.READ)


def _writing(request: Request) -> Reach:
    return reach_of(request, Power.WRITE)


Body = Annotated[Ask, Depends(_body)]
Reading = Annotated[Reach, Depends(_reading)]
Writing = Annotated[Reach, Depends(_writing)]

router = APIRouter(route_class=Mem0Route, include_in_schema=False)
PAGE = 100
_OTHER_IDS = ("agent_id", "app_id", "run_id")


def _all(reach: Reach, ask: Ask) -> list[dict[str, Any]]:
    wanted = memories.filter_of(ask)
    return memories.find_all(reach, wanted, expired=bool(ask.get("show_expired")))


# -- both ---------------------------------------------------------------------------------------


@router.get("/memories/{memory_id}")
@router.get("/v1/memories/{memory_id}/")
def get(memory_id: str, reach: Reading) -> dict[str, Any]:
    """One memory."""
    return memories.get(reach, memory_id)


@router.get("/memories/{memory_id}/history")
@router.get("/v1/memories/{memory_id}/history/")
def history(memory_id: str, reach: Reading) -> list[dict[str, Any]]:
    """What became of a memory."""
    return memories.history(reach, memory_id)


# -- the platform -------------------------------------------------------------------------------


@router.get("/v1/ping/")
def ping(reach: Reading) -> dict[str, Any]:
    """Whether the key is good."""
    ours = {"org_id": "remanent", "project_id": "remanent"}
    return {"status": "ok", **ours, "user_email": None, "user_id": reach.own}


@router.post("/v3/memories/add/")
@router.post("/v1/memories/")
def add(reach: Writing, ask: Body) -> Any:
    """Messages come in; what was learned comes back."""
    return _listed(memories.add(reach, ask), ask)


@router.post("/v3/memories/search/")
@router.post("/v2/memories/search/")
@router.post("/v1/memories/search/")
def search(request: Request, reach: Reading, ask: Body) -> Any:
    """What a question calls to mind."""
    hits = memories.search(reach, ask.get("query"), memories.filter_of(ask), ask)
    if request.url.path.startswith("/v2"):
        return hits if ask.get("output_format") is None else _listed(hits, ask)
    return _listed(hits, ask)


@router.post("/v3/memories/")
def find_all(request: Request, reach: Reading, ask: Body) -> dict[str, Any]:
    """All memories that the filters mean, page by page."""
    listed = _all(reach, ask)
    return _page(request, listed, ask)


@router.get("/v1/memories/")
@router.post("/v2/memories/")
def find_as_before(request: Request, reach: Reading, ask: Body) -> Any:
    """The same for older clients: a plain list, unless a page is asked for."""
    listed = _all(reach, ask)
    if ask.get("page") is None and ask.get("page_size") is None:
        return listed if ask.get("output_format") != "v1.1" else {"results": listed}
    return _page(request, listed, ask)


@router.delete("/v1/memories/")
def delete_all(reach: Writing, ask: Body) -> dict[str, Any]:
    """All memories of the ids are put out of mind."""
    wanted = memories.filter_of({**ask, **dict.fromkeys(("user_id", *_OTHER_IDS))})
    gone = memories.delete_all(reach, given_ids(ask, ask.get("filters")), wanted)
    return {"message": "Memories deleted successfully!", "count": gone}


@router.put("/v1/memories/{memory_id}/")
def update(memory_id: str, reach: Writing, ask: Body) -> dict[str, Any]:
    """A memory in other words, or with other labels."""
    return memories.update(reach, memory_id, ask)


@router.delete("/v1/memories/{memory_id}/")
def delete(memory_id: str, reach: Writing) -> dict[str, str]:
    """A memory is put out of mind."""
    memories.delete(reach, memory_id)
    return {"message": "Memory deleted successfully!"}


@router.put("/v1/batch/")
def update_many(reach: Writing, ask: Body) -> dict[str, str]:
    """Several memories in other words; one that is not there, and none is changed."""
    many = _many(ask)
    for change in many:
        reach.find(_id(change))
    for change in many:
        memories.update(reach, _id(change), change)
    return {"message": f"Successfully updated {len(many)} memories"}


@router.delete("/v1/batch/")
def delete_many(reach: Writing, ask: Body) -> dict[str, str]:
    """Several memories are put out of mind; one that is not there, and none is."""
    many = list(dict.fromkeys(_id(one) for one in _many(ask)))
    for memory_id in many:
        reach.find(memory_id)
    for memory_id in many:
        memories.delete(reach, memory_id)
    return {"message": f"Successfully deleted {len(many)} memories"}


@router.get("/v1/entities/")
def entities(request: Request, reach: Reading, ask: Body) -> dict[str, Any]:
    """Whoever has memories."""
    return _page(request, memories.entities(reach), ask)


@router.delete("/v2/entities/{kind}/{name}/")
@router.delete("/v1/entities/{kind}/{name}/")
def delete_entity(kind: str, name: str, reach: Writing) -> dict[str, str]:
    """All memories of one of them are put out of mind."""
    memories.delete_entity(reach, kind, name)
    return {"message": "Entity deleted successfully!"}


def _page(request: Request, listed: list[dict[str, Any]], ask: Ask) -> dict[str, Any]:
    page, size = memories.whole(ask, "page", 1), memories.whole(ask, "page_size", PAGE)
    return paged(listed, page, size, request.url.path)


def _listed(listed: list[dict[str, Any]], ask: Ask) -> Any:
    return listed if ask.get("output_format") == "v1.0" else {"results": listed}


def _many(ask: Ask) -> list[Ask]:
    many = ask.get("memories")
    if not isinstance(many, list) or not all(isinstance(one, dict) for one in many):
        raise InvalidInput("memories", "must be a list of objects with memory_id")
    if not 1 <= len(many) <= memories.MOST:
        raise InvalidInput("memories", f"must be 1 to {memories.MOST}")
    return many


def _id(one: Ask) -> str:
    return str(one.get("memory_id") or one.get("id") or "")


# -- the open-source server ---------------------------------------------------------------------


@router.post("/memories")
def add_open_source(reach: Writing, ask: Body) -> dict[str, Any]:
    """Messages come in; what was learned comes back."""
    _insist_on_an_id(ask)
    return {"results": memories.add(reach, ask)}


@router.get("/memories")
def find_all_open_source(reach: Reading, ask: Body) -> dict[str, Any]:
    """All memories of the ids."""
    _insist_on_an_id(ask)
    most = memories.whole(ask, "top_k", memories.whole(ask, "limit", memories.MOST))
    return {"results": _all(reach, ask)[:most]}


@router.delete("/memories")
def delete_all_open_source(reach: Writing, ask: Body) -> dict[str, str]:
    """All memories of the ids are put out of mind."""
    memories.delete_all(reach, given_ids(ask), {})
    return {"message": "All relevant memories deleted"}


@router.post("/search")
def search_open_source(reach: Reading, ask: Body) -> dict[str, Any]:
    """What a question calls to mind."""
    wanted = memories.filter_of(ask)
    _insist_on_an_id({**(ask.get("filters") or {}), **ask})
    return {"results": memories.search(reach, ask.get("query"), wanted, ask)}


@router.put("/memories/{memory_id}")
def update_open_source(memory_id: str, reach: Writing, ask: Body) -> dict[str, str]:
    """A memory in other words, or with other labels."""
    memories.update(reach, memory_id, ask)
    return {"message": "Memory updated successfully!"}


@router.delete("/memories/{memory_id}")
def delete_open_source(memory_id: str, reach: Writing) -> dict[str, str]:
    """A memory is put out of mind."""
    memories.delete(reach, memory_id)
    return {"message": "Memory deleted successfully"}


@router.post("/reset")
def reset(reach: Writing) -> dict[str, str]:
    """Every memory of everyone is put out of mind."""
    memories.reset(reach)
    return {"message": "All memories reset"}


def _insist_on_an_id(ask: Ask) -> None:
    if not given_ids(ask):
        raise InvalidInput("user_id", "one of user_id, agent_id and run_id is required")
