"""The live edges of a graph as arrays, kept in step with the file; and lives changed in one go.

What a user's edges are is kept in memory until the file says that it has changed: see the migration
`m0002_edge_versions`. Where only weights did, only those are read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from remanent.beliefs.rules.as_of import NOW, When
from remanent.core.dataclasses import dataclass, replace
from remanent.core.later import later
from remanent.core.model.belief import Belief
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Edges, Numbers, around
from remanent.core.recent import Recent
from remanent.retrieval.rules import ranking
from remanent.stores.sql.database import INDEX, Database, OnDatabase, Row
from remanent.stores.sql.graph_store import as_of as known
from remanent.stores.sql.graph_store.as_of import KnownRelationship
from remanent.stores.sql.graph_store.nodes import LIVES
from remanent.stores.sql.plain_rows import bound, from_micros
from remanent.stores.sql.scope import LIFE, scope_values, scoped

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

_MOST_EDGES: Final = 2_000_000  # kept in memory for all users together: about 400 MB

_VERSION = "SELECT born, version, drawn_at FROM edge_versions WHERE user_id = ?"
_NODES = """
SELECT n.id, n.key, n.shared = 1 OR n.team_id IS NOT NULL FROM nodes AS n WHERE n.user_id = :user
UNION ALL
SELECT n.id, n.key, TRUE
FROM (
    SELECT src_id AS id FROM links WHERE user_id = :user
    UNION SELECT dst_id FROM links WHERE user_id = :user
) AS ends CROSS JOIN nodes AS n ON n.id = ends.id
WHERE n.user_id <> :user
ORDER BY 1
"""
_RELATIONSHIPS = """
SELECT id, src_id, dst_id, relationship_type, key, salience, confidence, CAST(body ->> 'proximity' AS DOUBLE PRECISION)
FROM relationships
WHERE user_id = :user AND src_id <> dst_id AND (
    (:as_of IS NULL AND valid_to IS NULL)
    OR (valid_from <= :as_of AND (valid_to IS NULL OR :as_of < valid_to))
)
ORDER BY key
"""
_WEIGHED = """
SELECT id, salience, confidence, CAST(body ->> 'proximity' AS DOUBLE PRECISION)
FROM relationships WHERE user_id = ? AND change > ?
"""
_LINKS = """
SELECT src_id, dst_id, kind, weight FROM links
WHERE user_id = :user AND src_id <> dst_id AND (:known_at IS NULL OR created_at <= :known_at)
ORDER BY kind, src_id, dst_id, detail
"""
_FALLEN = """
SELECT id FROM nodes
WHERE user_id = :user AND kind = 'belief' AND body ->> 'status' <> 'active'
"""
_DATED = """
SELECT n.id, n.kind, n.created_at, n.body ->> 'started_at', n.body ->> 'since',
       n.body ->> 'until', n.body ->> 'status', n.body ->> 'occurred_at'
FROM json_each(:ids) AS wanted CROSS JOIN nodes AS n ON n.id = CAST(wanted.value AS BIGINT)
WHERE n.kind IN ('source', 'artifact', 'storyline', 'macro', 'belief', 'event')
"""
_LATER = """
SELECT n.id FROM json_each(:ids) AS wanted CROSS JOIN nodes AS n ON n.id = CAST(wanted.value AS BIGINT)
WHERE n.kind <> 'belief' AND n.created_at > :known_at
"""
_SEEN = scoped("""
SELECT n.id FROM json_each(:ids) AS wanted CROSS JOIN nodes AS n ON n.id = CAST(wanted.value AS BIGINT)
WHERE VISIBLE(n)
""")
# What others drew between nodes that the caller sees: in a team, the links of its stories.
_OTHERS_LINKS = scoped("""
SELECT DISTINCT s.id, d.id, l.kind, l.weight, s.key, d.key, l.detail
FROM json_each(:tokens) AS mine
CROSS JOIN node_readers AS r ON r.token = mine.value
CROSS JOIN nodes AS s ON s.id = r.node_id
CROSS JOIN links AS l ON l.src_id = s.id
CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE l.user_id <> :user AND s.id <> d.id AND VISIBLE(s) AND VISIBLE(d)
  AND (:known_at IS NULL OR l.created_at <= :known_at)
