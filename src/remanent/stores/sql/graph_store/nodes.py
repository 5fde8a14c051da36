"""The nodes of the graph in SQLite, with the names of anchors.

What an edge, a note or an assertion hangs on is looked up by key, or refused.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from remanent.core import by_hand
from remanent.core.dataclasses import replace
from remanent.core.model.anchor import Anchor, Concept, Entity, Name, Person
from remanent.core.model.belief import Belief
from remanent.core.model.codec import NODE_TYPES, from_record, to_record
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import WAITING, Source
from remanent.core.visibility import Consents
from remanent.errors import Forbidden, InvalidInput
from remanent.stores.sql.database import INDEX, Database, OnDatabase, Row
from remanent.stores.sql.plain_rows import (
    UNDECODABLE,
    RowCodec,
    from_json,
    from_micros,
    inserted,
    micros_or_none,
    replaced,
    to_json,
    to_micros,
    unreadable,
)
from remanent.stores.sql.scope import THING, beyond, insist_own, scope_values, scoped

_VISIBLE = scoped("""
SELECT n.key, n.id, n.kind
FROM json_each(:keys) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
WHERE VISIBLE(n)
""")
_OWN = """
SELECT n.key, n.id FROM json_each(?) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
WHERE n.user_id = ?
"""
Lived = TypeVar("Lived", bound=Node | Relationship)
ARCHIVED: Final = State.ARCHIVED.value
LIVES: Final = RowCodec(Lifecycle, "nodes")
_IN_COLUMNS: Final = ("life", "confidence", "created_at", "updated_at")
_NAMES = """
SELECT key, kind, called FROM nodes
WHERE user_id = :user AND kind IN ('person', 'concept', 'entity')
ORDER BY key
"""
# CROSS JOIN pins the order: from the few words to the few anchors that have them.
_NAMED = """
WITH found (id) AS (
    SELECT DISTINCT w.node_id
    FROM json_each(:words) AS wanted
    CROSS JOIN anchor_words AS w
        ON w.user_id = :user AND w.kind IN (SELECT value FROM json_each(:kinds)) AND w.word = wanted.value
)
SELECT n.key, n.kind, n.called FROM found CROSS JOIN nodes AS n ON n.id = found.id
ORDER BY n.key
"""
_CALLED: Final = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)
_FORGET_WORDS = "DELETE FROM anchor_words WHERE node_id = ?"
_ADD_WORD = "INSERT INTO anchor_words (user_id, kind, word, node_id) VALUES (?, ?, ?, ?)"
_STANDING = """
SELECT n.key, n.user_id, n.kind, n.called, n.state, n.shared, n.natural_key
FROM json_each(?) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
"""
_NAMESAKE = """
SELECT key FROM nodes WHERE user_id = ? AND kind = ? AND natural_key = ? AND key <> ?
"""
# An upsert keeps the row's id, and with it the edges and passages of what is replaced.
COLUMNS: Final = ("key", "kind", "user_id", "natural_key", "team_id", "shared", "called", *THING)
INSERT: Final = inserted("nodes", COLUMNS)
_PUT = f"""{INSERT}
ON CONFLICT (key) DO UPDATE SET {replaced(COLUMNS, but=("key", "user_id"))} RETURNING id
"""
GET: Final = scoped("""
SELECT n.kind, THING(n)
FROM json_each(:keys) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
WHERE VISIBLE(n)
""")
_KEYS = scoped("""
SELECT DISTINCT n.key FROM json_each(:prefixes) AS wanted
CROSS JOIN nodes AS n ON n.key >= wanted.value AND n.key < wanted.value || :beyond
WHERE VISIBLE(n)
ORDER BY 1 LIMIT :limit
""")
# The key finds the node, and no index of all that a user has: few begin so.
_OWN_KEYS = """
SELECT n.key FROM json_each(:prefixes) AS wanted
CROSS JOIN nodes AS n ON n.key >= wanted.value AND n.key < wanted.value || :beyond
WHERE n.user_id || '' = :user
UNION SELECT r.key FROM json_each(:prefixes) AS wanted
CROSS JOIN relationships AS r ON r.key >= wanted.value AND r.key < wanted.value || :beyond
WHERE r.user_id = :user
ORDER BY 1 LIMIT :limit
"""
_WAITING = scoped("""
SELECT n.kind, THING(n)
FROM node_readers AS r CROSS JOIN nodes AS n ON n.id = r.node_id
WHERE r.token = :waiting AND n.key >= :prefix AND n.key < :beyond
  AND (n.team_id IS NULL OR (
      n.team_id NOT IN (SELECT value FROM json_each(:left))
      AND (:narrowed IS NULL OR n.team_id = :narrowed)
  ))
  AND n.key NOT IN (SELECT value FROM json_each(:declined))
  AND NOT EXISTS (
      SELECT 1 FROM json_each(:blocked) AS b
      WHERE b.key = n.user_id AND (b.value IS NULL OR n.created_at <= CAST(b.value AS BIGINT))
  )
