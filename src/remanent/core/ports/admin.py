"""What concerns a memory as a whole: erasure, export and import, health, re-embedding, and the shadow graph of
a rebuild."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from remanent.core.model.event import Event
from remanent.core.model.mind_types import Extraction
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Vector
from remanent.core.records.admin import (
    Census,
    Comparison,
    Due,
    Embedding,
    Examination,
    FileTraces,
    Health,
)
from remanent.core.records.export import ExportRecord, Move, Restored


class ErasureStore(Protocol):
    """What no other port may do, for the one verb that takes things away for good. Each file or server of a
    memory has one, and each is asked: for all that it keeps, caches and free pages included."""

    def strike_user(self, scope: Scope, name: str) -> Mapping[str, int]:
        """Take away all that is the caller's own in every table, their place in the registry
        included, and their id from what others keep; how many rows of which table. The audit log calls
        them by that name from now on."""

    def traces(self, words: Sequence[str], *, truth: bool = False) -> Mapping[str, int]:
        """How many places of which table hold one of these words as it stands; with `truth` only of
        what people and agents have given us."""

    def compact(self) -> bool:
        """Write the files anew, so that nothing of what was taken away is in any byte of them; False
        when another holds them too long. Not inside a transaction."""

    def files(self, words: Sequence[str] = ()) -> FileTraces:
        """How many bytes the files have now, 0 of a memory that has none; and in how many places of them one
        of these words stands."""


Numbered = tuple[int, ExportRecord]  # a record, and the line it stands on


class ExportStore(Protocol):
    """Records come in the order of `Sort`, those of one sort in the order they were first written, all
    as they are at one moment. However many there are, few of them are in memory at once."""

    def dump(
        self, scope: Scope | None, *, answers: bool = True, household: bool = False
    ) -> Iterator[ExportRecord]:
        """All that the caller owns. What hangs on another's source is `elsewhere`, and not there at all
        where the caller may not see that source. Without `answers`, no answers and no spending.

        Of None all that everyone owns, with the teams and who is in them; with `household` also what goes
        into no file: keys, the audit log, kept replies, work that is done, the memory's own secret."""

    def restore(
        self,
        records: Iterable[Numbered],
        *,
        embedder: str | None,
        dimensions: int = 0,
        move: Callable[[], Move] | None = None,
    ) -> Restored:
        """Take in records, in one transaction with whatever surrounds it.

        Nothing that is there is touched: a user, team or key that is there already, or a team of this
        memory that the records do not bring, is an `InvalidInput` that names the line. Vectors are kept if
        they are those of `embedder`; with None they are left out. What is `elsewhere` comes in where its
        user may see what it hangs on, and is counted as left out where not.

        With `move` they are the next records of a whole house, of which only those before are here; what
        it says when they are in is noted with them.
        """

    def note_move(self, move: Move | None) -> None:
        """Note what becomes of a migration from here or to here, durably, as the `Mark` MOVE. While it has a `refusal`, whoever begins to write gets `ReadOnlyMemory`
        with it, in every process; whoever was writing has finished."""


class HealthStore(Protocol):
    """How a store is doing, and how much is in it: numbers and times, and nobody's words."""

    def health(self) -> Health:
        """Examine the store as far as is possible while others use it; what it finds is no error."""

    def examine(self, fits: Callable[[Mapping[str, Any], str], str]) -> Examination:
        """Decode everything there is, and hold every raw text against its digest: `fits` says what is
        wrong with a raw text, given the payload of the event that tells of it; "" if nothing is.

        Names tables and keys, never what is written there. What it finds is no error.
        """

    def schema(self) -> tuple[int, int]:
        """The number of the schema that the store has, and the newest that this version knows."""

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        """Count what is there, of all users together, from one moment."""


Made = tuple[Due, Vector | None, Sequence[Vector]]  # the vector of an entry, and those of its parts


class ReembeddingStore(Protocol):
    """New vectors for a whole index, of all users, made beside those in use; each entry says whose it is."""

    def state(self) -> Embedding | None:
        """Which embedder made the vectors in use, which one is to come, and how far it is; None where
        there is no vector yet and none is to come."""

    def begin(self, embedder: str | None, dimensions: int = 0) -> bool:
        """Begin the way to another embedder, or go on with it; what was made on the way to yet another
        one is dropped. With None, none is begun; whether one was under way."""

    def waiting(self, after: int, limit: int) -> list[Due]:
        """The next entries without a new vector, in order of number, from beyond `after`."""

    def keep(self, made: Sequence[Made]) -> int:
        """Keep these new vectors beside those in use; how many. An entry that was written again since
        still waits. A vector of another length than the aim's is refused with `EmbedderError`."""

    def switch(self) -> bool:
        """Put all new vectors in the place of the old ones, in one transaction; False, and no change,
        while an entry waits."""


class Shadow(Protocol):
    """A second graph beside the one in use, of all users, derived from the same ledger."""

    def waiting(self, limit: int) -> list[Event]:
        """The next events of anyone that were not lived through yet, in the order of the ledger."""

    def count(self) -> tuple[int, int]:
        """How many events were lived through, and how many there are."""

    def take(self, event: Event) -> None:
        """Enter the event into the shadow's ledger, with its place, its raw source and its user."""

    def mark_replayed(self, event: Event) -> None:
        """Remember that all up to this event was lived through."""

    def under_way(self) -> tuple[list[tuple[str, Extraction]], list[tuple[str, int, int]]]:
        """What is being done in the memory in use: extractions, with whose they are; and whose agents'
        events are being enriched, from which place to which."""

    def compare(self, samples: int) -> Comparison:
        """What differs between the graph in use and the shadow; up to so many examples a sort."""

    def switch(self, catch_up: Callable[[], None]) -> None:
        """Keep all writers out, call `catch_up`, and put the shadow in the place of the graph, in one
        transaction: lives and dates of what did not change are kept. Then the shadow is gone."""

    def close(self, *, discard: bool = False) -> None:
        """Let go of it; whoever rebuilds next, with the same mind and embedder, goes on with it. With
        `discard` it is taken away with all that it left on the disk."""