ORDER BY 3, 1, 2, 7
""")
_LIVES = scoped("""
SELECT LIFE(t), t.id
FROM json_each(:keys) AS wanted CROSS JOIN {table} AS t ON t.key = wanted.value
WHERE t.user_id = :user
""")
_RELIVE = f"UPDATE {{table}} SET {', '.join(f'{name} = ?' for name in LIFE)} WHERE id = ?"  # noqa: S608 - ours
_LIVING: Final = ("nodes", "relationships")

Told = Mapping[int, Belief | None]  # beliefs by row, as they were known


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Net:
    """All own edges of one user as of one version, whoever may see what they lead to.

    `ids` are the rows of the nodes, in order; `guarded` those that not every scope of the user sees.
    """

    ids: Numbers
    guarded: Numbers
    edges: Edges
    places: dict[int, int]  # of the relationships, by row
    born: int = 0
    version: int = 0


class SqlAdjacency(OnDatabase):
    """The part of the graph that is about all edges at once, and about lives."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._nets = Recent[str, Net](_MOST_EDGES)

    def edges(
        self, scope: Scope, *, as_of: datetime | None = None, known_at: datetime | None = None
    ) -> Edges:
        with self._database.read():
            user, when = scope.user_id, When(as_of=as_of, known_at=known_at)
            net = self._net(user) if when.is_now else self._loaded(user, when)
            edges = self._visible(scope, net)
            values = scope_values(scope, known_at=known_at)
            others = self._database.execute(_OTHERS_LINKS, values)
            ends = sorted({end for row in others for end in row[:2]})
            gone = self._absent(ends, when, self._beliefs(ends, when))
            others = [row for row in others if gone.isdisjoint(row[:2])]
            return _joined(edges, others) if others else edges

    def touch(
        self, scope: Scope, keys: Sequence[str], lived: Callable[[Lifecycle], Lifecycle]
    ) -> int:
        wanted, count = scope_values(scope, keys=sorted(keys)), 0
        with self._database.transaction():
            for table in _LIVING:
                rows = self._database.execute(_LIVES.format(table=table), wanted)
                before = [LIVES.of(row) for row in rows]
                after = [lived(life) for life in before]
                lives = [(*LIVES.row(one), row[-1]) for one, row in zip(after, rows, strict=True)]
                self._database.execute_many(_RELIVE.format(table=table), lives)
                if [_is_cold(one) for one in before] != [_is_cold(one) for one in after]:
                    self._database.touch(INDEX)  # entries change shelves
                count += len(rows)
        return count

    # -- one user's own -----------------------------------------------------------------------

    def _net(self, user_id: str) -> Net:
        born, version, drawn_at = self._database.fetch_one(_VERSION, (user_id,)) or (0, 0, 0)
        # What this thread has not committed is for its own eyes, and may yet be taken back.
        if self._database.writing:
            return self._loaded(user_id, NOW)
        net = self._nets.get(user_id)
        if net is not None and (net.born, net.version) == (born, version):
            return net
        if net is None or net.born != born or not drawn_at <= net.version < version:
            net = replace(self._loaded(user_id, NOW), born=born, version=version)
        else:
            rows = self._database.execute(_WEIGHED, (user_id, net.version))
            net = _reweighted(net, version, rows)
        self._nets.put(user_id, net, weight=len(net.edges.src))
        return net

    def _loaded(self, user_id: str, when: When) -> Net:
        nodes = self._database.execute(_NODES, {"user": user_id})
        beliefs = self._beliefs([row[0] for row in nodes], when)
        if when.is_now:
            gone = frozenset(row[0] for row in self._database.execute(_FALLEN, {"user": user_id}))
        else:
            gone = self._absent([row[0] for row in nodes], when, beliefs)
        nodes = [row for row in nodes if row[0] not in gone]
        ids = np.array([row[0] for row in nodes], dtype=np.int64)
        related = self._relationship_rows(user_id, when)
        linked = self._database.execute(_LINKS, bound(user=user_id, known_at=when.known_at))
        if when.known_at is not None:
            linked = _supported(linked, nodes, beliefs)
            related = [row for row in related if gone.isdisjoint(row[1:3])]
        if gone:
            linked = [row for row in linked if gone.isdisjoint(row[:2])]
        return Net(
            ids=ids,
            guarded=ids[[bool(row[2]) for row in nodes]],
            edges=_edges([row[1] for row in nodes], ids, related, linked),
            places={row[0]: place for place, row in enumerate(related)},
        )

    def _relationship_rows(self, user_id: str, when: When) -> list[Row]:
        """Relationships, in order of key."""
        if when.known_at is None:
            return self._database.execute(_RELATIONSHIPS, bound(user=user_id, as_of=when.as_of))
        relationships = known.relationships_as_of(
            self._database, user_id, when.known_at, when.as_of
        )
        return [
            _row(number, one)
            for number, one in enumerate(relationships)
            if one.src_id != one.dst_id
        ]

    def _beliefs(self, ids: Sequence[int], when: When) -> Told:
        """The beliefs among these as they were known; today's are told by their rows."""
        return {} if when.known_at is None else known.beliefs(self._database, ids, when)

    def _absent(self, listed: Sequence[int], when: When, beliefs: Told) -> frozenset[int]:
        """Those of these nodes that were not there then; none are missing now."""
        gone: set[int] = set()
        if when.as_of is not None:
            rows = self._database.execute(_DATED, {"ids": json.dumps(listed)})
            gone |= {row[0] for row in rows if not _was_there(row, when)}
        if when.known_at is not None:
            values = bound(ids=listed, known_at=when.known_at)
            gone |= {number for (number,) in self._database.execute(_LATER, values)}
            gone |= {number for number, one in beliefs.items() if one is None}
        return frozenset(gone)

    # -- what a scope sees of it --------------------------------------------------------------

    def _visible(self, scope: Scope, net: Net) -> Edges:
        if not len(net.guarded):
            return net.edges
        wanted = scope_values(scope, ids=json.dumps(net.guarded.tolist()))
        seen = [one for (one,) in self._database.execute(_SEEN, wanted)]
        hidden = np.setdiff1d(net.guarded, np.array(seen, dtype=np.int64))
        return _without(net.edges, net.ids, hidden) if len(hidden) else net.edges


