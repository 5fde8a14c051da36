"""A memory in PostgreSQL, some parts of which other servers keep. What a method promises is said at its port."""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from typing import Any

from remanent.config import servers_beside
from remanent.core.dataclasses import dataclass, replace
from remanent.core.ports.admin import Shadow
from remanent.core.records.export import RecordKind
from remanent.errors import ConfigError, StoreError
from remanent.stores.combined.block import Block, Mend
from remanent.stores.combined.claims import wait_before_work
from remanent.stores.combined.export import (
    JoinedExport,
    PlainRows,
    ReachedEvents,
    SplitMarks,
    SplitPositions,
    ask_index_for_its_marks,
)
from remanent.stores.combined.health import JoinedHealth
from remanent.stores.combined.notes import LedgerNotes
from remanent.stores.combined.part import Dimensions, LedgerOfAll, Opening, Part
from remanent.stores.combined.shadow import CombinedShadow, MemoryInUse
from remanent.stores.opened import OpenedStores
from remanent.stores.postgres import PostgresStores
from remanent.stores.postgres import open_stores as open_postgres
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.shadow import has_shadow, shadow_schema
from remanent.stores.postgres.wall import wall
from remanent.stores.sql.admin.export import Rows
from remanent.stores.sql.admin.shadow import BEYOND

__all__ = ["CombinedStores", "open_stores"]

_PARTS = "parts"
"""Under this name PostgreSQL notes which servers keep parts of the memory, and by what they know it."""
_IN_USE = "SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM users)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedStores(OpenedStores):
    """The stores of all servers. `atomic` spans them; after `close` none can be used."""

    base: PostgresStores
    parts: Mapping[str, Part]
    addresses: Mapping[str, str]
    opening: Opening

    def with_embedder(self, name: str, dimensions: Dimensions) -> CombinedStores:
        """The same stores, whose vectors are another embedder's from now on."""
        base = self.base.with_embedder(name, dimensions)
        changed: dict[str, Any] = {"base": base, "index": base.index}
        for one in self.parts.values():
            changed |= _walled(base.database, one.with_embedder(name, dimensions))
        return replace(self, **changed)

    def follow(self, mend: Mend) -> None:
        """Apply with `mend` what a crash left over, now and whenever somebody writes."""
        self.opening.block.mend = mend
        self.opening.block.catch_up()

    def open_shadow(
        self, *, mind_name: str, embedder_name: str, dimensions: int, now: datetime
    ) -> tuple[OpenedStores, Shadow]:
        """The stores of the graph that is derived beside the one in use, and what ties it to that."""
        base, lock = self.base.stores_beside(mind_name, embedder_name, dimensions, now=now)
        with ExitStack() as opened:
            opened.callback(lock.close)
            opened.callback(base.close)
            how = {"now": now, "embedder_name": embedder_name, "dimensions": dimensions}
            stores, graphs = self._beside(base, how)
            opened.callback(stores.close)
            in_use = MemoryInUse(
                self, self.opening.block, _of_ledger(self.parts), graphs, _notes(stores)
            )
            shadow = CombinedShadow(in_use, self.base.database, base.database, lock)
            opened.pop_all()
        return stores, shadow

    def _beside(
        self, base: PostgresStores, how: Mapping[str, Any]
    ) -> tuple[PostgresStores | CombinedStores, tuple[Part, Part] | None]:
        """The shadow's stores, the ledger of which lies in PostgreSQL; and where the graph does not, the
        part that keeps the one in use, and the shadow's."""
        kind = next((kind for kind, one in self.parts.items() if one.database is not None), None)
        if kind is None:
            return base, None
        live, block, mark = self.parts[kind], Block(base.database), _mark(base.database, (kind,))
        opening = Opening(schema=base.database.schema, block=block, **how)
        part = _opener(kind)(self.addresses[kind], opening)
        if part.belongs(mark) != mark:  # left by a rebuild that is no more
            part.drop()
            part.close()
            part = _opener(kind)(self.addresses[kind], opening)
            part.belongs(mark)
        stores = _joined(base, {kind: part}, {kind: self.addresses[kind]}, opening)
        number = _last_entry(live) + BEYOND
        if part.database is not None and _last_entry(part) < number:
            with block.atomic():
                part.database.count_from("entries", number)
        return stores, (live, part)

    def discard_shadow(self) -> bool:
        """Take away what an earlier rebuild left; False if there is nothing."""
        if not has_shadow(self.base.database):
            return False
        schema = shadow_schema(self.base.database)
        for kind, one in self.parts.items():
            if one.database is not None:
                opening = replace(self.opening, schema=schema, block=Block(self.base.database))
                part = _opener(kind)(self.addresses[kind], opening)
                part.drop()
                part.close()
        return self.base.discard_shadow()


