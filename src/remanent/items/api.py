"""Shelving: records that a program keeps by namespace and key, beside what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from remanent.core.checks import identifier
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedder_for
from remanent.core.ports.embedder import TextKind
from remanent.core.ports.index import Vector
from remanent.core.records.item import FoundItem, Item, Namespace, Put
from remanent.core.user_handle import UserHandle
from remanent.items import read as look_up
from remanent.items import write as stow
from remanent.items.read import ItemQuery
from remanent.items.rules import NamespaceQuery
from remanent.items.write import Vectors, write_items

ITEMS = "items"


class ItemStore:
    """One user's items in one room. Nothing in it is part of the graph: no search of the memory finds it.

    A lens is a name for how items are turned into vectors; the memory's own embedder is one.
    """

    def __init__(self, env: Callable[[], Env], scope: Callable[[], Scope], room: str) -> None:
        self.room = room
        self._env = env
        self._scope = scope

    def put(
        self, puts: Sequence[Put], *, lens: str = "", vectors: Sequence[Vectors | None] = ()
    ) -> None:
        """Keep or take away all of these, or none. They are on the disk when this returns."""
        write_items(self._env(), self._scope(), self.room, puts, lens=lens, vectors=vectors)

    def get(
        self, namespace: Namespace, key: str, *, omit_expired: bool = False, prolong: bool = False
    ) -> Item | None:
        """The item there, or None."""
        return look_up.get(
            self._env(),
            self._scope(),
            self.room,
            namespace,
            key,
            omit_expired=omit_expired,
            prolong=prolong,
        )

    def search(self, query: ItemQuery) -> list[FoundItem]:
        """What fits, best first."""
        return look_up.search(self._env(), self._scope(), self.room, query)

    def namespaces(self, places: NamespaceQuery, *, omit_expired: bool = False) -> list[Namespace]:
        """The namespaces that are wanted and hold something, in order."""
        return look_up.namespaces(
            self._env(), self._scope(), self.room, places, omit_expired=omit_expired
        )

    def unseen(self, lens: str, prefix: Namespace = ()) -> list[Item]:
        """Items that this lens has not seen yet: they were put without it."""
        return look_up.without_vectors(self._env(), self._scope(), self.room, lens, prefix)

    def see(self, lens: str, vectors: Sequence[tuple[Item, Vectors]]) -> None:
        """Keep what a lens sees in these items."""
        look_up.put_vectors(self._env(), self._scope(), lens, vectors)

    def sweep(self) -> int:
        """Take away what has expired; how many items that were."""
        return stow.sweep(self._env(), self._scope(), self.room)

    @property
    def own_lens(self) -> str:
        """The name of the memory's own embedder as a lens."""
        return f"remanent:{self._env().embedder.name}"

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> list[Vector]:
        """What the memory's own embedder makes of each text."""
        hand = embedder_for(self._env().embedder, self._scope(), "items")
        return list(hand.embed(list(texts), kind=kind)) if texts else []


class ItemsApi(UserHandle):
    """Where programs keep records of their own."""

    def shelf(self, room: str = ITEMS) -> ItemStore:
        """The records kept in a room; each program has its own, and none sees another's."""
        return ItemStore(lambda: self.env, lambda: self.scope, identifier("room", room))