def _is_cold(life: Lifecycle) -> bool:
    return life.state is State.ARCHIVED


def _edges(
    keys: Sequence[str], ids: Numbers, related: Sequence[Row], linked: Sequence[Row]
) -> Edges:
    """Edges between nodes whose rows are `ids`, in order."""
    ends = [(row[1], row[2]) for row in related] + [(row[0], row[1]) for row in linked]
    numbers = np.searchsorted(ids, np.array(ends, dtype=np.int64).reshape(-1, 2))
    src, dst = numbers[:, 0].copy(), numbers[:, 1].copy()
    weights = np.array([row[5:8] for row in related], dtype=np.float64).reshape(-1, 3)
    links = np.array([row[3] for row in linked], dtype=np.float64)
    return Edges(
        keys=keys,
        numbers={key: number for number, key in enumerate(keys)},
        src=src,
        dst=dst,
        strength=np.concatenate([ranking.strength(*weights.T), links]),
        is_link=np.arange(len(ends)) >= len(related),
        edge_keys=[row[4] for row in related] + [""] * len(linked),
        words=[row[3] for row in related] + [row[2] for row in linked],
        around=around(len(keys), src, dst),
    )


def _reweighted(net: Net, version: int, rows: Sequence[Row]) -> Net:
    """The net with the weights that changed."""
    known = [row for row in rows if row[0] in net.places]
    strength = net.edges.strength.copy()
    if known:
        places = [net.places[row[0]] for row in known]
        weights = np.array([row[1:] for row in known], dtype=np.float64)
        strength[places] = ranking.strength(*weights.T)
    return replace(net, version=version, edges=replace(net.edges, strength=strength))


