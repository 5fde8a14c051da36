"""Two graphs side by side, compared where they lie: only what differs in its text is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from remanent.backup.rules.diff import differing
from remanent.core.records.rebuild import Comparison, Difference, DifferenceKind, Tally
from remanent.stores.sqlite.connection import Row, Seat

# All that a graph holds, sort by sort, as `sort`, `key`, `name`, `body` and `more`, which has no
# place in the body. `G` is whichever graph is asked.
_THINGS: Final[Sequence[str]] = (
    """SELECT kind AS sort, key,
        coalesce(nullif(body ->> 'name', ''), body ->> 'statement', nullif(body ->> 'title', ''),
            nullif(body ->> 'summary', ''), body ->> 'text', '') AS name,
        body, confidence AS more FROM G.nodes""",
    """SELECT 'relationship' AS sort, key,
        relationship_type || ': ' || coalesce(body ->> 'description', '') AS name,
        body, confidence AS more FROM G.relationships""",
    """SELECT 'link' AS sort,
        l.user_id || ' ' || l.kind || ' ' || s.key || ' ' || d.key || ' ' || l.detail AS key,
        l.kind || ' ' || l.detail AS name, '{}' AS body, l.weight AS more
    FROM G.links AS l CROSS JOIN G.nodes AS s ON s.id = l.src_id
    CROSS JOIN G.nodes AS d ON d.id = l.dst_id""",
    """SELECT 'assertion' AS sort, user_id || ' ' || hex(digest) AS key, description AS name,
        '{}' AS body, NULL AS more FROM G.assertions""",
    """SELECT 'note' AS sort, user_id || ' ' || hex(digest) AS key, content AS name,
        json_object('added_by', added_by, 'date_added', date_added, 'expires_at', expires_at)
        AS body, NULL AS more FROM G.notes""",
    """SELECT 'extraction' AS sort, e.user_id || ' ' || n.key AS key, '' AS name, e.body,
        NULL AS more FROM G.extractions AS e CROSS JOIN G.nodes AS n ON n.id = e.source_id""",
    """SELECT 'passage' AS sort, key, body ->> 'text' AS name, body, NULL AS more
    FROM G.passages""",
    """SELECT 'item' AS sort, user_id || ' ' || room || ' ' || namespace || ' ' || key AS key,
        key AS name, value AS body, NULL AS more FROM G.items""",
)
_LONGEST_NAME: Final = 120

# Both sides of one sort in tables of their own, by key: joins over views would read it all again.
_SIDES = """
CREATE TEMP TABLE used (
    sort TEXT, key TEXT, name TEXT, body TEXT, more, PRIMARY KEY (sort, key)
) WITHOUT ROWID;
CREATE TEMP TABLE fresh (
    sort TEXT, key TEXT, name TEXT, body TEXT, more, PRIMARY KEY (sort, key)
) WITHOUT ROWID;
CREATE TEMP TABLE differences (sort TEXT, how TEXT, key TEXT, name TEXT, fields TEXT);
"""
_CLEAR = "DELETE FROM temp.used; DELETE FROM temp.fresh"
_END = "DROP TABLE temp.used; DROP TABLE temp.fresh; DROP TABLE temp.differences"
_FIND: Final = (
    """INSERT INTO temp.differences
    SELECT f.sort, 'added', f.key, f.name, '' FROM temp.fresh AS f
    LEFT JOIN temp.used AS u ON u.sort = f.sort AND u.key = f.key WHERE u.key IS NULL""",
    """INSERT INTO temp.differences
    SELECT u.sort, 'removed', u.key, u.name, '' FROM temp.used AS u
    LEFT JOIN temp.fresh AS f ON f.sort = u.sort AND f.key = u.key WHERE f.key IS NULL""",
    """INSERT INTO temp.differences
    SELECT * FROM (
        SELECT f.sort, 'changed', f.key, f.name,
            CASE WHEN u.body = f.body THEN '' ELSE differing(u.body, f.body) END
            || iif(u.more IS f.more, '', iif(f.sort = 'link', ' weight', ' confidence')) AS fields
        FROM temp.fresh AS f JOIN temp.used AS u ON u.sort = f.sort AND u.key = f.key
        WHERE u.body <> f.body OR u.more IS NOT f.more
    ) WHERE fields <> ''""",
)
_WHOLE = "SELECT sort, count(*) FROM temp.used GROUP BY sort"
_TALLY = "SELECT sort, how, count(*) FROM temp.differences GROUP BY sort, how"
_SAMPLES = """
SELECT sort, how, key, name, fields FROM (
    SELECT *, row_number() OVER (PARTITION BY sort, how ORDER BY key) AS number
    FROM temp.differences
) WHERE number <= ? ORDER BY sort, how, key
"""


def compared(seat: Seat, samples: int) -> Comparison:
    """What differs between the graph on this seat and the one `beside` it."""
    seat.teach("differing", difference, 2)
    seat.run(_SIDES)
    whole: dict[str, int] = {}
    seat.run("BEGIN")  # both as they are at one moment
    try:
        for things in _THINGS:
            seat.run("INSERT INTO temp.used " + things.replace("G.", "main."))
            seat.run("INSERT INTO temp.fresh " + things.replace("G.", "beside."))
            whole |= dict(seat.run(_WHOLE))
            for statement in _FIND:
                seat.run(statement)
            seat.run(_CLEAR)
        tallied = seat.run(_TALLY)
        shown = seat.run(_SAMPLES, (max(0, samples),))
        seat.run("COMMIT")
    finally:
        seat.take_back()
        seat.run(_END)
    return Comparison(tallies=_tallies(whole, tallied), samples=tuple(map(_sample, shown)))


def difference(one: str, other: str) -> str:
    """The names of the fields in which two bodies differ."""
    return " ".join(differing(json.loads(one), json.loads(other)))


def _tallies(whole: dict[str, int], rows: Sequence[Row]) -> dict[str, Tally]:
    found: dict[str, dict[str, int]] = {sort: {} for sort in whole}
    for sort, how, count in rows:
        found.setdefault(sort, {})[how] = count
    return {
        sort: Tally(
            **hows,
            same=whole.get(sort, 0) - hows.get("removed", 0) - hows.get("changed", 0),
        )
        for sort, hows in sorted(found.items())
    }


def _sample(row: Row) -> Difference:
    sort, how, key, name, fields = row
    return Difference(
        sort=sort,
        how=DifferenceKind(how),
        key=key,
        name=" ".join(str(name).split())[:_LONGEST_NAME],
        fields=tuple(fields.split()),
    )
