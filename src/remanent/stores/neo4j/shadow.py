"""The shadow in Neo4j: a second graph beside the one in use, by its labels; how the two differ, and how
one takes the place of the other."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from remanent.core.records.admin import Comparison
from remanent.stores.combined.shadow import ENRICHED
from remanent.stores.neo4j.database import Neo4jDatabase
from remanent.stores.neo4j.dialect import Cypher
from remanent.stores.neo4j.erasure import TABLES
from remanent.stores.sql.admin import shadow
from remanent.stores.sql.admin.adopt_rebuild import comparison, difference
from remanent.stores.sql.database import INDEX, Row
from remanent.stores.sql.plain_rows import to_json
from remanent.stores.sql.scope import LIFE


class _Thing(NamedTuple):
    """One sort of thing: how it is found, and known again in the other graph; what it says."""

    found: str
    again: str
    sort: str
    key: str
    name: str
    said: str = "'{}'"
    more: str = "null"
    mark: str = "null"
    number: str = "x.id"
    page: int = 2_000


# `x` is in the graph G, and `y` the same in the graph H.
_THINGS: Final = (
    _Thing(
        "MATCH (x:G)",
        "MATCH (y:H {key: x.key})",
        "x.kind",
        "x.key",
        """[one IN [x.name, x.statement, x.title, x.summary, x.text]
            WHERE one IS NOT NULL AND one <> ''][0]""",
        "@.body",
        "@.confidence",
    ),
    _Thing(
        "MATCH (:G)-[x:RELATIONSHIPS]->(:G)",
        "MATCH (:H)-[y:RELATIONSHIPS {key: x.key}]->(:H)",
        "'relationship'",
        "x.key",
        "x.relationship_type + ': ' + coalesce(x.description, '')",
        "@.body",
        "@.confidence",
    ),
    _Thing(
        "MATCH (s:G)-[x:LINKS]->(d:G)",
        """MATCH (:H {key: s.key})-[y:LINKS]->(:H {key: d.key})
        WHERE y.kind = x.kind AND y.detail = x.detail""",
        "'link'",
        "x.user_id + ' ' + x.kind + ' ' + s.key + ' ' + d.key + ' ' + x.detail",
        "x.kind + ' ' + x.detail",
        more="@.weight",
        number="0",  # few change
        page=1_000_000_000,
    ),
    _Thing(
        "MATCH (x:G_Assertion)",
        "MATCH (y:H_Assertion {user_id: x.user_id, digest: x.digest})",
        "'assertion'",
        "x.user_id",
        "x.description",
        mark="x.digest",
    ),
    _Thing(
        "MATCH (x:G_Note)",
        "MATCH (y:H_Note {user_id: x.user_id, digest: x.digest})",
        "'note'",
        "x.user_id",
        "x.content",
        """'{"date_added": ' + toString(@.date_added)
            + ', "expires_at": ' + toString(coalesce(@.expires_at, 0)) + '}'""",
        mark="x.digest",
    ),
    _Thing(
        "MATCH (x:G_Extraction) MATCH (s:G {id: x.source_id})",
        "MATCH (d:H {key: s.key}) MATCH (y:H_Extraction {user_id: x.user_id, source_id: d.id})",
        "'extraction'",
        "x.user_id + ' ' + s.key",
        "''",
        "@.body",
    ),
    _Thing(
        "MATCH (x:G_Passage)",
        "MATCH (y:H_Passage {key: x.key})",
        "'passage'",
        "x.key",
        "x.text",
        "@.body",
        number="x.rowid",
    ),
)
STATEMENTS: Final = {
    # Within a text its quotes would be escaped: only the field itself reads so.
    shadow.BEGUN: """
MATCH (e:MEMORY_Extraction) WHERE NOT e.body CONTAINS '"is_done": true'
RETURN e.user_id, e.body ORDER BY e.id
""",
    ENRICHED: """