def _without(edges: Edges, ids: Numbers, hidden: Numbers) -> Edges:
    """The same without the nodes in these rows, and without a trace of them."""
    seen = ~np.isin(ids, hidden)
    number = np.cumsum(seen) - 1
    kept = np.flatnonzero(seen[edges.src] & seen[edges.dst])
    keys = [key for key, shown in zip(edges.keys, seen.tolist(), strict=True) if shown]
    src, dst = number[edges.src[kept]], number[edges.dst[kept]]
    return Edges(
        keys=keys,
        numbers={key: place for place, key in enumerate(keys)},
        src=src,
        dst=dst,
        strength=edges.strength[kept],
        is_link=edges.is_link[kept],
        edge_keys=[edges.edge_keys[one] for one in kept.tolist()],
        words=[edges.words[one] for one in kept.tolist()],
        around=around(len(keys), src, dst),
    )


def _joined(edges: Edges, others: Sequence[Row]) -> Edges:
    """The same with others' links, and the nodes at their ends."""
    numbers, keys = dict(edges.numbers), list(edges.keys)
    for row in others:
        for key in row[4:6]:
            if key not in numbers:
                numbers[key] = len(keys)
                keys.append(key)
    ends = np.array([[numbers[row[4]], numbers[row[5]]] for row in others], dtype=np.int64)
    src, dst = np.concatenate([edges.src, ends[:, 0]]), np.concatenate([edges.dst, ends[:, 1]])
    return Edges(
        keys=keys,
        numbers=numbers,
        src=src,
        dst=dst,
        strength=np.concatenate([edges.strength, [float(row[3]) for row in others]]),
        is_link=np.concatenate([edges.is_link, np.ones(len(others), dtype=np.bool_)]),
        edge_keys=[*edges.edge_keys, *([""] * len(others))],
        words=[*edges.words, *(row[2] for row in others)],
        around=around(len(keys), src, dst),
    )


def _supported(linked: Sequence[Row], nodes: Iterable[Row], beliefs: Told) -> list[Row]:
    """The links as they were: what spoke for a belief then did, whatever was merged since."""
    held = {number: one for number, one in beliefs.items() if one is not None}
    wanted = known.supports(held, {row[1]: row[0] for row in nodes})
    kept, missing = known.links_as_of(((row[2], (row[0], row[1])) for row in linked), wanted)
    there = [row for row, stays in zip(linked, kept, strict=True) if stays]
    return [*there, *((src, dst, LinkKind.SUPPORTS.value, 1.0) for src, dst in missing)]


def _row(number: int, one: KnownRelationship) -> Row:
    """A relationship as it was known, in the shape of those that are."""
    relationship = one.relationship
    type_, life = relationship.relationship_type, relationship.life
    ends = (one.src_id, one.dst_id)
    return (
        number,
        *ends,
        type_,
        relationship.key,
        life.salience,
        relationship.confidence,
        relationship.proximity,
    )


def _was_there(row: Row, when: When) -> bool:
    """Whether what a row tells of had begun, and had not ended, by then."""
    _, kind, created_at, started_at, since, until, status, occurred_at = row
    as_of = when.as_of
    if as_of is None or (kind == "belief" and when.known_at is not None):
        return True  # the row tells of a belief what is known today
    if kind == "belief":
        stands = status not in ("forgotten", "pruned") and datetime.fromisoformat(since) <= as_of
        return stands and (until is None or as_of < datetime.fromisoformat(until))
    began = started_at or occurred_at
    return (from_micros(created_at) if began is None else datetime.fromisoformat(began)) <= as_of
