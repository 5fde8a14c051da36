"""Shapes: a belief as mem0's programs know a memory, with their labels.

Labels are what a program says about memories besides their words, kept as items: by the source or
episode that they came in with, so that they hold for all that is learned from it; and by the memory,
where a program changed them later.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Final

from remanent.core.model.belief import Belief, ChangeKind
from remanent.core.records.item import LABELS, Put
from remanent.errors import InvalidInput
from remanent.items.read import ItemQuery
from remanent.items.rules import checked
from remanent.memory import UserMemory
from remanent_mem0.reach import IDS, owner_ids

ROOM: Final = LABELS  # where erasing looks for it
BY_EPISODE: Final = ("told",)
BY_MEMORY: Final = ("said",)
_ALL: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels of one user's memories."""

    by_episode: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_memory: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    changed: Mapping[str, datetime] = field(default_factory=dict)

    def of(self, belief: Belief) -> dict[str, Any]:
        """Those of a belief: of its newest episode that has some, but for what was said of it since."""
        labels: dict[str, Any] = {}
        for support in sorted(belief.supports, key=lambda one: (one.at, one.event_id)):
            labels |= self.by_episode.get(support.source_key or support.event_id, {})
        return {**labels, **self.by_memory.get(belief.key, {})}


def labels_of(user: UserMemory) -> Labels:
    """What was said about this user's memories."""
    items = [one.item for one in user.shelf(ROOM).search(ItemQuery(limit=_ALL))]
    return Labels(
        by_episode={one.key: one.value for one in items if one.namespace == BY_EPISODE},
        by_memory={one.key: one.value for one in items if one.namespace == BY_MEMORY},
        changed={one.key: one.updated_at for one in items if one.namespace == BY_MEMORY},
    )


def check(labels: Mapping[str, Any]) -> None:
    """Refuse labels that cannot be kept, before what they are about is."""
    checked(Put(namespace=BY_MEMORY, key="any", value=labels, paths=()))


def label_episode(user: UserMemory, episode: str, labels: Mapping[str, Any]) -> None:
    """Keep what was said about all that comes of an episode; nothing, if nothing was."""
    if labels:
        user.shelf(ROOM).put([Put(namespace=BY_EPISODE, key=episode, value=labels, paths=())])


def label_memory(user: UserMemory, key: str, labels: Mapping[str, Any]) -> None:
    """Change what is said about one memory; what is not named stays."""
    shelf = user.shelf(ROOM)
    known = shelf.get(BY_MEMORY, key)
    whole = {**({} if known is None else known.value), **labels}
    shelf.put([Put(namespace=BY_MEMORY, key=key, value=whole, paths=())])


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
    changes = [one for one in belief.changes if one.kind in {*_BORN, *_ENDED, ChangeKind.RESTATED}]
    words = [one.before for one in changes if one.before is not None]
    words.append(belief.statement)
    history: list[dict[str, Any]] = []
    statements = iter(words)
    now = next(statements)
    for number, change in enumerate(changes):
        old: str | None = None if change.kind in _BORN else now
        if change.kind is ChangeKind.RESTATED:
            now = next(statements)
        new = None if change.kind in _ENDED else now
        event = "ADD" if old is None else "DELETE" if new is None else "UPDATE"
        history.append(
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
    return history


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
        parsed = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        raise InvalidInput("timestamp", f"{value!r} is no time") from None
    return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)


def day_of(value: object) -> str | None:
    """A day as they give it: YYYY-MM-DD, or nothing."""
    if value is None or value == "":
        return None
    try:
        return date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        raise InvalidInput("expiration_date", f"{value!r} is no date YYYY-MM-DD") from None


def paged(listed: Sequence[dict[str, Any]], page: int, size: int, path: str) -> dict[str, Any]:
    """One page of many."""
    last = page * size
    there = f"{path}?page={{}}&page_size={size}"
    return {
        "count": len(listed),
        "next": there.format(page + 1) if last < len(listed) else None,
        "previous": there.format(page - 1) if page > 1 else None,
        "results": list(listed[last - size : last]),
    }
