"""Shapes: a belief as mem0's programs know a memory."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

from remanent.core.model.belief import Belief, ChangeKind
from remanent.errors import InvalidInput
from remanent.memory import UserMemory
from remanent.surfaces.compat.mem0.filters import IDS
from remanent.surfaces.compat.mem0.labels import Labels
from remanent.surfaces.compat.mem0.reach import owner_ids

_BORN: Final = frozenset({ChangeKind.CREATED, ChangeKind.IMPORTED})
_ENDED: Final = frozenset({ChangeKind.FORGOTTEN, ChangeKind.INVALIDATED, ChangeKind.PRUNED})


def memory_of(
    user: UserMemory, belief: Belief, labels: Labels, *, score: float | None = None
) -> dict[str, Any]:
    """The memory that a belief is to them."""
    known = labels.of(belief)
    changed = labels.changed.get(belief.key, belief.updated_at)
    ids = {**{name: known.get(name) for name in IDS}, **owner_ids(user.user_id)}
    memory = {
        "id": belief.key,
        "memory": belief.statement,
        **ids,
        "hash": hashlib.md5(belief.statement.encode(), usedforsecurity=False).hexdigest(),
        "metadata": known.get("metadata"),
        "categories": [belief.type.value],
        "created_at": known.get("timestamp") or stamp(belief.created_at),
        "updated_at": stamp(max(belief.updated_at, changed)),
        "expiration_date": known.get("expiration_date"),
    }
    return memory if score is None else {**memory, "score": score}


def is_over(memory: dict[str, Any], now: datetime) -> bool:
    """Whether its day is past."""
    last = memory["expiration_date"]
    return last is not None and str(last) < now.astimezone(UTC).date().isoformat()


def changes_of(user: UserMemory, belief: Belief) -> list[dict[str, Any]]:
    """What became of a memory, oldest first."""
    told = [one for one in belief.changes if one.kind in {*_BORN, *_ENDED, ChangeKind.RESTATED}]
    words = [one.before for one in told if one.before is not None]
    words.append(belief.statement)
    found: list[dict[str, Any]] = []
    said = iter(words)
    now = next(said)
    for number, change in enumerate(told):
        old: str | None = None if change.kind in _BORN else now
        if change.kind is ChangeKind.RESTATED:
            now = next(said)
        new = None if change.kind in _ENDED else now
        event = "ADD" if old is None else "DELETE" if new is None else "UPDATE"
        found.append(
            {
                "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{belief.key}:{number}")),
                "memory_id": belief.key,
                "user_id": user.user_id,
                "old_memory": old,
                "new_memory": new,
                "event": event,
                "reason": change.reason,
                "created_at": stamp(belief.created_at),
                "updated_at": stamp(change.recorded_at),
                "is_deleted": new is None,
            }
        )
    return found


def stamp(moment: datetime) -> str:
    """A time as they write it."""
    return moment.astimezone(UTC).isoformat()


def moment_of(value: object) -> datetime | None:
    """A time as they give it: seconds since 1970, or ISO text."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        raise InvalidInput("timestamp", f"{value!r} is no time") from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def day_of(value: object) -> str | None:
    """A day as they give it: YYYY-MM-DD, or nothing."""
    if value is None or value == "":
        return None
    try:
        return date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        raise InvalidInput("expiration_date", f"{value!r} is no date YYYY-MM-DD") from None


def paged(found: Sequence[dict[str, Any]], page: int, size: int, path: str) -> dict[str, Any]:
    """One page of many."""
    last = page * size
    there = f"{path}?page={{}}&page_size={size}"
    return {
        "count": len(found),
        "next": there.format(page + 1) if last < len(found) else None,
        "previous": there.format(page - 1) if page > 1 else None,
        "results": list(found[last - size : last]),
    }
