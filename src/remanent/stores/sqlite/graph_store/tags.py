"""The keywords and tags of sources, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection

from remanent.core.model.scope import Scope
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.scope import asking, scoped

# Two ways to what a caller sees: the index of their own, and the index of what names them.
_TAGGED = scoped("""
WITH seen (id) AS (
    SELECT n.id FROM nodes AS n WHERE n.user_id = :user AND n.kind = 'source' AND n.shared = 0
    UNION
    SELECT n.id
    FROM json_each(:tokens) AS mine
    CROSS JOIN node_readers AS r ON r.token = mine.value
    CROSS JOIN nodes AS n ON n.id = r.node_id
    WHERE n.kind = 'source' AND n.shared = 1
)
SELECT n.key, n.body -> 'keywords', n.body -> 'tags'
FROM seen CROSS JOIN nodes AS n ON n.id = seen.id
WHERE VISIBLE(n)
ORDER BY n.key
""")


class SqliteTags:
    """The part of the graph that is about keywords and tags."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tagged(self, scope: Scope, words: Collection[str], *, limit: int = 1000) -> list[str]:
        """Keys of visible sources that have one of these among their keywords or tags, in order;
        capital letters make no difference."""
        wanted = {word.casefold() for word in words}
        if not wanted:
            return []
        # Compared here and not in SQL, which knows the capital letters of English alone.
        rows = self._database.execute(_TAGGED, asking(scope))
        found = (key for key, *lists in rows if not wanted.isdisjoint(_words(lists)))
        return [key for _, key in zip(range(max(limit, 0)), found, strict=False)]


def _words(lists: Collection[str | None]) -> set[str]:
    return {str(one).casefold() for text in lists for one in json.loads(text or "[]")}
