"""What must not leave this machine, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection

from remanent.core.model.scope import Scope
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.scope import asking, scoped

# Most memories have nothing of the sort, and that is known at once.
_ANY = "SELECT 1 FROM nodes WHERE body ->> 'sensitivity' = 'high' LIMIT 1"
# `asked` leads from each key to all whose words may stand in its text, one row each; links from
# sources are not followed row by row but looked up among the few of high sensitivity.
_PRIVATE = scoped("""
WITH RECURSIVE
high (id) AS MATERIALIZED (SELECT id FROM nodes WHERE body ->> 'sensitivity' = 'high'),
asked (key, id) AS (
    SELECT n.key, n.id FROM json_each(:keys) AS wanted
    CROSS JOIN nodes AS n ON n.key = wanted.value WHERE VISIBLE(n)
    UNION
    SELECT r.key, a.source_id FROM json_each(:keys) AS wanted
    CROSS JOIN relationships AS r ON r.key = wanted.value
    CROSS JOIN assertions AS a ON a.src_id = r.src_id AND a.dst_id = r.dst_id
      AND a.kind = r.kind AND a.relationship_type = r.relationship_type
    WHERE r.user_id = :user AND a.user_id = :user
    UNION
    SELECT r.key, t.source_id FROM json_each(:keys) AS wanted
    CROSS JOIN relationships AS r ON r.key = wanted.value
    CROSS JOIN notes AS t ON t.relationship_id = r.id
    WHERE r.user_id = :user AND t.source_id IS NOT NULL
    UNION
    SELECT a.key, below.id FROM asked AS a CROSS JOIN nodes AS n ON n.id = a.id
    CROSS JOIN json_each(n.body, '$.derived_from') AS ground
    CROSS JOIN nodes AS below ON below.key = ground.value
    WHERE n.kind = 'belief'
    UNION
    SELECT a.key, l.dst_id FROM asked AS a CROSS JOIN nodes AS n ON n.id = a.id
    CROSS JOIN links AS l ON l.src_id = a.id
    WHERE l.kind IN ('groups', 'rooted_in', 'same_as') OR (l.kind = 'about' AND n.kind = 'storyline')
    UNION
    SELECT a.key, l.src_id FROM asked AS a
    CROSS JOIN links AS l ON l.dst_id = a.id WHERE l.kind = 'same_as'
)
SELECT DISTINCT a.key FROM asked AS a
WHERE a.id IN high
   OR EXISTS (
       SELECT 1 FROM high AS h CROSS JOIN links AS l
       ON l.src_id = h.id AND l.dst_id = a.id AND l.kind IN ('mentions', 'produced', 'supports')
   )
   OR EXISTS (
       SELECT 1 FROM high AS h CROSS JOIN links AS l
       ON l.kind = 'includes' AND l.src_id = a.id AND l.dst_id = h.id
   )
   OR EXISTS (
       SELECT 1 FROM notes AS t WHERE t.node_id = a.id AND t.source_id IN high
   )
   OR EXISTS (
       SELECT 1 FROM nodes AS n CROSS JOIN json_each(n.body, '$.supports') AS told
       CROSS JOIN nodes AS s ON s.key = told.value ->> 'source_key'
       WHERE n.id = a.id AND n.kind = 'belief' AND s.id IN high
   )
""")


class SqliteDiscreet:
    """The part of the graph that is about privacy."""

    _database: Database

    def private(self, scope: Scope, keys: Collection[str]) -> frozenset[str]:
        """Those of these visible nodes, and of the caller's own relationships, that are of high
        sensitivity or may hold words of what is."""
        if not keys:
            return frozenset()
        with self._database.read():
            if self._database.one(_ANY) is None:
                return frozenset()
            values = asking(scope, keys=json.dumps(sorted(set(keys))))
            return frozenset(key for (key,) in self._database.execute(_PRIVATE, values))
