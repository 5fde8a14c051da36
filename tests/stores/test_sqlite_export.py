"""Carrying, on SQLite in a file and in memory; and that no table is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from remanent.core.records.export import TYPES, RecordKind
from remanent.stores.sql.plain_rows import PLAIN
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance import ExportContract
from remanent_conformance.builders import MOMENT
from remanent_conformance.export import DIMENSIONS

pytestmark = pytest.mark.quick


class TestCarrying(ExportContract):
    @pytest.fixture(params=["file", "memory"])
    def new_stores(
        self, request: pytest.FixtureRequest, tmp_path: Path
    ) -> Iterator[Callable[[], SqliteStores]]:
        numbers = count()
        opened: list[SqliteStores] = []

        def new() -> SqliteStores:
            path = ":memory:" if request.param == "memory" else tmp_path / f"{next(numbers)}.db"
            stores = open_stores(path, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
            opened.append(stores)
            return stores

        yield new
        for stores in opened:
            stores.close()


@pytest.fixture
def stores() -> Iterator[SqliteStores]:
    made = open_stores(":memory:", now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
    yield made
    made.close()


# Every table of the schema stands in one of these.
CARRIED = {
    **{one.table: sort for sort, one in PLAIN.items()},
    "nodes": RecordKind.NODE,
    "relationships": RecordKind.RELATIONSHIP,
    "links": RecordKind.LINK,
    "assertions": RecordKind.ASSERTION,
    "notes": RecordKind.NOTE,
    "extractions": RecordKind.EXTRACTION,
    "passages": RecordKind.PASSAGE,
    "entries": RecordKind.ENTRY,
}
MADE_AGAIN = {
    "node_readers": "from the nodes",
    "anchor_words": "from the nodes",
    "bearers": "from the extractions",
    "vector_readers": "from the entries",
    "shelf_blocks": "from the entries, when they are searched",
    "token_versions": "counts anew",
    "edge_versions": "counts anew",
    "migrations": "the schema is that of the memory which takes it in",
}
LEFT_OUT = {
    "reembedded": "vectors on the way to another embedder: it begins again",
}


def test_every_table_is_carried_or_left_out_for_a_reason(stores: SqliteStores) -> None:
    rows = stores.database.execute("SELECT name FROM pragma_table_list WHERE schema = 'main'")
    tables = {name for (name,) in rows if not name.startswith("sqlite_")}
    groups = (CARRIED.keys(), MADE_AGAIN.keys(), LEFT_OUT.keys())

    assert tables == set().union(*groups)
    assert sum(map(len, groups)) == len(tables)  # none in two of them
    assert set(CARRIED.values()) == set(RecordKind) == TYPES.keys()


# What a column holds that no record does, and why.
DROPPED = {
    "events": {"digest"},  # made from the event
    "nodes": {"id", "natural_key", "shared", "called"},  # made from the node
    "jobs": {"id"},
    "items": {"id"},
}


@pytest.mark.parametrize("sort", PLAIN)
def test_every_column_of_a_plain_table_is_carried(sort: RecordKind, stores: SqliteStores) -> None:
    table = PLAIN[sort]
    rows = stores.database.execute("SELECT name FROM pragma_table_info(?)", (table.table,))
    columns = {name for (name,) in rows}

    assert columns - set(table.columns) == DROPPED.get(table.table, set())
