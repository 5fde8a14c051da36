"""What is kept beside the graph, one record by its key: users and teams, API keys, the audit log, how
far nights are, answers and cost of paid minds, named requests, and the items of programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.scope import Scope

R = TypeVar("R")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Select(Generic[R]):
    """Records of a type whose fields have these values, in this order (`-field`: from the largest down).

    A name in `where` is a field, with a sign behind it where it need not be equal: `<`, `<=`, `>`, `>=`,
    `>?` (larger, or not there at all) or `below` (a path that begins so). A list stands for any of its
    values, None for what is not there. `-row` orders by when they were written, the last first.
    """

    type: type[R]
    where: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0


class Records(Protocol):
    """Tables whose columns are the fields of one of the dataclasses in `core.records`.

    Positions of nights, traces of forgotten events, answers, spending, named
    requests and items are a user's own: a scope reads and writes no others, and without one they can only be
    taken away. All else is the household's, and is asked for with None. What no ledger restores (the
    household's, and named requests) waits for the disk. Whoever inherits from it has `find_each`.
    """

    def put(self, scope: Scope | None, record: object) -> None:
        """Keep it, in the place of the one with its key: of a user all but `created_at` is replaced, of a
        team its name and settings, of an invitation its state; a position never goes back. An entry of the
        audit log is numbered."""

    def claim(self, scope: Scope | None, record: R) -> R:
        """Keep it unless one with its key is there; what is there then."""

    def add(self, scope: Scope | None, record: object) -> None:
        """Add its numbers to those of the one with its key. Two who add at once are both counted."""

    def get(self, scope: Scope | None, type_: type[R], *key: Any) -> R | None:
        """The record with that key, of a user's own without whose it is."""

    def find(self, scope: Scope | None, select: Select[R]) -> list[R]:
        """The records that are asked for."""

    def find_each(
        self, scope: Scope | None, first: Select[R], second: Select[S]
    ) -> tuple[list[R], list[S]]:
        """The records that each of two asks for, found at once: where they are on a server, a journey
        costs more than what is found."""
        return self.find(scope, first), self.find(scope, second)

    def values(self, scope: Scope | None, select: Select[R], name: str) -> list[Any]:
        """What they have in that field, each value once, in order."""

    def change(self, scope: Scope | None, select: Select[R], **values: Any) -> int:
        """Give those fields of theirs these values; how many records that were."""

    def delete(self, scope: Scope | None, select: Select[R]) -> int:
        """Take them away, and with an item its vectors; how many there were."""
