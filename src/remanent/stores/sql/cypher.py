"""Cypher over SQLite: a picture of what the caller may see goes to a jailed process, and only that.

The query never meets the database: no SQL is made from it, and the process that runs it has neither
the file nor anybody else's rows.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from remanent.beliefs.rules import as_of as past
from remanent.beliefs.rules.as_of import When
from remanent.core.by_hand import note_mark, notes_of
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind, RelationshipKind
from remanent.core.model.scope import Scope
from remanent.core.model.search import Rows
from remanent.core.ports.cypher import Bounds, Question
from remanent.cypher.jail import Jail, Seen, Wanted
from remanent.cypher.language.schema import HAS_PASSAGE, KINDS, PASSAGE
from remanent.stores.sql.database import Database, OnDatabase, Row
from remanent.stores.sql.graph_store import as_of as known
from remanent.stores.sql.graph_store.as_of import KnownRelationship
from remanent.stores.sql.graph_store.nodes import from_columns, life_values
from remanent.stores.sql.plain_rows import micros_or_none, to_micros
from remanent.stores.sql.scope import scope_values, scoped

# Two ways to what a caller sees: the index of their own, and the index of what names them.
_NODES: Final = scoped("""
SELECT n.id, n.key, n.kind, THING(n)
FROM json_each(:kinds) AS kind CROSS JOIN nodes AS n ON n.user_id = :user AND n.kind = kind.value
WHERE n.shared = 0 AND (:archived = 1 OR n.state <> 'archived') AND KNOWN(n) AND VISIBLE(n)
UNION ALL
SELECT n.id, n.key, n.kind, THING(n)
FROM (
    SELECT DISTINCT r.node_id
    FROM json_each(:tokens) AS mine CROSS JOIN node_readers AS r ON r.token = mine.value
) AS named
CROSS JOIN nodes AS n ON n.id = named.node_id
WHERE n.shared = 1 AND n.kind IN (SELECT value FROM json_each(:kinds))
  AND (:archived = 1 OR n.state <> 'archived') AND KNOWN(n) AND VISIBLE(n)
""").replace("KNOWN(n)", "(:known_at IS NULL OR n.kind = 'belief' OR n.created_at <= :known_at)")
_RELATIONSHIPS: Final = scoped("""
SELECT r.id, r.key, r.kind, r.src_id, r.dst_id, THING(r)
FROM relationships AS r
WHERE r.user_id = :user AND r.kind IN (SELECT value FROM json_each(:types))
  AND (:archived = 1 OR r.state <> 'archived') AND (
    (:as_of IS NULL AND r.valid_to IS NULL)
    OR (r.valid_from <= :as_of AND (r.valid_to IS NULL OR :as_of < r.valid_to))
)
""")
_LINKS: Final = """
SELECT kind, src_id, dst_id, weight FROM links
WHERE user_id = :user AND kind IN (SELECT value FROM json_each(:types))
  AND (:known_at IS NULL OR created_at <= :known_at)
UNION ALL
SELECT l.kind, l.src_id, l.dst_id, l.weight
FROM json_each(:shared) AS seen CROSS JOIN links AS l ON l.src_id = CAST(seen.value AS BIGINT)
WHERE l.user_id <> :user AND l.kind IN (SELECT value FROM json_each(:types))
  AND (:known_at IS NULL OR l.created_at <= :known_at)
"""
_NOTES: Final = """
SELECT node_id, relationship_id, content, added_by, date_added,
       (SELECT s.key FROM nodes AS s WHERE s.id = source_id), expires_at
FROM notes
WHERE user_id = :user AND date_added <= :at AND (expires_at IS NULL OR expires_at > :at)
  AND (:known_at IS NULL OR :known_at >= coalesce(
    (SELECT s.created_at FROM nodes AS s WHERE s.id = source_id), date_added))
