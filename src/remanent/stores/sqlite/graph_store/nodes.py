"""The nodes of the graph in SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.errors import Forbidden, InvalidInput
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.graph_store.anchor_words import SqliteNames, called
from remanent.stores.sqlite.graph_store.lifecycle_columns import life_values, whole
from remanent.stores.sqlite.scope import asking, insist_own, scoped

_STANDING = "SELECT user_id, kind, called FROM nodes WHERE key = ?"
_NAMESAKE = """
SELECT key FROM nodes WHERE user_id = ? AND kind = ? AND natural_key = ? AND key <> ?
"""
# An upsert keeps the row's id, and with it the edges and passages of what is replaced.
_PUT = """
INSERT INTO nodes (
    key, kind, user_id, natural_key, team_id, shared, called, salience, state, ttl_policy,
    access_count, recall_frequency, last_recall_interval, decay_gradient, last_accessed_at, decayed_at,
    confidence, created_at, updated_at, body
) VALUES (
    :key, :kind, :user_id, :natural_key, :team_id, :shared, :called, :salience, :state,
    :ttl_policy, :access_count, :recall_frequency, :last_recall_interval, :decay_gradient, :last_accessed_at,
    :decayed_at, :confidence, :created_at, :updated_at, :body
)
ON CONFLICT (key) DO UPDATE SET
    kind = excluded.kind, natural_key = excluded.natural_key, team_id = excluded.team_id,
    shared = excluded.shared, called = excluded.called, salience = excluded.salience, state = excluded.state,
    ttl_policy = excluded.ttl_policy, access_count = excluded.access_count,
    recall_frequency = excluded.recall_frequency,
    last_recall_interval = excluded.last_recall_interval,
    decay_gradient = excluded.decay_gradient, last_accessed_at = excluded.last_accessed_at,
    decayed_at = excluded.decayed_at, confidence = excluded.confidence,
    created_at = excluded.created_at, updated_at = excluded.updated_at, body = excluded.body
RETURNING id
"""
_GET = scoped("""
SELECT n.kind, n.salience, n.state, n.ttl_policy, n.access_count, n.recall_frequency,
       n.last_recall_interval, n.decay_gradient, n.last_accessed_at, n.decayed_at, n.confidence,
       n.created_at, n.updated_at, n.body
FROM json_each(:keys) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
WHERE VISIBLE(n)
""")
_NATURAL = """
SELECT kind, salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
       decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body
FROM nodes WHERE user_id = ? AND kind = ? AND natural_key = ?
"""
# Two ways to what a caller sees: the index of their own, and the index of what names them.
_FIND = scoped("""
WITH found (id, key) AS (
    SELECT n.id, n.key FROM nodes AS n
    WHERE n.user_id = :user AND n.kind = :kind AND n.key > :after AND n.shared = 0
      AND (:any_state OR n.state IN (SELECT value FROM json_each(:states))) AND VISIBLE(n)
    UNION
    SELECT n.id, n.key
    FROM json_each(:tokens) AS mine
    CROSS JOIN node_readers AS r ON r.token = mine.value
    CROSS JOIN nodes AS n ON n.id = r.node_id
    WHERE n.kind = :kind AND n.key > :after AND n.shared = 1
      AND (:any_state OR n.state IN (SELECT value FROM json_each(:states))) AND VISIBLE(n)
    ORDER BY 2 LIMIT :limit
)
SELECT n.kind, n.salience, n.state, n.ttl_policy, n.access_count, n.recall_frequency,
       n.last_recall_interval, n.decay_gradient, n.last_accessed_at, n.decayed_at, n.confidence,
       n.created_at, n.updated_at, n.body
