"""The edges of the graph in SQLite: links and relationships."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from remanent.core import by_hand
from remanent.core.model.relationship import Link, LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.errors import Forbidden
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.graph_store.nodes import from_columns, life_values, own_ends, visible_ends
from remanent.stores.sql.plain_rows import RowCodec, inserted, micros_or_none, replaced, to_micros
from remanent.stores.sql.scope import THING, insist_own, scope_values, scoped

LINK_COLUMNS: Final = ("kind", "src_id", "dst_id", "detail", "user_id", "weight", "created_at")
_LINK = f"{inserted('links', LINK_COLUMNS)} ON CONFLICT DO NOTHING RETURNING 1"
_UNLINK = """
DELETE FROM links
WHERE kind = ? AND detail = ? AND user_id = ?
  AND src_id = (SELECT id FROM nodes WHERE key = ?)
  AND dst_id = (SELECT id FROM nodes WHERE key = ?)
RETURNING 1
"""
# CROSS JOIN pins the order: from the nodes outward, whatever the planner's statistics say.
_LINKS_FROM = scoped("""
SELECT LINK(l) FROM json_each(:keys) AS wanted CROSS JOIN nodes AS s ON s.key = wanted.value
CROSS JOIN links AS l ON l.src_id = s.id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE (:any_kind = 1 OR l.kind IN (SELECT value FROM json_each(:kinds)))
  AND VISIBLE(s) AND VISIBLE(d)
""")
_LINKS_TO = scoped("""
SELECT LINK(l) FROM json_each(:keys) AS wanted CROSS JOIN nodes AS d ON d.key = wanted.value
CROSS JOIN links AS l ON l.dst_id = d.id CROSS JOIN nodes AS s ON s.id = l.src_id
WHERE (:any_kind = 1 OR l.kind IN (SELECT value FROM json_each(:kinds)))
  AND VISIBLE(s) AND VISIBLE(d)
""")
_LINKS: Final = {  # what is found both ways is told once
    True: _LINKS_FROM,
    False: _LINKS_TO,
    None: f"{_LINKS_FROM} UNION {_LINKS_TO}",
}
_RELATION_OWNER = "SELECT user_id FROM relationships WHERE key = ?"
# fmt: off
COLUMNS: Final = ("key", "user_id", "src_id", "dst_id", "kind", "relationship_type", "valid_from",
    "valid_to", "recorded_at", *THING)
# fmt: on
_RELATE = f"""{inserted("relationships", COLUMNS)}
ON CONFLICT (key) DO UPDATE SET {replaced(COLUMNS, but=("key", "user_id"))}
"""
_RELATIONSHIPS = scoped("""
WITH found (id) AS (
    SELECT r.id FROM nodes AS n CROSS JOIN relationships AS r ON r.src_id = n.id
    WHERE n.key = :key OUTWARD
    UNION
    SELECT r.id FROM nodes AS n CROSS JOIN relationships AS r ON r.dst_id = n.id
    WHERE n.key = :key INWARD
)
SELECT THING(r)
FROM found CROSS JOIN relationships AS r ON r.id = found.id
WHERE r.user_id = :user AND (
    :history = 1
    OR (:as_of IS NULL AND r.valid_to IS NULL)
    OR (r.valid_from <= :as_of AND (r.valid_to IS NULL OR :as_of < r.valid_to))
)
ORDER BY r.valid_from, r.key
""")
EDGES: Final = scoped("""
SELECT THING(r) FROM json_each(:keys) AS wanted CROSS JOIN relationships AS r ON r.key = wanted.value
WHERE r.user_id = :user
""")
LINKS: Final = RowCodec(Link, "links")


class SqlEdges(OnDatabase):
    """The part of the graph that is about edges."""

    def link(self, scope: Scope, link: Link) -> bool:
        insist_own(scope, link.user_id, f"link {link.src} - {link.dst}")
        with self._database.transaction():
            ends = visible_ends(self._database, scope, src=link.src, dst=link.dst)
            return bool(self._database.execute(_LINK, LINKS.named(link) | ends))

    def unlink(self, scope: Scope, link: Link) -> bool:
        values = (link.kind.value, link.detail, scope.user_id, link.src, link.dst)
        with self._database.transaction():
            return bool(self._database.execute(_UNLINK, values))

    def links(
        self, scope: Scope, *keys: str, kinds: Sequence[LinkKind] = (), outward: bool | None = None
    ) -> list[Link]:
        values = scope_values(scope, keys=keys, any_kind=not kinds, kinds=kinds)
        links = (LINKS.of(row) for row in self._database.execute(_LINKS[outward], values))
        return sorted(links, key=lambda one: (one.kind, one.src, one.dst, one.detail))

    def relate(self, scope: Scope, relationship: Relationship) -> None:
        insist_own(scope, relationship.user_id, f"relationship {relationship.key}")
        values = relationship_values(by_hand.imposed(relationship))
        with self._database.transaction():
            with self._database.for_everybody():
                owner = self._database.fetch_one(_RELATION_OWNER, (relationship.key,))
            if owner is not None and owner[0] != scope.user_id:
                raise Forbidden(f"relationship {relationship.key}: it is another user's")
            ends = own_ends(self._database, scope, src=relationship.src, dst=relationship.dst)
            self._database.execute(_RELATE, values | ends)

    def relationships_by_key(self, scope: Scope, keys: Sequence[str]) -> dict[str, Relationship]:
        values = scope_values(scope, keys=keys)
        found = map(relationship_of, self._database.execute(EDGES, values) if keys else ())
        return {one.key: one for one in found}

    def relationships(
        self,
        scope: Scope,
        key: str,
        *,
        other: str | None = None,
        relationship_type: str | None = None,
        as_of: datetime | None = None,
        history: bool = False,
    ) -> list[Relationship]:
        values = scope_values(
            scope, key=key, other=other, type=relationship_type, as_of=as_of, history=history
        )
        statement = _at_node(other=other is not None, typed=relationship_type is not None)
        return [relationship_of(row) for row in self._database.execute(statement, values)]


def _at_node(*, other: bool, typed: bool) -> str:
    """The statement with just these conditions, so that an index answers them all at once."""
    type_ = "AND r.relationship_type = :type" if typed else ""
    end = "AND r.{} = (SELECT id FROM nodes WHERE key = :other)" if other else ""
    return _RELATIONSHIPS.replace("OUTWARD", f"{type_} {end.format('dst_id')}").replace(
        "INWARD", f"{type_} {end.format('src_id')}"
    )


def relationship_values(one: Relationship) -> dict[str, Any]:
    """The values of all columns of a relationship but its ends, each by its name."""
    return {
        "key": one.key,
        "user_id": one.user_id,
        "kind": one.kind.value,
        "relationship_type": one.relationship_type,
        "valid_from": to_micros(one.valid_from),
        "valid_to": micros_or_none(one.valid_to),
        "recorded_at": to_micros(one.recorded_at),
        **life_values(one),
    }


relationship_of: Final = partial(from_columns, Relationship)
"""The relationship in a row of its life columns."""