ORDER BY n.created_at DESC, n.key LIMIT :limit
""")
_REMOVE = """
DELETE FROM TABLE WHERE user_id = :user AND key IN (SELECT value FROM json_each(:keys)) RETURNING 1
"""
_FORGET_READERS = "DELETE FROM node_readers WHERE node_id = ?"
_ADD_READER = "INSERT INTO node_readers (node_id, token) VALUES (?, ?)"
_UNCHANGEABLE: Final = frozenset({Belief, Relationship, Person, Concept, Entity})
_TYPES: Final = {kind.value: type_ for kind, type_ in NODE_TYPES.items()}


class SqlNodes(OnDatabase):
    """The part of the graph that is about nodes and their names."""

    def names(
        self, scope: Scope, kind: Kind | None = None, words: Collection[str] = ()
    ) -> list[Name]:
        # A canonical word is kept beside its own canonical form: of a few odd letters they differ.
        kinds = _CALLED if kind is None else (kind,)
        values = scope_values(scope, kinds=kinds, words=sorted({*words, *words_in(words)}))
        rows = self._database.execute(_NAMED if kind or words else _NAMES, values)
        return [_name(row) for row in rows]

    def _spell(self, node_id: int, node: Node, before: str | None) -> None:
        """Make the node findable by the words it is called now, and not by those it was called `before`."""
        if before is not None:
            self._database.execute(_FORGET_WORDS, (node_id,))
        if isinstance(node, Anchor):
            words = sorted(words_in((node.name, *node.aliases)))
            self._database.execute_many(
                _ADD_WORD, [(node.user_id, node.kind.value, word, node_id) for word in words]
            )

    def put(self, scope: Scope, *nodes: Node) -> None:
        for node in nodes:
            insist_own(scope, node.user_id, f"key {node.key}")
        with self._database.transaction():
            standing = self._existing_rows(scope, nodes)
            for node in map(by_hand.imposed, nodes):
                self._put(node, standing.get(node.key, (None, None, None, False, None)))

    def _put(self, node: Node, standing: Sequence[Any]) -> None:
        values, (kind, called, state, was_shared, natural) = node_values(node), standing
        if (kind, natural) != (values["kind"], node.natural):
            self._insist_only(node)
        ((node_id,),) = self._database.execute(_PUT, values)
        if (kind, called) != (values["kind"], values["called"]):
            self._spell(node_id, node, called)
        if state is not None and (state == ARCHIVED) != (values["state"] == ARCHIVED):
            self._database.touch(INDEX)  # its entries change shelves
        if was_shared:
            self._database.execute(_FORGET_READERS, (node_id,))
        if values["shared"]:
            readers = [(node_id, token) for token in dict.fromkeys(node.readers)]
            self._database.execute_many(_ADD_READER, readers)

    def _existing_rows(self, scope: Scope, nodes: Sequence[Node]) -> dict[str, Row]:
        """Kind, names, state, sharing and nature of what is to be replaced, by key: none may be another
        user's."""
        with self._database.for_everybody():
            rows = self._database.execute(_STANDING, (json.dumps([one.key for one in nodes]),))
        for key, user_id, *_ in rows:
            if user_id != scope.user_id:
                raise Forbidden(f"key {key}: it is a node of another user")
        return {row[0]: row[2:] for row in rows}

    def _insist_only(self, node: Node) -> None:
        if node.natural is None:
            return
        namesake = self._database.fetch_one(
            _NAMESAKE, (node.user_id, node.kind.value, node.natural, node.key)
        )
        if namesake is not None:
            problem = (
                f"{node.natural!r} is the {node.kind.value} with the key {namesake[0]} already"
            )
            raise InvalidInput("natural", problem)

    def get_many(self, scope: Scope, keys: Sequence[str]) -> dict[str, Node]:
        rows = self._database.execute(GET, scope_values(scope, keys=keys)) if keys else ()
        return nodes_seen(scope, keys, rows)

    def waiting(
        self, scope: Scope, *, but: Consents | None = None, prefix: str = "", limit: int = 100
    ) -> list[Source]:
        settled = but or Consents()
        blocked = {user: micros_or_none(until) for user, until in settled.blocked.items()}
        values = scope_values(
            scope,
            waiting=f"{WAITING}:{scope.user_id}",
            prefix=prefix,
            beyond=beyond(prefix),
            declined=settled.declined,
            blocked=json.dumps(blocked),
            limit=limit,
        )
        nodes = (node_of(row) for row in self._database.execute(_WAITING, values))
        return [node for node in nodes if isinstance(node, Source)]

    def keys_beginning(
        self, scope: Scope, *prefixes: str, own: bool = False, limit: int = 10
    ) -> list[str]:
        values = scope_values(scope, prefixes=prefixes, beyond=beyond(""), limit=limit)
        return [key for (key,) in self._database.execute(_OWN_KEYS if own else _KEYS, values)]

    def remove(self, scope: Scope, *keys: str) -> int:
        values = scope_values(scope, keys=keys)
        with self._database.transaction():
            self._database.touch(INDEX)
            return sum(
                len(self._database.execute(_REMOVE.replace("TABLE", table), values))
                for table in ("relationships", "nodes")
            )