MATCH (n:MEMORY {user_id: $p1, kind: 'event'}) WHERE n.is_enriched = true AND n.seq > $p2
RETURN min(n.seq), max(n.seq)
""",
}
_LACKING: Final = """
{found} WHERE NOT EXISTS {{ {again} }} RETURN {sort}, {key}, {name}, {mark}
"""
_CHANGED: Final = """
{found} CALL (*) {{ {again} RETURN y }}
WITH *, coalesce({x_more}, -1.0) <> coalesce({y_more}, -1.0) AS is_reweighed, {number} AS number
WHERE number > $after AND ({x_said} <> {y_said} OR is_reweighed)
RETURN {sort}, {key}, {name}, {mark} AS mark, {y_said} AS before, {x_said} AS now, is_reweighed, number
ORDER BY number LIMIT {page}
"""
_SORTS: Final = "{found} RETURN {sort} AS sort, count(*)"
# Of what is in both: the lives and dates that those in use have are theirs again.
_LIVING: Final = {
    "nodes": ("MATCH (s:BESIDE)", "MATCH (o:MEMORY {key: s.key})"),
    "relationships": (
        "MATCH (:BESIDE)-[s:RELATIONSHIPS]->(:BESIDE)",
        "MATCH (:MEMORY)-[o:RELATIONSHIPS {key: s.key}]->(:MEMORY)",
    ),
}
_LIVE_ON: Final = f"""
SET {", ".join(f"s.{name} = o.{name}" for name in (*LIFE, "accesses", "created_at"))}
SET s.updated_at = CASE WHEN s.body = o.body THEN o.updated_at ELSE s.updated_at END
"""
_TWO_BODIES: Final = """
WHERE s.id > $after AND s.body <> o.body
RETURN s.key, o.body, s.body, o.updated_at, s.id AS number ORDER BY number LIMIT 2000
"""
_REWORDED: Final = {
    "nodes": "UNWIND $rows AS row MATCH (s:BESIDE {key: row.key}) SET s += row.all",
    "relationships": """
UNWIND $rows AS row MATCH (:BESIDE)-[s:RELATIONSHIPS {key: row.key}]->(:BESIDE) SET s += row.all
""",
}
_DATED: Final = (
    """
MATCH (s:BESIDE)-[l:LINKS]->(d:BESIDE)
MATCH (:MEMORY {key: s.key})-[o:LINKS]->(:MEMORY {key: d.key})
WHERE o.kind = l.kind AND o.detail = l.detail
SET l.created_at = o.created_at
""",
    """
MATCH (a:BESIDE_Assertion) MATCH (o:MEMORY_Assertion {user_id: a.user_id, digest: a.digest})
SET a.recorded_at = o.recorded_at
""",
)
# Every reader's cache is behind, and is told so: nothing on its shelf is there any more.
_COUNTED_ON: Final = (
    """
MATCH (o:MEMORY_Token)
MERGE (t:BESIDE_Token {token: o.token}) ON CREATE SET t.version = 0
SET t.version = CASE WHEN t.version < o.version THEN o.version ELSE t.version END
""",
    "MATCH (t:BESIDE_Token) SET t.version = t.version + 1 SET t.removed_at = t.version",
    """
MATCH (t:BESIDE_Token) MATCH (r:BESIDE_Reads {token: t.token}) SET r.change = t.version
""",
    """
MATCH (o:MEMORY_Edges)
MERGE (e:BESIDE_Edges {user_id: o.user_id}) ON CREATE SET e.version = 0
SET e.born = o.born, e.version = CASE WHEN e.version < o.version THEN o.version ELSE e.version END
""",
    "MATCH (e:BESIDE_Edges) SET e.version = e.version + 1 SET e.drawn_at = e.version",
    "MATCH (m:MEMORY_Meta {name: 'embedder'}) DELETE m",
    "MATCH (m:BESIDE_Meta) WHERE m.name <> 'embedder' DELETE m",
    """
