"""What searching asks of the graph in SQL, for many sources at once; and what must not leave this machine."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.core.model.anchor import Note
from remanent.core.model.belief import Belief
from remanent.core.model.lifecycle import State
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.search import SearchRequest
from remanent.retrieval.rules import filters
from remanent.stores.sql.database import OnDatabase, Row
from remanent.stores.sql.graph_store.nodes import from_columns
from remanent.stores.sql.graph_store.notes import NOTES
from remanent.stores.sql.scope import THING, scope_values, scoped

_SLACK_S: Final = 1.0  # times in JSON are compared as numbers: rather one too many than one too few
# Two ways to what a caller sees: the index of their own, and the index of what names them.
_SEEN = """
WITH seen (id) AS (
    SELECT n.id FROM nodes AS n WHERE n.user_id = :user AND n.kind = 'source' AND n.shared = 0
    UNION
    SELECT r.node_id FROM json_each(:tokens) AS mine
    CROSS JOIN node_readers AS r ON r.token = mine.value
)
"""
_SPOKEN = """
SELECT DISTINCT wanted.value, p.body ->> 'speaker'
FROM json_each(?) AS wanted
CROSS JOIN nodes AS n ON n.key = wanted.value
CROSS JOIN passages AS p ON p.source_id = n.id
"""
_TAGGED = scoped(f"""{_SEEN}
SELECT n.key, n.body -> 'keywords', n.body -> 'tags' FROM seen CROSS JOIN nodes AS n ON n.id = seen.id
WHERE n.kind = 'source' AND VISIBLE(n) ORDER BY n.key
""")  # noqa: S608 - ours
# Bodies are dear to look into. In SQLite `sources_by_filter` has all that is asked of those of sources; `instr`
# spares most of those of passages: within a text its quotes would be escaped.
_MAY_ANSWER = """n.kind = 'source' AND VISIBLE(n)
  AND (:states IS NULL OR n.state IN (SELECT value FROM json_each(:states)))
  AND (:team IS NULL OR n.team_id = :team)
  AND (:known_at IS NULL OR n.created_at <= :known_at)
  AND (:types IS NULL OR n.body ->> 'source_type' IN (SELECT value FROM json_each(:types))
       OR n.body ->> 'content_type' IN (SELECT value FROM json_each(:types)))
  AND (:sensitivity IS NULL
       OR n.body ->> 'sensitivity' IN (SELECT value FROM json_each(:sensitivity)))
  AND (:timeless = 1
       OR (unixepoch(n.body ->> 'started_at', 'subsec') <= :until
           AND unixepoch(coalesce(n.body ->> 'ended_at', n.body ->> 'started_at'), 'subsec')
               >= :since)
       OR EXISTS (
           SELECT 1 FROM passages AS p
           WHERE p.source_id = n.id AND instr(p.body, '"at": null') = 0
             AND unixepoch(p.body ->> 'at', 'subsec') BETWEEN :since AND :until
       ))
"""
_LIKE = scoped(f"""
SELECT n.key FROM nodes AS n WHERE n.user_id = :user AND n.shared = 0 AND {_MAY_ANSWER}
UNION ALL
SELECT n.key FROM (
    SELECT DISTINCT r.node_id AS id FROM json_each(:tokens) AS mine
    CROSS JOIN node_readers AS r ON r.token = mine.value
) AS seen CROSS JOIN nodes AS n ON n.id = seen.id WHERE n.shared = 1 AND {_MAY_ANSWER}
""")  # noqa: S608 - ours
BELIEFS: Final = scoped("""
SELECT THING(n)
FROM (
    SELECT DISTINCT l.dst_id AS id FROM json_each(:keys) AS wanted
    CROSS JOIN nodes AS s ON s.key = wanted.value
    CROSS JOIN links AS l ON l.kind = 'supports' AND l.src_id = s.id
    WHERE VISIBLE(s)
) AS told CROSS JOIN nodes AS n ON n.id = told.id
WHERE n.user_id = :user AND n.kind = 'belief'
ORDER BY n.key
""")
TOLD: Final = scoped("""
SELECT THING(r),
       r.key, t.content, t.added_by, t.date_added, s.key, t.expires_at