ORDER BY date_added, id
"""
_PASSAGES: Final = """
SELECT p.source_id, p.key, p.body
FROM json_each(:sources) AS seen CROSS JOIN passages AS p ON p.source_id = CAST(seen.value AS BIGINT)
ORDER BY p.source_id, p.ordinal
"""
_CONTENT: Final = re.compile(r"\bcontent\b")
_STARTS: Final = {Kind.SOURCE: "started_at", Kind.EVENT: "occurred_at"}
_SHARED: Final = (Kind.SOURCE, Kind.STORYLINE, Kind.MACRO)
_STORIES: Final = (Kind.STORYLINE, Kind.MACRO)
_RELATED: Final = {kind.value for kind in RelationshipKind}


class SqlCypher(OnDatabase):
    """The `Cypher` port on one database, a file or in memory."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._jail = Jail()

    def query(self, scope: Scope, question: Question, *, bounds: Bounds) -> Rows:
        """The answer from the nodes and edges that the caller may see; no other can change it."""
        self._database.fetch_one(
            "SELECT 1"
        )  # a memory that was closed says so before a process is started
        request = {
            "text": question.text,
            "parameters": question.parameters,
            "now": question.now.isoformat(),
        }
        answer = self._jail.ask(
            request, bounds, lambda wanted: self.visible_rows(scope, question, wanted)
        )
        return Rows(
            columns=tuple(answer["columns"]),
            rows=tuple(tuple(row) for row in answer["rows"]),
            truncated=answer["truncated"],
            notices=tuple(answer["notices"]),
        )

    def close(self) -> None:
        """End the process that runs queries."""
        self._jail.close()

    # -- the picture --------------------------------------------------------------------------

    def visible_rows(self, scope: Scope, question: Question, wanted: Wanted) -> Seen:
        """Rows of what the caller may see, all from one moment."""
        named = set(wanted.labels)
        values = scope_values(
            scope,
            kinds=[kind for kind, label in KINDS.items() if label in named],
            types=[type_.lower() for type_ in wanted.types],
            archived=question.include_archived,
            as_of=question.as_of,
            known_at=question.known_at,
            at=question.as_of or question.known_at or question.now,
        )
        run, when = self._database.execute, When(as_of=question.as_of, known_at=question.known_at)
        with self._database.read():
            nodes = [_as_seen(row, scope) for row in _valid_nodes(run(_NODES, values), when)]
            shared = [row[0] for row in nodes if row[2] in _SHARED]
            sources = [row[0] for row in nodes if row[2] == Kind.SOURCE and PASSAGE in named]
            related, related_notes = (
                self._relationship_rows(scope, question, values)
                if not _RELATED.isdisjoint(type_.lower() for type_ in wanted.types)
                else ([], [])
            )
            linked = run(_LINKS, {**values, "shared": json.dumps(shared)}) if wanted.types else []
            noted = run(_NOTES, values) if nodes else []
            quoted = run(_PASSAGES, {"sources": json.dumps(sources)}) if sources else []
            if _CONTENT.search(question.text):
                nodes = _with_content(nodes, run)
            if when.known_at is not None:
                linked = self._supported(linked, nodes, wanted)
        return _graph_rows(nodes, _edges(related, linked), _Notes([*noted, *related_notes]), quoted)

    def _relationship_rows(
        self, scope: Scope, question: Question, values: Mapping[str, Any]
    ) -> tuple[list[Row], list[Row]]:
        """The relationships; and their notes, where today's are not those of the time asked about."""
        if question.known_at is None:
            return self._database.execute(_RELATIONSHIPS, values), []
        drawn = known.relationships_as_of(
            self._database, scope.user_id, question.known_at, question.as_of
        )
        at, types = question.as_of or question.known_at, json.loads(values["types"])
        related, notes = list[Row](), list[Row]()
        for number, edge in enumerate(drawn, 1):
            state, kind = edge.relationship.life.state, edge.relationship.kind
            if kind in types and (question.include_archived or state is not State.ARCHIVED):
                related.append(_as_known(_related_row(-number, edge), question.known_at))
                dropped = {one.was for one in edge.span.words if one.field == "note"}
                words = {
                    (one.source_key, one.description): to_micros(one.at)
                    for one in reversed(edge.span.assertions)
                    if one.at <= at and one.source_key
                    if note_mark(one.source_key, one.description) not in dropped
                }
                notes += [
                    (None, -number, description, scope.user_id, moment, source_key, None)
                    for (source_key, description), moment in reversed(words.items())
                ]
                for one in notes_of(edge.span.words, "", scope.user_id).values():
                    written, until = to_micros(one.date_added), micros_or_none(one.expires_at)
                    if until is None or until > to_micros(at):
                        notes.append(
                            (None, -number, one.content, one.added_by, written, None, until)
                        )
        return related, notes

    def _supported(self, linked: list[Row], nodes: list[Row], wanted: Wanted) -> list[Row]:
        """The links as they were: what spoke for a belief then did, whatever was merged since."""
        supports = LinkKind.SUPPORTS.value
        if supports.upper() not in wanted.types:
            return linked
        held = {row[0]: from_columns(Belief, row[3:]) for row in nodes if row[2] == Kind.BELIEF}
        by_support = known.supports(held, {row[1]: row[0] for row in nodes})
        kept, missing = known.links_as_of(
            ((row[0], (row[1], row[2])) for row in linked), by_support
        )
        there = [row for row, stays in zip(linked, kept, strict=True) if stays]
        return [*there, *((supports, src, dst, 1.0) for src, dst in missing)]


def _as_seen(row: Row, scope: Scope) -> Row:
    """The row with what the caller may read of it: a team is told its own text of a story, and nobody
    but its contributor who accepted a source."""
    if row[2] not in _STORIES and not (
        row[2] == Kind.SOURCE and ('"accepted"' in row[-1] or '"by_hand"' in row[-1])
    ):
        return row
    node = from_columns(NODE_TYPES[Kind(row[2])], row[3:])
    if node.user_id == scope.user_id:
        return row
    return (*row[:-1], life_values(node.seen_by(scope.user_id))["body"])


