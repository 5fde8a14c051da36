"""The shape of mem0's open-source server."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from remanent.errors import InvalidInput
from remanent.surfaces.compat.mem0 import memories
from remanent.surfaces.compat.mem0.reach import given_ids
from remanent.surfaces.compat.mem0.routing import Ask, Asked, Reading, TheirRoute, Writing

router = APIRouter(route_class=TheirRoute, include_in_schema=False)


@router.post("/memories")
def add(reach: Writing, ask: Asked) -> dict[str, Any]:
    """Messages come in; what was learned comes back."""
    _insist_on_an_id(ask)
    return {"results": memories.add(reach, ask)}


@router.get("/memories")
def find_all(reach: Reading, ask: Asked) -> dict[str, Any]:
    """All memories of the ids."""
    _insist_on_an_id(ask)
    found = memories.find_all(reach, memories.filter_of(ask), expired=bool(ask.get("show_expired")))
    return {
        "results": found[
            : memories.whole(ask, "top_k", memories.whole(ask, "limit", memories.MOST))
        ]
    }


@router.delete("/memories")
def delete_all(reach: Writing, ask: Asked) -> dict[str, str]:
    """All memories of the ids are put out of mind."""
    memories.delete_all(reach, given_ids(ask), {})
    return {"message": "All relevant memories deleted"}


@router.post("/search")
def search(reach: Reading, ask: Asked) -> dict[str, Any]:
    """What a question calls to mind."""
    wanted = memories.filter_of(ask)
    _insist_on_an_id({**(ask.get("filters") or {}), **ask})
    return {"results": memories.search(reach, ask.get("query"), wanted, ask)}


@router.get("/memories/{memory_id}")
def get(memory_id: str, reach: Reading) -> dict[str, Any]:
    """One memory."""
    return memories.get(reach, memory_id)


@router.put("/memories/{memory_id}")
def update(memory_id: str, reach: Writing, ask: Asked) -> dict[str, str]:
    """A memory in other words, or with other labels."""
    memories.update(reach, memory_id, ask)
    return {"message": "Memory updated successfully!"}


@router.delete("/memories/{memory_id}")
def delete(memory_id: str, reach: Writing) -> dict[str, str]:
    """A memory is put out of mind."""
    memories.delete(reach, memory_id)
    return {"message": "Memory deleted successfully"}


@router.get("/memories/{memory_id}/history")
def history(memory_id: str, reach: Reading) -> list[dict[str, Any]]:
    """What became of a memory."""
    return memories.history(reach, memory_id)


@router.post("/reset")
def reset(reach: Writing) -> dict[str, str]:
    """Every memory of everyone is put out of mind."""
    memories.reset(reach)
    return {"message": "All memories reset"}


def _insist_on_an_id(ask: Ask) -> None:
    if not given_ids(ask):
        raise InvalidInput("user_id", "one of user_id, agent_id and run_id is required")
