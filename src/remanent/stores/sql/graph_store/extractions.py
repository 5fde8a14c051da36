"""What each user's mind found in each source, and how its traces are taken back, in SQLite."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from remanent.anchors.rules.identity import bearers_in
from remanent.core.model.anchor import Bearer
from remanent.core.model.codec import to_record
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Assertion
from remanent.core.model.scope import Scope
from remanent.errors import UnknownKey
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.graph_store.nodes import visible_row, words_in
from remanent.stores.sql.graph_store.notes import ASSERTIONS
from remanent.stores.sql.plain_rows import body_of, from_json, to_json
from remanent.stores.sql.scope import scope_values, scoped

_PUT = """
INSERT INTO extractions (user_id, source_id, body) VALUES (?, ?, ?)
ON CONFLICT (user_id, source_id) DO UPDATE SET body = excluded.body
"""
_FORGET_BEARERS = "DELETE FROM bearers WHERE source_id = ? AND user_id = ?"
_ADD_BEARER = "INSERT INTO bearers (user_id, word, called, source_id) VALUES (?, ?, ?, ?)"
_BEARERS = """
SELECT b.called, count(DISTINCT b.source_id) FROM json_each(:words) AS wanted
CROSS JOIN bearers AS b ON b.user_id = :user AND b.word = wanted.value
GROUP BY b.called ORDER BY b.called
"""
_GET = scoped("""
SELECT e.body FROM nodes AS n CROSS JOIN extractions AS e ON e.source_id = n.id
WHERE n.key = :key AND e.user_id = :user AND VISIBLE(n)
""")
_ASSERTED = scoped("""
SELECT ASSERTION(a)
FROM nodes AS o
CROSS JOIN assertions AS a ON a.source_id = o.id
CROSS JOIN nodes AS s ON s.id = a.src_id
CROSS JOIN nodes AS d ON d.id = a.dst_id
WHERE o.key = :key AND a.user_id = :user
ORDER BY a.at, s.key, d.key, a.digest
""")
_RETRACT = (
    """
DELETE FROM assertions
WHERE user_id = :user AND source_id = (SELECT id FROM nodes WHERE key = :key)
""",
    """
DELETE FROM notes
WHERE user_id = :user AND source_id = (SELECT id FROM nodes WHERE key = :key)
  AND node_id IS NOT NULL AND added_by = :user
""",
    """
DELETE FROM links
WHERE user_id = :user AND kind = 'mentions' AND src_id = (SELECT id FROM nodes WHERE key = :key)
""",
)


@lru_cache(maxsize=4)  # each of many names of a source asks for all that was found in it
def _extraction_of(body: str) -> Extraction:
    return body_of(Extraction, body, "extractions")


class SqlExtractions(OnDatabase):
    """The part of the graph that is about extractions."""

    def put_extraction(self, scope: Scope, extraction: Extraction) -> None:
        body = to_json(to_record(extraction), "extraction")
        with self._database.transaction():
            source_id = visible_row(self._database, scope, extraction.source_key, Kind.SOURCE)
            if source_id is None:
                raise UnknownKey(extraction.source_key)
            self._database.execute(_PUT, (scope.user_id, source_id, body))
            self._database.execute(_FORGET_BEARERS, (source_id, scope.user_id))
            self._database.execute_many(
                _ADD_BEARER,
                [
                    (scope.user_id, word, to_json([one.name, *one.aliases], "name"), source_id)
                    for one in bearers_in(extraction)
                    for word in sorted(words_in((one.name, *one.aliases)))
                ],
            )

    def extraction(self, scope: Scope, source_key: str) -> Extraction | None:
        row = self._database.fetch_one(_GET, scope_values(scope, key=source_key))
        return None if row is None else _extraction_of(row[0])

    def bearers(self, scope: Scope, words: Collection[str]) -> list[Bearer]:
        wanted = sorted({*words, *words_in(words)})
        rows = self._database.execute(_BEARERS, scope_values(scope, words=wanted))
        called = [(from_json(row[0], "bearers"), row[1]) for row in rows]
        return [Bearer(name=n[0], aliases=tuple(n[1:]), sources=count) for n, count in called]

    def retract(self, scope: Scope, source_key: str) -> list[Assertion]:
        values = {"user": scope.user_id, "key": source_key}
        with self._database.transaction():
            gone = [ASSERTIONS.of(row) for row in self._database.execute(_ASSERTED, values)]
            for statement in _RETRACT:
                self._database.execute(statement, values)
        return gone