FROM found CROSS JOIN nodes AS n ON n.id = found.id
ORDER BY n.key
""")
_KEYS = scoped("""
SELECT n.key FROM nodes AS n
WHERE n.key >= :prefix AND n.key < :prefix || char(0x10FFFF) AND VISIBLE(n)
ORDER BY n.key LIMIT :limit
""")
_REMOVE = "DELETE FROM nodes WHERE key = ? AND user_id = ? RETURNING id"
_FORGET_READERS = "DELETE FROM node_readers WHERE node_id = ?"
_ADD_READER = "INSERT INTO node_readers (node_id, token) VALUES (?, ?)"


class SqliteNodes(SqliteNames):
    """The part of the graph that is about nodes."""

    def put(self, scope: Scope, node: Node) -> None:
        """Store the node under its key, whole; what stood there is replaced."""
        insist_own(scope, node.user_id, f"key {node.key}")
        alone = (f"user:{node.user_id}",)
        shared = node.readers != alone
        values = {
            "key": node.key,
            "kind": node.kind.value,
            "user_id": node.user_id,
            "natural_key": node.natural,
            "team_id": node.team,
            "shared": shared,
            "called": called(node),
            **life_values(node),
        }
        with self._database.transaction():
            standing = self._standing(node)
            ((node_id,),) = self._database.execute(_PUT, values)
            if standing != (values["kind"], values["called"]):
                self._spell(node_id, node)
            self._database.execute(_FORGET_READERS, (node_id,))
            if shared:
                readers = [(node_id, token) for token in dict.fromkeys(node.readers)]
                self._database.execute_many(_ADD_READER, readers)

    def _standing(self, node: Node) -> Row | None:
        """Kind and names of what is to be replaced. Neither key nor natural key may be another's."""
        row = self._database.one(_STANDING, (node.key,))
        if row is not None and row[0] != node.user_id:
            raise Forbidden(f"key {node.key}: it is a node of another user")
        self._insist_only(node)
        return None if row is None else row[1:]

    def _insist_only(self, node: Node) -> None:
        if node.natural is None:
            return
        namesake = self._database.one(
            _NAMESAKE, (node.user_id, node.kind.value, node.natural, node.key)
        )
        if namesake is not None:
            problem = (
                f"{node.natural!r} is the {node.kind.value} with the key {namesake[0]} already"
            )
            raise InvalidInput("natural", problem)

    def get(self, scope: Scope, key: str) -> Node | None:
        """The node under this key, archived or not, if the caller may see it."""
        return self.get_many(scope, (key,)).get(key)

    def get_many(self, scope: Scope, keys: Sequence[str]) -> dict[str, Node]:
        """Those of the nodes that exist and that the caller may see."""
        wanted = json.dumps(list(dict.fromkeys(keys)))
        rows = self._database.execute(_GET, asking(scope, keys=wanted))
        return {node.key: node.seen_by(scope.user_id) for node in map(node_of, rows)}

    def natural(self, scope: Scope, kind: Kind, natural: str) -> Node | None:
        """The caller's own node of that kind with that natural key."""
        row = self._database.one(_NATURAL, (scope.user_id, kind.value, natural))
        return None if row is None else node_of(row)

    def find(
        self,
        scope: Scope,
        kind: Kind,
        *,
        states: Sequence[State] = (),
        limit: int = 1000,
        after: str = "",
    ) -> list[Node]:
        """Visible nodes of a kind in order of key, from beyond the key `after`; no states means all."""
        values = asking(
            scope,
            kind=kind.value,
            any_state=not states,
            states=json.dumps([state.value for state in states]),
            limit=max(limit, 0),
            after=after,
        )
        return [
            node_of(row).seen_by(scope.user_id) for row in self._database.execute(_FIND, values)
        ]

    def keys_beginning(self, scope: Scope, prefix: str, *, limit: int = 10) -> list[str]:
        """Keys of visible nodes that start with `prefix`, in order."""
        values = asking(scope, prefix=prefix, limit=max(limit, 0))
        return [key for (key,) in self._database.execute(_KEYS, values)]

    def remove(self, scope: Scope, key: str) -> bool:
        """Take the caller's own node away with all that hangs on it; False if it was not there."""
        with self._database.transaction():
            return bool(self._database.execute(_REMOVE, (key, scope.user_id)))


def node_of(row: Row) -> Node:
    """The node in a row of its kind and its life columns."""
    return whole(_TYPES[row[0]], row[1:])


_TYPES: Final = {kind.value: type_ for kind, type_ in NODE_TYPES.items()}
