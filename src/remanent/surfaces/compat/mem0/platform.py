"""The shape of mem0's platform, which its `MemoryClient` speaks."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from remanent.errors import InvalidInput
from remanent.surfaces.compat.mem0 import memories
from remanent.surfaces.compat.mem0.reach import given_ids
from remanent.surfaces.compat.mem0.routing import Ask, Asked, Reading, TheirRoute, Writing
from remanent.surfaces.compat.mem0.shapes import paged

PAGE = 100
router = APIRouter(route_class=TheirRoute, include_in_schema=False)


@router.get("/v1/ping/")
def ping(reach: Reading) -> dict[str, Any]:
    """Whether the key is good."""
    ours = {"org_id": "remanent", "project_id": "remanent"}
    return {"status": "ok", **ours, "user_email": None, "user_id": reach.own}


@router.post("/v3/memories/add/")
@router.post("/v1/memories/")
def add(reach: Writing, ask: Asked) -> Any:
    """Messages come in; what was learned comes back."""
    return _listed(memories.add(reach, ask), ask)


@router.post("/v3/memories/search/")
@router.post("/v2/memories/search/")
@router.post("/v1/memories/search/")
def search(request: Request, reach: Reading, ask: Asked) -> Any:
    """What a question calls to mind."""
    found = memories.search(reach, ask.get("query"), memories.filter_of(ask), ask)
    if request.url.path.startswith("/v2"):
        return found if ask.get("output_format") is None else _listed(found, ask)
    return _listed(found, ask)


@router.post("/v3/memories/")
def find_all(request: Request, reach: Reading, ask: Asked) -> dict[str, Any]:
    """All memories that the filters mean, page by page."""
    found = memories.find_all(reach, memories.filter_of(ask), expired=bool(ask.get("show_expired")))
    page, size = memories.whole(ask, "page", 1), memories.whole(ask, "page_size", PAGE)
    return paged(found, page, size, request.url.path)


@router.get("/v1/memories/")
@router.post("/v2/memories/")
def find_as_before(request: Request, reach: Reading, ask: Asked) -> Any:
    """The same for older clients: a plain list, unless a page is asked for."""
    found = memories.find_all(reach, memories.filter_of(ask), expired=bool(ask.get("show_expired")))
    if ask.get("page") is None and ask.get("page_size") is None:
        return found if ask.get("output_format") != "v1.1" else {"results": found}
    page, size = memories.whole(ask, "page", 1), memories.whole(ask, "page_size", PAGE)
    return paged(found, page, size, request.url.path)


@router.delete("/v1/memories/")
def delete_all(reach: Writing, ask: Asked) -> dict[str, Any]:
    """All memories of the ids are put out of mind."""
    wanted = memories.filter_of({**ask, **dict.fromkeys(("user_id", *_IDS))})
    gone = memories.delete_all(reach, given_ids(ask, ask.get("filters")), wanted)
    return {"message": "Memories deleted successfully!", "count": gone}


_IDS = ("agent_id", "app_id", "run_id")


@router.get("/v1/memories/{memory_id}/")
def get(memory_id: str, reach: Reading) -> dict[str, Any]:
    """One memory."""
    return memories.get(reach, memory_id)


@router.put("/v1/memories/{memory_id}/")
def update(memory_id: str, reach: Writing, ask: Asked) -> dict[str, Any]:
    """A memory in other words, or with other labels."""
    return memories.update(reach, memory_id, ask)


@router.delete("/v1/memories/{memory_id}/")
def delete(memory_id: str, reach: Writing) -> dict[str, str]:
    """A memory is put out of mind."""
    memories.delete(reach, memory_id)
    return {"message": "Memory deleted successfully!"}


@router.get("/v1/memories/{memory_id}/history/")
def history(memory_id: str, reach: Reading) -> list[dict[str, Any]]:
    """What became of a memory."""
    return memories.history(reach, memory_id)


@router.put("/v1/batch/")
def update_many(reach: Writing, ask: Asked) -> dict[str, str]:
    """Several memories in other words; one that is not there, and none is changed."""
    many = _many(ask)
    for one in many:
        reach.held(_id(one))
    for one in many:
        memories.update(reach, _id(one), one)
    return {"message": f"Successfully updated {len(many)} memories"}


@router.delete("/v1/batch/")
def delete_many(reach: Writing, ask: Asked) -> dict[str, str]:
    """Several memories are put out of mind; one that is not there, and none is."""
    many = list(dict.fromkeys(_id(one) for one in _many(ask)))
    for one in many:
        reach.held(one)
    for one in many:
        memories.delete(reach, one)
    return {"message": f"Successfully deleted {len(many)} memories"}


@router.get("/v1/entities/")
def entities(request: Request, reach: Reading, ask: Asked) -> dict[str, Any]:
    """Whoever has memories."""
    page, size = memories.whole(ask, "page", 1), memories.whole(ask, "page_size", PAGE)
    return paged(memories.entities(reach), page, size, request.url.path)


@router.delete("/v2/entities/{kind}/{name}/")
@router.delete("/v1/entities/{kind}/{name}/")
def delete_entity(kind: str, name: str, reach: Writing) -> dict[str, str]:
    """All memories of one of them are put out of mind."""
    memories.delete_entity(reach, kind, name)
    return {"message": "Entity deleted successfully!"}


def _listed(found: list[dict[str, Any]], ask: Ask) -> Any:
    return found if ask.get("output_format") == "v1.0" else {"results": found}


def _many(ask: Ask) -> list[Ask]:
    many = ask.get("memories")
    if not isinstance(many, list) or not all(isinstance(one, dict) for one in many):
        raise InvalidInput("memories", "must be a list of objects with memory_id")
    if not 1 <= len(many) <= memories.MOST:
        raise InvalidInput("memories", f"must be 1 to {memories.MOST}")
    return many


def _id(one: Ask) -> str:
    return str(one.get("memory_id") or one.get("id") or "")