def open_stores(
    memory: str,
    *,
    now: datetime,
    embedder_name: str,
    dimensions: Dimensions,
    busy_timeout_s: float = 60,
) -> PostgresStores | CombinedStores:
    """Open the memory at these addresses, PostgreSQL's first, or raise a `StoreError` that says why not."""
    others = servers_beside(memory)
    how: dict[str, Any] = {
        "now": now,
        "embedder_name": embedder_name,
        "dimensions": dimensions,
        "busy_timeout_s": busy_timeout_s,
    }
    with ExitStack() as opened:
        base = open_postgres(
            memory.split()[0], **how | ({"dimensions": 0} if "neo4j" in others else {})
        )
        opened.callback(base.close)
        mark = _mark(base.database, tuple(sorted(others)))
        if not others:
            opened.pop_all()
            return base
        opening = Opening(schema=base.database.schema, block=Block(base.database), **how)
        parts = {}
        for kind, url in others.items():
            parts[kind] = part = _opener(kind)(url, opening)
            opened.callback(part.close)
            if part.belongs(mark) != mark:
                raise StoreError(
                    part.path, f"has {opening.schema!r} of another memory: name a schema"
                )
        opened.pop_all()
    return _joined(base, parts, others, opening)


def _opener(kind: str) -> Callable[[str, Opening], Part]:
    try:
        opener: Callable[[str, Opening], Part] = importlib.import_module(
            f"remanent.stores.{kind}"
        ).open_part
    except ImportError:
        raise ConfigError("memory", f"needs `pip install 'remanent[{kind}]'`") from None
    return opener


def _mark(database: PostgresDatabase, kinds: tuple[str, ...]) -> str:
    """By what the other servers know this memory. `StoreError` if parts of it are elsewhere than these."""
    noted = database.meta(_PARTS)
    if noted is None and not kinds:
        return ""
    if noted is None:
        with database.for_everybody(), database.transaction(durable=True, moving=True):
            noted = database.meta(_PARTS)
            if noted is None:
                ((in_use,),) = database.execute(_IN_USE)
                noted = "" if in_use else f"{' '.join(kinds)} {secrets.token_hex(8)}"
                if noted:
                    database.set_meta(_PARTS, noted)
    *there, mark = noted.split() or [""]
    if tuple(there) != kinds:
        kept = " and ".join(there) or "nothing else"
        raise StoreError(
            database.path,
            f"is kept in PostgreSQL and {kept}: name their addresses, or move it with "
            "`remanent migrate --to`",
        )
    return mark


def _joined(
    base: PostgresStores, parts: Mapping[str, Part], addresses: Mapping[str, str], opening: Opening
) -> CombinedStores:
    fields: dict[str, Any] = {
        name: getattr(base, name)
        for name in ("ledger", "graph", "index", "records", "queue", "reembedding", "cypher")
    }
    block = opening.block
    for one in parts.values():
        fields |= _walled(base.database, one.stores)
    members = tuple(one.member for one in parts.values())

    def close() -> None:
        for one in parts.values():
            one.close()
        base.close()

    graph = next((one for one in parts.values() if "graph" in one.stores), None)
    if graph is not None:
        block.positions = graph.stores["graph"]
        block.is_ledger_first = not any("ledger" in one.stores for one in parts.values())
    if block.is_ledger_first:
        members = (LedgerNotes(base.database, base.ledger), *members)
    wait_before_work(fields["queue"], block)
    block.members = members
    rests = [one.wait_for_work for one in parts.values() if "queue" in one.stores]
    return CombinedStores(
        **fields,
        erasing=(*base.erasing, *(one.erasing for one in parts.values())),
        health=JoinedHealth(base.health, parts),
        export=wall(base.database.seen_by, "export", _export(base, parts, block)),
        atomic=block.atomic,
        close=close,
        wait_for_work=rests[0] if rests else base.wait_for_work,
        base=base,
        parts=parts,
        addresses=addresses,
        opening=opening,
    )


def _of_ledger(parts: Mapping[str, Part]) -> LedgerOfAll | None:
    return next(
        (one.ledger_of_all for one in parts.values() if one.ledger_of_all is not None), None
    )


def _notes(stores: OpenedStores) -> LedgerNotes | None:
    members = stores.opening.block.members if isinstance(stores, CombinedStores) else ()
    return next((one for one in members if isinstance(one, LedgerNotes)), None)


def _last_entry(part: Part) -> int:
    return 0 if part.database is None else part.database.last_number("entries")


def _export(base: PostgresStores, parts: Mapping[str, Part], block: Block) -> JoinedExport:
    """Where the ledger or the graph is elsewhere, positions are in both, or not where they were."""
    graph = next((one for one in parts.values() if one.database is not None), None)
    plain, others = PlainRows(base.database), dict[RecordKind, Rows]()
    for one in parts.values():
        others |= one.rows
    others[RecordKind.EVENT] = ReachedEvents(block, others.get(RecordKind.EVENT, plain))
    others[RecordKind.POSITION] = SplitPositions(
        base.database,
        others.get(RecordKind.POSITION, plain),
        base.graph if graph is None else graph.stores["graph"],
    )
    if graph is not None and graph.database is not None:
        others[RecordKind.MARK] = SplitMarks(base.database, graph.database)
        ask_index_for_its_marks(base.records, graph.database)
    return JoinedExport(
        block,
        base.database,
        graph=None if graph is None else graph.database,
        ledger=_of_ledger(parts),
        others=others,
    )


def _walled(database: PostgresDatabase, stores: Mapping[str, Any]) -> dict[str, Any]:
    """These stores, each call of which says to PostgreSQL for whom it writes."""
    return {name: wall(database.seen_by, name, store) for name, store in stores.items()}
