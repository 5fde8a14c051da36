"""Shelving: records that a program keeps by namespace and key, beside what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from remanent.core.checks import identifier
from remanent.core.env import Env
from remanent.core.later import later, made_later
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedder_for
from remanent.core.ports.embedder import TextKind
from remanent.core.ports.index import Vector
from remanent.core.records.item import Item
from remanent.core.user_handle import UserHandle, describe

if TYPE_CHECKING:
    from remanent.items import read, write
else:
    read = later("remanent.items.read")
    write = later("remanent.items.write")

ITEMS = "items"
P = ParamSpec("P")
R = TypeVar("R")


def _in_room(
    named: Callable[[], Callable[Concatenate[Env, Scope, str, P], R]],
) -> Callable[Concatenate[ItemStore, P], R]:
    """A verb about items as a method of the store of one room."""

    def made() -> Callable[Concatenate[ItemStore, P], R]:
        function = named()

        def call(self: ItemStore, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return function(self.env(), self.scope(), self.room, *args, **kwargs)

        describe(call, function, given=3)
        return call

    return made_later(made)


class ItemStore:
    """One user's items in one room. Nothing in it is part of the graph: no search of the memory finds it.

    A lens is a name for how items are turned into vectors; the memory's own embedder is one.
    """

    def __init__(self, env: Callable[[], Env], scope: Callable[[], Scope], room: str) -> None:
        self.room = room
        self.env = env
        self.scope = scope

    put = _in_room(lambda: write.write_items)
    get = _in_room(lambda: read.get)
    search = _in_room(lambda: read.search)
    namespaces = _in_room(lambda: read.namespaces)
    unseen = _in_room(lambda: read.without_vectors)
    sweep = _in_room(lambda: write.sweep)

    def see(self, lens: str, vectors: Sequence[tuple[Item, write.Vectors]]) -> None:
        """Keep what a lens sees in these items."""
        env, scope = self.env(), self.scope()
        if vectors:
            with env.atomic():
                for item, seen in vectors:
                    write.keep_vectors(env, scope, item, lens, seen)

    @property
    def own_lens(self) -> str:
        """The name of the memory's own embedder as a lens."""
        return f"remanent:{self.env().embedder.name}"

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> list[Vector]:
        """What the memory's own embedder makes of each text."""
        hand = embedder_for(self.env().embedder, self.scope(), "items")
        return list(hand.embed(list(texts), kind=kind)) if texts else []


class ItemsApi(UserHandle):
    """Where programs keep records of their own."""

    def shelf(self, room: str = ITEMS) -> ItemStore:
        """The records kept in a room; each program has its own, and none sees another's."""
        return ItemStore(lambda: self.env, lambda: self.scope, identifier("room", room))