MATCH (o:BESIDE_Count) MATCH (c:MEMORY_Count {table: o.table})
SET c.last = CASE WHEN c.last < o.last THEN o.last ELSE c.last END
""",
)
_OF_BOTH: Final = frozenset({"_Meta"})
_KEPT: Final = frozenset({"_Position"})  # how far the ledger was told is not for the shadow to say
_GRAPH: Final = re.compile(r"(?<=:)[GH](?=[_ ){])")
_BESIDE: Final = re.compile(r"\bBESIDE(\w*)")


class SideBySide:
    """The graph in use, and the one beside it in the same database."""

    def __init__(self, live: Neo4jDatabase, database: Neo4jDatabase) -> None:
        self._live = live
        self._database = database

    # -- what differs -------------------------------------------------------------------------

    def compare(self, samples: int) -> Comparison:
        """What differs between the graph in use and the one beside it."""
        with self._live.read():
            whole = Counter[str]()
            for one in _THINGS:
                sql = _filled(_SORTS, one, "MEMORY", "BESIDE")
                whole.update(dict(self._run(sql)))
            rows = sorted(self._differences())
        tallied = Counter((row[0], row[1]) for row in rows)
        groups = groupby(rows, key=lambda row: row[:2])
        shown = [row for _, same in groups for row in islice(same, max(0, samples))]
        return comparison(whole, [(*how, count) for how, count in tallied.items()], shown)

    def _differences(self) -> Iterator[Row]:
        """Each as its sort, how it differs, its key and name, and the fields that do."""
        for one in _THINGS:
            for how, graph, other in (
                ("added", "BESIDE", "MEMORY"),
                ("removed", "MEMORY", "BESIDE"),
            ):
                for sort, key, name, mark in self._run(_filled(_LACKING, one, graph, other)):
                    yield sort, how, _key(key, mark), name or "", ""
            for row in self._pages(_filled(_CHANGED, one, "BESIDE", "MEMORY")):
                sort, key, name, mark, before, now, is_reweighed, _ = row
                weight = " weight" if sort == "link" else " confidence"
                fields = difference(before, now) + (weight if is_reweighed else "")
                if fields:
                    yield sort, "changed", _key(key, mark), name or "", fields

    # -- taking its place ---------------------------------------------------------------------

    def adopt(self) -> None:
        """Put the graph beside in the place of the one in use; inside a transaction of that."""
        self._live.touch(INDEX)
        for table, (beside, same) in _LIVING.items():
            self._run(f"{beside} {same} {_LIVE_ON}")
            self._reword(table, f"{beside} {same} {_TWO_BODIES}")
        for statement in (*_DATED, *_COUNTED_ON):
            self._run(statement)
        for suffix in sorted(TABLES.keys() - _KEPT - _OF_BOTH, reverse=True):
            self._run(f"MATCH (x:MEMORY{suffix}) DETACH DELETE x")
        for suffix in (*_KEPT, "_Count", "_Migration", "_Block"):
            self._run(f"MATCH (x:BESIDE{suffix}) DELETE x")
        for suffix in TABLES.keys() - _KEPT:
            self._run(f"MATCH (x:BESIDE{suffix}) SET x:MEMORY{suffix} REMOVE x:BESIDE{suffix}")

    def _reword(self, table: str, pages: str) -> None:
        """What tells the same keeps its text and its date; how firm it was made is kept anyway."""
        rows = list[dict[str, Any]]()
        for key, before, now, updated_at, _ in self._pages(pages):
            old, new = json.loads(before), json.loads(now)
            if not difference(before, now):
                rows.append({"key": key, "body": before, "updated_at": updated_at})
            elif old.get("stability") != new.get("stability"):
                new["stability"] = old.get("stability")
                rows.append({"key": key, "body": to_json(new, "body")})
        if rows:
            self._live.execute_many(self._written(_REWORDED[table]), rows)

    # -- running ------------------------------------------------------------------------------

    def _pages(self, cypher: str) -> Iterator[Row]:
        after = -1
        while rows := self._run(cypher, {"after": after}):
            yield from rows
            after = rows[-1][-1]

    def _run(self, cypher: str, values: Mapping[str, Any] = MappingProxyType({})) -> list[Row]:
        return self._live.execute(self._written(cypher), values)

    def _written(self, cypher: str) -> Cypher:
        beside = self._database.memory
        return Cypher(_BESIDE.sub(lambda found: f"`{beside}{found[1]}`", cypher))


def _filled(template: str, one: _Thing, graph: str, other: str) -> str:
    """A statement about one sort of thing, of which `x` is in `graph` and `y` in `other`."""
    parts = {
        name: _GRAPH.sub(lambda at: graph if at[0] == "G" else other, text)
        for name, text in one._asdict().items()
        if isinstance(text, str)
    }
    for end in "xy":
        parts |= {f"{end}_{name}": parts[name].replace("@", end) for name in ("said", "more")}
    return template.format(**parts, page=one.page)


def _key(key: str, mark: bytes | None) -> str:
    return key if mark is None else f"{key} {mark.hex().upper()}"
