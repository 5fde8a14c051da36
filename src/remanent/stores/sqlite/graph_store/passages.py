"""The passages of sources in SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence

from remanent.core.model.codec import from_record, to_record
from remanent.core.model.scope import Scope
from remanent.core.model.source import Passage
from remanent.errors import Forbidden, InvalidInput, UnknownKey
from remanent.stores.sqlite.columns import from_json, to_json
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.scope import asking, scoped

_SOURCE = scoped("""
SELECT n.id, n.user_id, VISIBLE(n) FROM nodes AS n WHERE n.key = :key AND n.kind = 'source'
""")
_CLEAR = "DELETE FROM passages WHERE source_id = ?"
_TAKEN = """
SELECT p.key FROM json_each(?) AS wanted CROSS JOIN passages AS p ON p.key = wanted.value LIMIT 1
"""
_ADD = "INSERT INTO passages (key, source_id, ordinal, body) VALUES (?, ?, ?, ?)"
_OF_SOURCE = scoped("""
SELECT p.body FROM nodes AS n CROSS JOIN passages AS p ON p.source_id = n.id
WHERE n.key = :key AND VISIBLE(n)
ORDER BY p.ordinal, p.key
""")
_BY_KEY = scoped("""
SELECT p.body
FROM json_each(:keys) AS wanted
CROSS JOIN passages AS p ON p.key = wanted.value
CROSS JOIN nodes AS n ON n.id = p.source_id
WHERE VISIBLE(n)
""")


class SqlitePassages:
    """The part of the graph that is about passages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_passages(self, scope: Scope, source_key: str, passages: Sequence[Passage]) -> None:
        """Make these the passages of the caller's own source, in the place of any before."""
        for one in passages:
            if one.source_key != source_key:
                raise InvalidInput("source_key", f"passage {one.key} is of {one.source_key!r}")
        keys = [one.key for one in passages]
        if len(set(keys)) < len(keys):
            raise InvalidInput("key", f"two passages of {source_key!r} have one key")
        with self._database.transaction():
            source_id = self._own_source(scope, source_key)
            self._database.execute(_CLEAR, (source_id,))
            taken = self._database.one(_TAKEN, (json.dumps(keys),))
            if taken is not None:
                raise InvalidInput("key", f"{taken[0]!r} is a passage of another source")
            self._database.execute_many(
                _ADD,
                [(p.key, source_id, p.ordinal, to_json(to_record(p), "passage")) for p in passages],
            )

    def _own_source(self, scope: Scope, source_key: str) -> int:
        row = self._database.one(_SOURCE, asking(scope, key=source_key))
        if row is None or (row[1] != scope.user_id and not row[2]):
            raise UnknownKey(source_key)
        if row[1] != scope.user_id:
            raise Forbidden(f"source {source_key}: {scope.user_id!r} may read it, not write it")
        return int(row[0])

    def passages(self, scope: Scope, source_key: str) -> list[Passage]:
        """The passages of a visible source in order."""
        rows = self._database.execute(_OF_SOURCE, asking(scope, key=source_key))
        return [_passage(body) for (body,) in rows]

    def passages_by_key(self, scope: Scope, keys: Sequence[str]) -> dict[str, Passage]:
        """Those of these passages that exist and whose source the caller may see."""
        wanted = json.dumps(list(dict.fromkeys(keys)))
        rows = self._database.execute(_BY_KEY, asking(scope, keys=wanted))
        return {one.key: one for one in (_passage(body) for (body,) in rows)}


def _passage(body: str) -> Passage:
    return from_record(Passage, from_json(body))
