"""The shadow of a memory on several servers: its ledger lies in PostgreSQL, beside the one in use, and its
graph wherever that of the one in use lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from remanent.core.env import Stores
from remanent.core.model.event import ENRICHMENT, Event
from remanent.core.model.mind_types import Extraction
from remanent.core.model.scope import Scope
from remanent.core.records.admin import Comparison, DifferenceCount
from remanent.stores.combined.block import Block
from remanent.stores.combined.notes import LedgerNotes
from remanent.stores.combined.part import LedgerOfAll, Part
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.shadow import PostgresShadow, RebuildLock, Schemas
from remanent.stores.sql.admin.shadow import BEGUN
from remanent.stores.sql.database import Beside, Database
from remanent.stores.sql.ledger import KEEP, raw_row
from remanent.stores.sql.plain_rows import body_of

ENRICHED = """
SELECT min(CAST(n.body ->> 'seq' AS BIGINT)), max(CAST(n.body ->> 'seq' AS BIGINT))
FROM nodes AS n WHERE n.user_id = ? AND n.kind = 'event'
    AND n.body -> 'is_enriched' = 'true' AND CAST(n.body ->> 'seq' AS BIGINT) > ?
"""
_USERS = "SELECT user_id FROM users ORDER BY user_id"


class MemoryInUse(NamedTuple):
    """Where what is in use lies: its stores, their block, a ledger elsewhere, and a graph elsewhere, with that
    of the shadow; and what notes the shadow's own events then."""

    live: Stores
    block: Block
    ledger: LedgerOfAll | None
    graphs: tuple[Part, Part] | None
    notes: LedgerNotes | None


class CombinedShadow(PostgresShadow):
    """What PostgreSQL keeps is compared and taken over there, what another server keeps on that one."""

    def __init__(
        self,
        in_use: MemoryInUse,
        main: PostgresDatabase,
        other: PostgresDatabase,
        lock: RebuildLock,
    ) -> None:
        self._stores, self._block, self._ledger, self._graphs, self._notes = in_use
        super().__init__(main, other, lock)

    @property
    def _graph_in_use(self) -> Database:
        database = None if self._graphs is None else self._graphs[0].database
        return database or self._main

    # -- the ledger

    def waiting(self, limit: int) -> list[Event]:
        """While nobody writes, no event of a lower number can come any more."""
        if self._ledger is None:
            return super().waiting(limit)
        with self._block.atomic():
            return self._ledger.events(self._seq, max(0, limit))

    def _count_to(self, seq: int | None) -> int:
        return super()._count_to(seq) if self._ledger is None else self._ledger.count(seq)

    def take(self, event: Event) -> None:
        super().take(event)
        if self._notes is not None:
            self._notes.note(event.user_id, event.seq)

    def _take_raw(self, event: Event, key: str) -> None:
        raw = self._stores.ledger.raw(Scope(user_id=event.user_id), key)
        if raw is not None:
            self._database.execute(KEEP, raw_row(raw))

    # -- the graph

    def under_way(self) -> tuple[list[tuple[str, Extraction]], list[tuple[str, int, int]]]:
        graph = self._graph_in_use
        begun = graph.execute(BEGUN)
        extractions = [(user, body_of(Extraction, body, "extractions")) for user, body in begun]
        half = []
        for (user,) in self._main.execute(_USERS):
            after = self._stores.ledger.position(Scope(user_id=user), ENRICHMENT)
            ((first, last),) = graph.execute(ENRICHED, (user, after))
            if first is not None:
                half.append((user, first, last))
        return extractions, half

    def compare(self, samples: int) -> Comparison:
        here = super().compare(samples)
        if self._graphs is None:
            return here
        there = self._graphs[0].compare(self._graphs[1], samples)
        return Comparison(
            tallies=_summed(here.tallies, there.tallies), samples=(*here.samples, *there.samples)
        )

    @contextmanager
    def _beside(self, *, writes: bool = False) -> Iterator[Beside]:
        """To write it joins a block of the memory in use, so that the other servers write with it."""
        if not writes:
            with super()._beside() as seat:
                yield seat
            return
        with self._block.atomic(durable=True), self._main.showing(self._other.schema) as seat:
            yield Schemas(seat, self._main.schema)
            if self._graphs is not None:
                self._graphs[0].adopt(self._graphs[1])
            self._main.renumber()

    def close(self, *, discard: bool = False) -> None:
        if self._graphs is not None:
            if discard:
                self._graphs[1].drop()
            self._graphs[1].close()
        super().close(discard=discard)


def _summed(
    one: Mapping[str, DifferenceCount], other: Mapping[str, DifferenceCount]
) -> dict[str, DifferenceCount]:
    """Sorts that lie in both places are counted together."""
    summed = dict(one)
    for sort, count in other.items():
        known = summed.get(sort, DifferenceCount())
        summed[sort] = DifferenceCount(
            added=known.added + count.added,
            removed=known.removed + count.removed,
            changed=known.changed + count.changed,
            same=known.same + count.same,
        )
    return dict(sorted(summed.items()))