def nodes_seen(scope: Scope, keys: Sequence[str], rows: Iterable[Row]) -> dict[str, Node]:
    """By key, in the order of these keys, the nodes in rows of `GET` as the caller sees them."""
    found = {node.key: node for node in map(node_of, rows)}
    return {key: found[key].seen_by(scope.user_id) for key in keys if key in found}


def visible_row(database: Database, scope: Scope, key: str, *kinds: Kind) -> int | None:
    """The row of a node, of one of these kinds if any are named, that the caller may see."""
    row = database.fetch_one(_VISIBLE, scope_values(scope, keys=[key]))
    return int(row[1]) if row is not None and (not kinds or row[2] in kinds) else None


def voice_end(database: Database, scope: Scope, key: str, *kinds: Kind) -> int:
    """The row of what something was read in, or is asserted by: visible, or lost since with its team."""
    number = visible_row(database, scope.contributing, key, *kinds)
    if number is None:
        problem = f"no {' or '.join(kinds)} in this memory has the key {key!r}"
        raise InvalidInput("source_key", problem)
    return number


def visible_ends(database: Database, scope: Scope, *, src: str, dst: str) -> dict[str, int]:
    """The rows of two nodes that the caller may see. What is hidden is what is missing."""
    rows = database.execute(_VISIBLE, scope_values(scope, keys=[src, dst]))
    found = {key: number for key, number, _ in rows}
    return _both(found, src, dst, "nothing in this memory has the key {!r}")