FROM json_each(:keys) AS wanted
CROSS JOIN nodes AS s ON s.key = wanted.value
CROSS JOIN notes AS t ON t.source_id = s.id
CROSS JOIN relationships AS r ON r.id = t.relationship_id
WHERE t.user_id = :user AND r.user_id = :user AND VISIBLE(s)
ORDER BY s.key, r.key, t.content
""")
_LIVED: Final = len(THING)  # so many columns make a relationship; those of the note follow
# Most memories have nothing of the sort, and that is known at once.
_ANY = "SELECT 1 FROM nodes WHERE body ->> 'sensitivity' = 'high' LIMIT 1"
# From each key to the rows whose words may stand in its text, and on from row to row; links from
# sources are not followed row by row but looked up among the few of high sensitivity.
_ASKED = scoped("""
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
""")
_BELOW = """
SELECT n.id, below.id FROM json_each(:ids) AS a
CROSS JOIN nodes AS n ON n.id = CAST(a.value AS BIGINT)
CROSS JOIN json_each(n.body, '$.derived_from') AS ground
CROSS JOIN nodes AS below ON below.key = ground.value
WHERE n.kind = 'belief'
UNION
SELECT n.id, l.dst_id FROM json_each(:ids) AS a
CROSS JOIN nodes AS n ON n.id = CAST(a.value AS BIGINT)
CROSS JOIN links AS l ON l.src_id = n.id
WHERE l.kind IN ('groups', 'rooted_in', 'same_as') OR (l.kind = 'about' AND n.kind = 'storyline')
UNION
SELECT l.dst_id, l.src_id FROM json_each(:ids) AS a
CROSS JOIN links AS l ON l.dst_id = CAST(a.value AS BIGINT) WHERE l.kind = 'same_as'
"""
_PRIVATE = """
WITH high (id) AS MATERIALIZED (SELECT id FROM nodes WHERE body ->> 'sensitivity' = 'high'),
asked (id) AS MATERIALIZED (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
SELECT a.id FROM asked AS a
WHERE a.id IN (SELECT id FROM high)
   OR EXISTS (
       SELECT 1 FROM high AS h CROSS JOIN links AS l
       ON l.src_id = h.id AND l.dst_id = a.id AND l.kind IN ('mentions', 'produced', 'supports')
   )
   OR EXISTS (
       SELECT 1 FROM high AS h CROSS JOIN links AS l
       ON l.kind = 'includes' AND l.src_id = a.id AND l.dst_id = h.id
   )
   OR EXISTS (
       SELECT 1 FROM notes AS t WHERE t.node_id = a.id AND t.source_id IN (SELECT id FROM high)
   )
   OR EXISTS (
       SELECT 1 FROM nodes AS n CROSS JOIN json_each(n.body, '$.supports') AS told
       CROSS JOIN nodes AS s ON s.key = told.value ->> 'source_key'
       WHERE n.id = a.id AND n.kind = 'belief' AND s.id IN (SELECT id FROM high)
   )
"""


class SqlSearchQueries(OnDatabase):
    """The part of the graph that searching asks before and after it ranks, and what must stay on this machine."""

    def tagged(self, scope: Scope, words: Collection[str], *, limit: int = 1000) -> list[str]:
        wanted = {word.casefold() for word in words}
        if not wanted:
            return []
        # Compared here and not in SQL, which knows the capital letters of English alone.
        rows = self._database.execute(_TAGGED, scope_values(scope))
        keys = [key for key, *lists in rows if not wanted.isdisjoint(_words(lists))]
        return keys[: max(limit, 0)]

    def sources_like(self, scope: Scope, sought: SearchRequest) -> list[str]:
        with self._database.read():
            values = scope_values(scope, **_filters(sought))
            keys = sorted(key for (key,) in self._database.execute(_LIKE, values))
            return keys if sought.speaker is None else self._with_speaker(keys, sought)

    def _with_speaker(self, keys: list[str], sought: SearchRequest) -> list[str]:
        """Those of these sources in which the one who is asked for says something."""
        rows = self._database.execute(_SPOKEN, (json.dumps(keys),))
        names = {name for _, name in rows if name}
        called = {name for name in names if filters.any_called((name,), sought)}
        speaking = {key for key, name in rows if name in called}
        return [key for key in keys if key in speaking]

    def learned_from(
        self, scope: Scope, source_keys: Sequence[str]
    ) -> tuple[list[Belief], list[tuple[Note, Relationship]]]:
        values = scope_values(scope, keys=source_keys)
        beliefs, told = self._together((BELIEFS, values), (TOLD, values))
        return beliefs_in(beliefs), told_in(told)

    def private(self, scope: Scope, keys: Collection[str]) -> frozenset[str]:
        if not keys:
            return frozenset()
        with self._database.read():
            if self._database.fetch_one(_ANY) is None:
                return frozenset()
            asked = self._database.execute(_ASKED, scope_values(scope, keys=sorted(keys)))
            keys_at: dict[int, set[str]] = {}
            for key, number in asked:
                keys_at.setdefault(number, set()).add(key)
            self._lead_on(keys_at)
            wanted = {"ids": json.dumps(sorted(keys_at))}
            private = self._database.execute(_PRIVATE, wanted)
            return frozenset(key for (number,) in private for key in keys_at[number])

    def _lead_on(self, keys_at: dict[int, set[str]]) -> None:
        """Add the rows that lie below these, with the keys that lead to each."""
        fresh = set(keys_at)
        while fresh:
            steps = self._database.execute(_BELOW, {"ids": json.dumps(sorted(fresh))})
            fresh = set()
            for above, below in steps:
                known = keys_at.setdefault(below, set())
                if not keys_at[above] <= known:
                    known |= keys_at[above]
                    fresh.add(below)


def beliefs_in(rows: Sequence[Row]) -> list[Belief]:
    return [from_columns(Belief, row) for row in rows]


def told_in(rows: Sequence[Row]) -> list[tuple[Note, Relationship]]:
    """Relationships, each with the note in which a source tells of it."""
    return [(NOTES.of(row[_LIVED:]), from_columns(Relationship, row[:_LIVED])) for row in rows]


def _words(lists: Collection[str | None]) -> set[str]:
    return {str(one).casefold() for text in lists for one in json.loads(text or "[]")}


def _filters(sought: SearchRequest) -> dict[str, Any]:
    ends = [one for one in (sought.until, sought.as_of) if one is not None]
    until = min(ends, default=None)
    states = set(map(str, sought.states))
    if not states and not (sought.include_archived or sought.cold):
        states = set(map(str, State)) - {State.ARCHIVED}
    return {
        "states": sorted(states) or None,
        "team": sought.team,
        "known_at": sought.known_at,
        "types": sorted(sought.types) or None,
        "sensitivity": sorted(map(str, sought.sensitivity)) or None,
        "timeless": sought.since is None and until is None,
        "since": _seconds(sought.since, -1) - _SLACK_S,
        "until": _seconds(until, 1) + _SLACK_S,
    }


def _seconds(moment: datetime | None, side: int) -> float:
    return side * 1e12 if moment is None else moment.timestamp()
