"""Items: records by namespace and key, and the vectors they are found by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.ports.index import Vector
from remanent.core.records.item import Item, Namespace

Vectors = Mapping[str, Vector]  # by the path of the text that each was made from


class Items(Protocol):
    def put(self, scope: Scope, item: Item) -> None:
        """Keep the caller's own item, in the place of the one there; that one's vectors are gone."""
        ...

    def item(self, scope: Scope, room: str, namespace: Namespace, key: str) -> Item | None:
        """The caller's item there, expired or not."""
        ...

    def remove(self, scope: Scope, room: str, namespace: Namespace, key: str) -> bool:
        """Take it away with its vectors; False if there was none."""
        ...

    def within(
        self,
        scope: Scope,
        room: str,
        prefix: Namespace = (),
        *,
        alive_at: datetime | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Item]:
        """The caller's items at or below `prefix`, label by label, newest first; with `alive_at` only
        those that have not expired by then."""
        ...

    def namespaces(
        self, scope: Scope, room: str, *, alive_at: datetime | None = None
    ) -> list[Namespace]:
        """Each namespace that holds an item of the caller's, once, in order."""
        ...

    def expired(self, scope: Scope, room: str, now: datetime) -> list[Item]:
        """The caller's items whose time is up, in order of namespace and key."""
        ...

    def prolong(self, scope: Scope, items: Sequence[Item], now: datetime) -> None:
        """Let these live for all their minutes again from `now` on; what has no end has none."""
        ...

    def see(self, scope: Scope, item: Item, lens: str, vectors: Vectors) -> None:
        """Keep the vectors by which a lens sees this item, in the place of earlier ones; with none it
        is known to have no text. An item that was written anew meanwhile gets none."""
        ...

    def vectors(
        self, scope: Scope, room: str, lens: str, prefix: Namespace = ()
    ) -> dict[str, Vectors]:
        """By `event_id`, the vectors of a lens for each item at or below `prefix` that it has seen."""
        ...

    def erase(self, scope: Scope) -> int:
        """Take away all items of the caller in every room, with their vectors; how many there were."""
        ...
