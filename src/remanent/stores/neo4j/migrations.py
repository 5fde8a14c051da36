"""The history of constraints and indexes in Neo4j: numbered steps, forward only, each recorded when it was
taken. Types of relationships are shared by all memories of a database, labels are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Final

from remanent.core.model.relationship import LinkKind, RelationshipKind
from remanent.errors import NewerMemory, StoreError, UnreachableMemory
from remanent.stores.neo4j.database import Neo4jDatabase
from remanent.stores.neo4j.dialect import Cypher, written
from remanent.stores.sql.plain_rows import to_micros

_DONE: Final = Cypher("MATCH (m:MEMORY_Migration) RETURN coalesce(max(m.number), 0)")
_RECORD: Final = Cypher(
    "MERGE (m:MEMORY_Migration {number: $number}) ON CREATE SET m.applied_at = $at"
)
# By label, what is told apart by these properties, and what is looked up by them: an index of several is of
# use only where all of them are asked for.
_UNIQUE: Final = {
    1: {
        "MEMORY": "key, id, user_id kind natural_key",
        "MEMORY_Meta": "name",
        "MEMORY_Count": "table",
        "MEMORY_Edges": "user_id",
        "MEMORY_Position": "user_id consumer",
        "MEMORY_Note": "user_id digest",
        "MEMORY_Assertion": "user_id digest",
        "MEMORY_Extraction": "user_id source_id",
        "MEMORY_Passage": "key",
        "MEMORY_Reader": "node_id token",
        "MEMORY_Entry": "key, id",
        "MEMORY_Reads": "token entry_id",
        "MEMORY_Token": "token",
        "MEMORY_Block": "token first",
    },
}
_INDEXED: Final = {
    1: {
        "MEMORY": "user_id, user_id kind, user_id id, team_id, sensitivity",
        "MEMORY_Reader": "token, node_id",
        "MEMORY_Word": "user_id word, node_id",
        "MEMORY_Bearer": "user_id word, source_id",
        "MEMORY_Note": "user_id, node_id, relationship_id, source_id",
        "MEMORY_Assertion": "user_id, source_id, src_id, dst_id",
        "MEMORY_Extraction": "source_id",
        "MEMORY_Passage": "source_id, rowid",
        "MEMORY_Entry": "owner_key, made",
        "MEMORY_Reads": "token, entry_id, token change",
        "MEMORY_Block": "token",
    },
}
# For whoever looks with Neo4j's own tools. It comes a moment after what it is of: to wait for it made each
# write of a text three times as dear.
_TEXTS: Final = "MEMORY_texts"
_MADE: Final = {
    2: f"""
CREATE FULLTEXT INDEX {_TEXTS} IF NOT EXISTS FOR (n:MEMORY|MEMORY_Passage|MEMORY_Note)
ON EACH [n.name, n.aliases, n.title, n.statement, n.summary, n.description, n.text, n.content]
OPTIONS {{indexConfig: {{`fulltext.eventually_consistent`: true}}}}
""",
}
NEWEST: Final = max(*_UNIQUE, *_INDEXED, *_MADE)


def migrate(database: Neo4jDatabase, now: datetime) -> None:
    """Bring the graph up to this version's, made if there is none; what is up to date is not written to.

    No transaction is around it, and nobody waits for an index: each waits for all that was begun before it,
    and two processes that open their memories would wait for one another. What is done twice is done once.
    """
    done = version(database)
    if done == NEWEST:
        return
    for statement in _of_types():
        _make(database, statement)
    for number in range(done + 1, NEWEST + 1):
        for statement in _step(number):
            _make(database, written(statement, database.memory))
        database.execute(_RECORD, {"number": number, "at": to_micros(now)})


def _make(database: Neo4jDatabase, statement: str) -> None:
    """Another may be about to make the same: then it is there, or will be at the second attempt."""
    try:
        database.run_plain(statement)
    except StoreError as error:
        if isinstance(error, UnreachableMemory):
            raise
        database.run_plain(statement)


def version(database: Neo4jDatabase) -> int:
    """The number of the last step; `NewerMemory` if this version does not know it."""
    ((number,),) = database.execute(_DONE)
    if number > NEWEST:
        raise NewerMemory(
            database.path,
            f"was written by a later version of Remanent (graph {number}, this one knows {NEWEST})",
        )
    return int(number)


def drop(database: Neo4jDatabase) -> None:
    """Take away all that is in it, and its constraints and indexes with it."""
    for label in (*labels(), "MEMORY_Migration"):
        match = written(f"MATCH (x:{label})", database.memory)
        database.run_plain(f"{match} CALL (x) {{ DETACH DELETE x }} IN TRANSACTIONS OF 2000 ROWS")
    for what, steps in (("CONSTRAINT", _UNIQUE), ("INDEX", _INDEXED)):
        for label, names in chain(*map(_listed, steps.values())):
            name = written(_name(label, names), database.memory)
            database.run_plain(f"DROP {what} {name} IF EXISTS")
    database.run_plain(written(f"DROP INDEX {_TEXTS} IF EXISTS", database.memory))


def _of_types() -> Iterator[str]:
    """Links are looked up by their user, relationships by their key and number."""
    wanted = [(kind.value, "user_id") for kind in LinkKind]
    wanted += [(kind.value, name) for kind in RelationshipKind for name in ("key", "id")]
    for type_, name in wanted:
        yield (
            f"CREATE INDEX remanent_{type_}_{name} IF NOT EXISTS FOR ()-[r:{type_}]-() ON (r.{name})"
        )


def _step(number: int) -> Iterator[str]:
    for label, names in _listed(_UNIQUE.get(number, {})):
        name, what = _name(label, names), f"REQUIRE ({_properties(names)}) IS UNIQUE"
        yield f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) {what}"
    for label, names in _listed(_INDEXED.get(number, {})):
        name = _name(label, names)
        yield f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({_properties(names)})"
    if number in _MADE:
        yield _MADE[number]


def _listed(step: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each label with the names of one index."""
    return ((label, names) for label, all_ in step.items() for names in all_.split(", "))


def _properties(names: str) -> str:
    return ", ".join(f"n.{name}" for name in names.split())


def _name(label: str, names: str) -> str:
    return f"{label}_by_{names.replace(' ', '_')}"


def labels() -> Sequence[str]:
    """All labels of what a memory keeps."""
    return sorted({*chain(*_UNIQUE.values(), *_INDEXED.values())})
