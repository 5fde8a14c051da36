"""The dialect of Neo4j: for each shared statement a Cypher with the same columns in the same order.

In Cypher a value is `$p1` or `$name`; `$[name]` is the list that the SQL hands to `json_each`. What is
written many times at once unwinds `$rows`; `row.fields` are those of its body, which is called so or comes
last, `row.all` these and all other values, `row.id` or `$id` a new number. In capitals stands what is written out here: `MEMORY` is the label of
this memory's nodes, `MEMORY_Note` that of its notes, `LINKS` and `RELATIONSHIPS` are their types;
`VISIBLE(n)`, `LIFE(n)`, `THING(n)`, `LINK(l)` and `ASSERTION(a)` are what they are in `scope`; `DRAWN(user)`
counts that a user's edges came, went or lead elsewhere, `SHELVED(n)` moves the entries of a source,
`GONE(n)` takes a node away with all that hangs on it, `ACCESSED(n)` are the accesses of what `row` brings
up to date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, NamedTuple

from remanent.core.model.relationship import LinkKind, RelationshipKind
from remanent.errors import StoreError
from remanent.stores.sql.database import Values
from remanent.stores.sql.graph_store import edges, nodes
from remanent.stores.sql.scope import LIFE, THING

_PARTS: Final = (
    "shared", "nodes", "edges", "notes", "graph", "nights", "events",
    "entries", "searches", "picture", "graph_rows", "shadow",
)  # fmt: skip
"""The modules of statements: each has `STATEMENTS`, a Cypher for each SQL."""

_VISIBLE: Final = """(
    CASE @.shared WHEN 0 THEN @.user_id = $user ELSE EXISTS {
        MATCH (@)<-[:reads]-(reader:MEMORY_Reader) WHERE reader.token IN $[tokens]
    } END
    AND (@.team_id IS NULL OR (
        NOT @.team_id IN $[left] AND ($narrowed IS NULL OR @.team_id = $narrowed)
    ))
    AND NOT @.key IN $[hidden]
)"""
_DRAWN: Final = """
MERGE (drawn:MEMORY_Edges {user_id: @})
ON CREATE SET drawn.born = timestamp(), drawn.version = 0
SET drawn.version = drawn.version + 1
SET drawn.drawn_at = drawn.version
"""
# What is archived or called back is found on the other shelf: its entries come anew, and no block has them.
_SHELVED: Final = """
CALL (@) {
    MATCH (e:MEMORY_Entry)
    WHERE e.key >= @.key AND e.key < @.key + '$'
    MATCH (r:MEMORY_Reads {entry_id: e.id})
    WITH r.token AS token, collect(r) AS reads
    MATCH (t:MEMORY_Token {token: token})
    SET t.version = t.version + 1
    SET t.removed_at = t.version
    WITH t, reads
    UNWIND reads AS r
    SET r.change = t.version
    WITH r
    MATCH (b:MEMORY_Block {token: r.token})
    WHERE b.first <= r.entry_id AND b.last >= r.entry_id
    DETACH DELETE b
}
"""
# The newest thirty accesses, newest first, where the row tells of one more.
_ACCESSED: Final = """
CASE WHEN row.access_count > @.access_count AND row.last_accessed_at IS NOT NULL
THEN ([toString(row.last_accessed_at) + ' ' + toString(round(@.salience, 3)) + ' '
       + toString(round(row.salience, 3))] + @.accesses)[..30]