def own_ends(database: Database, scope: Scope, *, src: str, dst: str) -> dict[str, int]:
    """The rows of two nodes of the caller's own."""
    rows = database.execute(_OWN, (json.dumps([src, dst]), scope.user_id))
    found: dict[str, int] = dict(rows)
    return _both(found, src, dst, "the caller has nothing under the key {!r}")


def _both(found: Mapping[str, int], src: str, dst: str, problem: str) -> dict[str, int]:
    for field, key in (("src", src), ("dst", dst)):
        if key not in found:
            raise InvalidInput(field, problem.format(key))
    return {"src_id": found[src], "dst_id": found[dst]}


def life_values(thing: Node | Relationship) -> dict[str, Any]:
    """The values of these columns by name; set-based steps may change all but `body` later."""
    record = to_record(thing)
    return {
        **LIVES.named(thing.life),
        "confidence": record.get("confidence"),
        "created_at": to_micros(thing.created_at),
        "updated_at": to_micros(thing.updated_at),
        "body": to_json({k: v for k, v in record.items() if k not in _IN_COLUMNS}, "node"),
    }


def from_columns(type_: type[Lived], row: Row) -> Lived:
    """The thing that `life_values` took apart, from its columns in the order of the schema."""
    kept: Any = type_
    if kept is Source:  # all of it but its provenance, which is its reader's own
        found: Any = decoded_once(kept, row)
        own: Lived = replace(found, provenance=_copied(found.provenance))
        return own
    return decoded_once(kept, row) if kept in _UNCHANGEABLE else _decoded(type_, row)


def _copied(value: Any) -> Any:
    """Plain values of JSON, for a reader to change."""
    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


def _decoded(type_: type[Lived], row: Row) -> Lived:
    table = "relationships" if type_ is Relationship else "nodes"
    record = from_json(row[12], table)
    try:
        ready: dict[str, Any] = {
            "created_at": from_micros(row[10]),
            "updated_at": from_micros(row[11]),
            "life": LIVES.of(row),
        }
        if row[9] is not None:
            ready["confidence"] = row[9]
        return from_record(type_, record, ready=ready)
    except UNDECODABLE as error:
        raise unreadable(table, error) from error


# Of what nobody can change afterwards: a search looks at dozens of the same, a context at hundreds.
decoded_once: Final = lru_cache(maxsize=8192)(_decoded)


def names_json(node: Node) -> str | None:
    """Name, type, aliases and whether it is the owner, as JSON; None for what is no anchor."""
    if not isinstance(node, Anchor):
        return None
    type_ = node.type if isinstance(node, Entity) else ""
    is_owner = isinstance(node, Person) and node.is_owner
    return to_json([node.name, type_, node.aliases, is_owner], "name")


def _name(row: Row) -> Name:
    key, kind, text = row
    name, type_, aliases, is_owner = from_json(text, "nodes")
    return Name(
        key=key, kind=Kind(kind), name=name, type=type_, aliases=tuple(aliases), is_owner=is_owner
    )


def words_in(names: Iterable[str]) -> set[str]:
    """The words by which somebody of these names is looked up."""
    return {word for name in names for word in canonical_name(name).split("-") if word}


def node_values(node: Node) -> dict[str, Any]:
    """The values of all columns of a node, each by its name."""
    return {
        "key": node.key,
        "kind": node.kind.value,
        "user_id": node.user_id,
        "natural_key": node.natural,
        "team_id": node.team,
        "shared": node.readers != (f"user:{node.user_id}",),
        "called": names_json(node),
        **life_values(node),
    }


def node_of(row: Row) -> Node:
    """The node in a row of its kind and its life columns."""
    if row[0] not in _TYPES:
        raise unreadable("nodes", ValueError(f"there is no kind {row[0]!r}"))
    return from_columns(_TYPES[row[0]], row[1:])