def _with_content(nodes: list[Row], run: Callable[..., list[Row]]) -> list[Row]:
    """The rows of sources with their processed text, for a query that speaks of it."""
    ids = [row[0] for row in nodes if row[2] == Kind.SOURCE]
    said: dict[int, list[str]] = {}
    for source_id, _, text in run(_PASSAGES, {"sources": json.dumps(ids)}):
        one = json.loads(text)
        who = f"{one['speaker']}: " if one.get("speaker") else ""
        said.setdefault(source_id, []).append(f"{who}{one['text']}")
    told = []
    for row in nodes:
        if row[0] in said:
            body = json.loads(row[-1])
            content = {"type": body["content_type"], "content": "\n\n".join(said[row[0]])}
            row = (*row[:-1], json.dumps({**body, "content": content}))
        told.append(row)
    return told


class _Notes:
    """The notes on each node and on each relationship, oldest first."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.on_node: dict[int, list[list[Any]]] = defaultdict(list)
        self.on_edge: dict[int, list[list[Any]]] = defaultdict(list)
        for node_id, relationship_id, *note in rows:
            if node_id is None:
                self.on_edge[relationship_id].append(note)
            else:
                self.on_node[node_id].append(note)


def _edges(related: list[Row], linked: Iterable[Row]) -> list[Row]:
    """Relationships, and links as rows of the same shape.

    Several links of one kind between the same two tell of several names; for a query it is one.
    """
    weights: dict[tuple[Any, ...], float] = {}
    for kind, src, dst, weight in linked:
        weights[kind, src, dst] = max(weight, weights.get((kind, src, dst), weight))
    links = [
        (0, "", *place, f'{{"weight": {weight}}}') for place, weight in sorted(weights.items())
    ]
    return [*related, *links]


def _graph_rows(nodes: list[Row], edges: list[Row], notes: _Notes, quoted: list[Row]) -> Seen:
    nodes.sort(key=lambda row: row[1])
    edges.sort(key=lambda row: row[2:5])
    spoken = list(enumerate(quoted, 1))
    rows = {
        "nodes": [
            *(
                (row[0], row[1], KINDS[row[2]], *row[3:-1], notes.on_node.get(row[0]))
                for row in nodes
            ),
            *((-number, row[1], PASSAGE) for number, row in spoken),
        ],
        "edges": [
            *((row[1], row[2].upper(), *row[3:-1], notes.on_edge.get(row[0])) for row in edges),
            *(("", HAS_PASSAGE, row[0], -number) for number, row in spoken),
        ],
    }
    bodies = [
        *(row[-1] for row in nodes),
        *(row[2] for row in quoted),
        *(row[-1] for row in edges),
        *("{}" for _ in quoted),
    ]
    return rows, bodies


def _valid_nodes(rows: Iterable[Row], when: When) -> Iterator[Row]:
    """The nodes that are there, now or then; with `known_at` as they were known."""
    for row in rows:
        if when.known_at is not None and row[2] == Kind.BELIEF:
            belief = from_columns(Belief, row[3:])
            then = known.known_belief(belief, when)
            if then is not None:
                known_row = row if then is belief else (*row[:3], *life_values(then).values())
                yield _as_known(known_row, when.known_at)
        elif _is_there(row[2], row[-1], when.as_of):
            yield row if when.known_at is None else _as_known(row, when.known_at)


def _as_known(row: Row, known_at: datetime) -> Row:
    """A row of a node or relationship without what was written on it later."""
    limit = to_micros(known_at)
    *named, confidence, created_at, updated_at, body = row
    if updated_at > limit:
        kept = past.known_properties(Kind(row[2]), json.loads(body), known_at)
        body, updated_at = json.dumps(kept), None
        confidence = confidence if row[2] == Kind.BELIEF else None
    lived = [None if one is not None and one > limit else one for one in named[-2:]]
    return (*named[:-2], *lived, confidence, created_at, updated_at, body)


def _related_row(number: int, one: KnownRelationship) -> Row:
    relationship = one.relationship
    return (
        number,
        relationship.key,
        relationship.kind.value,
        one.src_id,
        one.dst_id,
        *life_values(relationship).values(),
    )


def _is_there(kind: str, body: str, as_of: datetime | None) -> bool:
    """Whether a belief is held, and whether an episode has happened, now or at `as_of`."""
    if kind == Kind.BELIEF:
        return _is_held(json.loads(body), as_of)
    if as_of is None or kind not in _STARTS:
        return True
    return datetime.fromisoformat(json.loads(body)[_STARTS[Kind(kind)]]) <= as_of


def _is_held(belief: dict[str, Any], as_of: datetime | None) -> bool:
    if as_of is None:
        return bool(belief["status"] == BeliefStatus.ACTIVE)
    if belief["status"] in (BeliefStatus.FORGOTTEN, BeliefStatus.PRUNED):
        return False
    until = belief.get("until")
    since = datetime.fromisoformat(belief["since"])
    return since <= as_of and (until is None or as_of < datetime.fromisoformat(until))