ELSE @.accesses END
"""
_HANGING: Final = (
    "Note.node_id", "Note.source_id", "Assertion.source_id", "Assertion.src_id", "Assertion.dst_id",
    "Extraction.source_id", "Passage.source_id", "Bearer.source_id", "Word.node_id", "Reader.node_id",
)  # fmt: skip
_GONE: Final = """
CALL (@) {
    MATCH (@)-[e:LINKS|RELATIONSHIPS]-(:MEMORY)
    WITH DISTINCT e.user_id AS whose
    DRAWN(whose)
}
CALL (@) {
    MATCH (@)-[e:RELATIONSHIPS]-(:MEMORY)
    MATCH (t:MEMORY_Note {relationship_id: e.id})
    DELETE t
}
HANGING
DETACH DELETE @
""".replace(
    "HANGING",
    "\n".join(
        f"CALL (@) {{ MATCH (t:MEMORY_{label} {{{name}: @.id}}) DETACH DELETE t }}"
        for label, name in (one.split(".") for one in _HANGING)
    ),
)
_MACROS: Final = {
    "VISIBLE": _VISIBLE,
    "ACCESSED": _ACCESSED,
    "GONE": _GONE,
    "BYTES": "[one IN @ | (one + 256) % 256]",  # in the order of bytes
    "DRAWN": _DRAWN,
    "SHELVED": _SHELVED,
    "LIFE": ", ".join(f"@.{name} AS {name}" for name in LIFE),
    "THING": ", ".join(f"@.{name} AS {name}" for name in THING),
    "LINK": """@.user_id AS user_id, @.kind AS kind, s.key AS src, d.key AS dst,
       @.created_at AS created_at, @.detail AS detail, @.weight AS weight""",
    "ASSERTION": """@.user_id AS user_id, o.key AS source_key, @.kind AS kind, s.key AS src, d.key AS dst,
       @.relationship_type AS relationship_type, @.description AS description, @.at AS at,
       @.recorded_at AS recorded_at, @.attitude AS attitude, @.proximity AS proximity,
       @.confidence AS confidence, @.ended AS ended, @.single AS single""",
}
_TYPES: Final = {
    "LINKS": "|".join(kind.value for kind in LinkKind),
    "RELATIONSHIPS": "|".join(kind.value for kind in RelationshipKind),
}
_CALLED: Final = re.compile(rf"\b({'|'.join(_MACROS)})\(([\w.$]+)\)")
_LABEL: Final = re.compile(r"\bMEMORY(\w*)")
_LABELS: Final = re.compile(r"`(\w+)`")
_LIST: Final = re.compile(r"\$\[(\w+)\]")
_NUMBER: Final = re.compile(r"\$id\b|\brow\.id\b")
_WRITES: Final = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b")
_COLUMNS: Final = frozenset({*nodes.COLUMNS, *edges.COLUMNS, "id", "accesses", "change", "all"})


class Cypher(str):
    """A statement that was Cypher from the beginning."""

    __slots__ = ()


class Statement(NamedTuple):
    """One as the server takes it, for one memory."""

    text: str
    lists: frozenset[str]  # the values that are JSON lists
    batched: bool  # whether it takes many rows at once
    numbered: bool  # whether it makes something with a number
    whole: bool  # whether it wants what stands in a body
    writes: bool
    labels: frozenset[str]  # of all that it reads or changes


def worded(module: ModuleType, statements: Mapping[str, str]) -> dict[str, str]:
    """The statements for the constants of a module, each by its SQL."""
    return {vars(module)[name]: text for name, text in statements.items()}


@cache
def statements() -> Mapping[str, str]:
    """A Cypher for each SQL."""
    found: dict[str, str] = {}
    for part in _PARTS:
        found.update(import_module(f"remanent.stores.neo4j.{part}").STATEMENTS)
    return found


@lru_cache(maxsize=4000)
def translated(sql: str, memory: str) -> Statement:
    """The statement for the memory with that label."""
    if isinstance(sql, Cypher):
        template = str(sql)
    elif sql in statements():
        template = statements()[sql]
    else:
        raise StoreError(
            "neo4j", f"has no Cypher for this statement: {' '.join(sql.split())[:200]}"
        )
    text = written(template, memory)
    lists = frozenset(_LIST.findall(text))
    return Statement(
        text=_LIST.sub(r"$\1_list", text),
        lists=lists,
        batched="$rows" in text,
        numbered=_NUMBER.search(text) is not None,
        whole="row.all" in text or "row.fields" in text,
        writes=_WRITES.search(text) is not None,
        labels=frozenset(_LABELS.findall(text)),
    )


def written(template: str, memory: str) -> str:
    """The text with all that stands in capitals written out."""
    while _CALLED.search(template):
        template = _CALLED.sub(lambda found: _MACROS[found[1]].replace("@", found[2]), template)
    for name, types in _TYPES.items():
        template = re.sub(rf"\b{name}\b", types, template)
    return _LABEL.sub(lambda found: f"`{memory}{found[1]}`", template)


def named(statement: Statement, values: Values, number: int | None) -> dict[str, Any]:
    """The values of a statement, or of one of its rows, each by the name it has in Cypher."""
    row: dict[str, Any] = {
        name: int(one) if isinstance(one, bool) else one
        for name, one in _by_name(values)
        if name not in statement.lists
    }
    if statement.whole:
        *_, last = row.values()
        body = row.get("body", last)
        fields = _fields(body) if isinstance(body, str) and body.startswith("{") else {}
        row |= {
            "fields": fields,
            "all": fields | {name: one for name, one in row.items() if one is not None},
        }
    if number is not None:
        row.setdefault("id", number)
    return row


def lists(statement: Statement, values: Values) -> dict[str, Any]:
    """Those values that are lists in Cypher; of many rows they are the same in all."""
    return {
        f"{name}_list": None if text is None else json.loads(text)
        for name, text in _by_name(values)
        if name in statement.lists
    }


def _by_name(values: Values) -> Iterable[tuple[str, Any]]:
    if isinstance(values, Mapping):
        return values.items()
    return ((f"p{place}", one) for place, one in enumerate(values, 1))


def _fields(body: str) -> dict[str, Any]:
    """What stands in a body, as Neo4j keeps it: parts of parts are JSON."""
    fields: dict[str, Any] = {}
    for name, one in json.loads(body).items():
        if one is None or name in _COLUMNS:
            continue
        is_list = isinstance(one, list)
        if isinstance(one, str | int | float) or (is_list and all(isinstance(x, str) for x in one)):
            fields[name] = one
            continue
        fields[name] = json.dumps(one, ensure_ascii=False)
        if is_list:
            told = [x.get("source_key") for x in one if isinstance(x, dict)]
            fields[f"{name}_keys"] = [key for key in told if key is not None]
    return fields
