"""Two graphs side by side, compared where they lie: only what differs in its text is read.

The graph in use gives way to the one beside it, inside one transaction.

Both have the same schema. Rows are taken over with their ids; an entry's id is given once only, for
the shadow began to count where no one had counted yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from remanent.backup.rules import differing
from remanent.core.records.admin import Comparison, Difference, DifferenceCount, DifferenceKind
from remanent.stores.sql.database import Beside, Row
from remanent.stores.sql.scope import LIFE

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
        '{"added_by": ' || json_quote(added_by) || ', "date_added": ' || date_added
        || ', "expires_at": ' || coalesce(CAST(expires_at AS TEXT), 'null') || '}' AS body, NULL AS more FROM G.notes""",
    """SELECT 'extraction' AS sort, e.user_id || ' ' || n.key AS key, '' AS name, e.body,
        NULL AS more FROM G.extractions AS e CROSS JOIN G.nodes AS n ON n.id = e.source_id""",
    """SELECT 'passage' AS sort, key, body ->> 'text' AS name, body, NULL AS more
    FROM G.passages""",
    """SELECT 'item' AS sort, user_id || ' ' || room || ' ' || namespace || ' ' || key AS key,
        key AS name, value AS body, NULL AS more FROM G.items""",
)
_LONGEST_NAME: Final = 120
_PAGE: Final = 500
_LIVING: Final = ("nodes", "relationships")

# Both sides of one sort in tables of their own, by key: joins over views would read it all again.
_SIDES = """
CREATE TEMP TABLE used (
    sort TEXT, key TEXT, name TEXT, body TEXT, more DOUBLE PRECISION, PRIMARY KEY (sort, key)
);
CREATE TEMP TABLE fresh (
    sort TEXT, key TEXT, name TEXT, body TEXT, more DOUBLE PRECISION, PRIMARY KEY (sort, key)
);
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
)
_CHANGED = """
SELECT f.key, f.sort, f.name, u.body, f.body, u.more IS DISTINCT FROM f.more
FROM temp.fresh AS f JOIN temp.used AS u ON u.sort = f.sort AND u.key = f.key
WHERE (u.body <> f.body OR u.more IS DISTINCT FROM f.more) AND f.key > ?
ORDER BY f.key LIMIT ?
"""
_DIFFERS = "INSERT INTO temp.differences VALUES (?, 'changed', ?, ?, ?)"
_WHOLE = "SELECT sort, count(*) FROM temp.used GROUP BY sort"
_TALLY = "SELECT sort, how, count(*) FROM temp.differences GROUP BY sort, how"
_SAMPLES = """
SELECT sort, how, key, name, fields FROM (
    SELECT *, row_number() OVER (PARTITION BY sort, how ORDER BY key) AS number
    FROM temp.differences
) AS numbered WHERE number <= ? ORDER BY sort, how, key
"""


def compared(seat: Beside, samples: int) -> Comparison:
    """What differs between the graph on this seat and the one `beside` it."""
    whole: dict[str, int] = {}
    with seat.one_moment():
        seat.run(_SIDES)
        for things in _THINGS:
            seat.run("INSERT INTO temp.used " + things.replace("G.", "main."))
            seat.run("INSERT INTO temp.fresh " + things.replace("G.", "beside."))
            whole |= dict(seat.run(_WHOLE))
            for statement in _FIND:
                seat.run(statement)
            for key, sort, name, one, other, is_reweighed in _pages(seat, _CHANGED):
                weight = " weight" if sort == "link" else " confidence"
                fields = difference(one, other) + (weight if is_reweighed else "")
                if fields:
                    seat.run(_DIFFERS, (sort, key, name, fields))
            seat.run(_CLEAR)
        tallied = seat.run(_TALLY)
        shown = seat.run(_SAMPLES, (max(0, samples),))
        seat.run(_END)
    return comparison(whole, tallied, shown)


def comparison(whole: dict[str, int], tallied: Sequence[Row], shown: Sequence[Row]) -> Comparison:
    """Of how many things there are of each sort, how many of those differ how, and which of them are shown."""
    return Comparison(
        tallies=_difference_counts(whole, tallied), samples=tuple(map(_sample, shown))
    )


def _pages(seat: Beside, sql: str) -> Iterator[Row]:
    """All rows of a statement that reads on from the key in its first column."""
    after = ""
    while rows := seat.run(sql, (after, _PAGE)):
        yield from rows
        after = rows[-1][0]


def difference(one: str, other: str) -> str:
    """The names of the fields in which two bodies differ."""
    if one == other:
        return ""
    return " ".join(differing(json.loads(one), json.loads(other)))


def _difference_counts(whole: dict[str, int], rows: Sequence[Row]) -> dict[str, DifferenceCount]:
    counts: dict[str, dict[str, int]] = {sort: {} for sort in whole}
    for sort, how, count in rows:
        counts.setdefault(sort, {})[how] = count
    return {
        sort: DifferenceCount(
            **hows, same=whole.get(sort, 0) - hows.get("removed", 0) - hows.get("changed", 0)
        )
        for sort, hows in sorted(counts.items())
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


# What stays: truth, what is said about people, what is promised, and what costs money.
KEPT: Final = frozenset({
    "answers", "api_keys", "deeds", "events", "item_vectors", "invitations", "jobs", "memberships",
    "meta", "migrations", "positions", "raws", "replays", "rounds", "spending", "stays", "teams",
    "users",
})  # fmt: skip
# What is derived, and taken over as it is.
TAKEN: Final = (
    "node_readers", "anchor_words", "extractions", "bearers", "passages", "notes", "entries",
    "bygones",
)  # fmt: skip
# A thing that tells the same keeps its dates; any thing keeps the life it has had, its date of birth,
# and how firm being called on has made it.
_TWO_BODIES = """
SELECT o.key, o.body, s.body FROM main.THINGS AS o CROSS JOIN beside.THINGS AS s ON s.key = o.key
WHERE o.body <> s.body AND o.key > ? ORDER BY o.key LIMIT ?
"""
_LIVED = """
CREATE TEMP TABLE lived_THINGS AS
SELECT o.key, LIFE, o.accesses, o.created_at,
    CASE WHEN o.body = s.body OR a.key IS NOT NULL THEN o.updated_at ELSE s.updated_at END
        AS updated_at,
    CASE
        WHEN o.body = s.body THEN NULL
        WHEN a.key IS NOT NULL THEN o.body
        WHEN o.body ->> 'stability' IS DISTINCT FROM s.body ->> 'stability'
            THEN json_set(s.body, '$.stability', o.body -> 'stability')
    END AS body
FROM main.THINGS AS o CROSS JOIN beside.THINGS AS s ON s.key = o.key
LEFT JOIN temp.alike AS a ON a.key = o.key;
CREATE UNIQUE INDEX temp.lived_THINGS_by_key ON lived_THINGS (key);
DROP TABLE temp.alike;
"""
_LIVE_ON = """
INSERT INTO main.THINGS (COLUMNS) SELECT VALUES
FROM beside.THINGS AS s LEFT JOIN temp.lived_THINGS AS o ON o.key = s.key ORDER BY s.id;
DROP TABLE temp.lived_THINGS;
"""
_DATED = """
CREATE TEMP TABLE dated AS
SELECT l.kind, s.key AS src, d.key AS dst, l.detail, l.created_at
FROM main.links AS l CROSS JOIN main.nodes AS s ON s.id = l.src_id
CROSS JOIN main.nodes AS d ON d.id = l.dst_id;
CREATE INDEX temp.dated_by_ends ON dated (src, dst, kind, detail);
CREATE TEMP TABLE told AS SELECT user_id, digest, recorded_at FROM main.assertions;
CREATE INDEX temp.told_by_digest ON told (digest, user_id);
"""
_LINKS = """
INSERT INTO main.links (kind, src_id, dst_id, detail, user_id, weight, created_at)
SELECT l.kind, l.src_id, l.dst_id, l.detail, l.user_id, l.weight, coalesce(
    (SELECT o.created_at FROM temp.dated AS o
     WHERE o.src = s.key AND o.dst = d.key AND o.kind = l.kind AND o.detail = l.detail),
    l.created_at
)
FROM beside.links AS l CROSS JOIN beside.nodes AS s ON s.id = l.src_id
CROSS JOIN beside.nodes AS d ON d.id = l.dst_id
ORDER BY l.kind, l.src_id, l.dst_id, l.detail
"""
_ASSERTED = """
UPDATE main.assertions AS a SET recorded_at = o.recorded_at
FROM temp.told AS o WHERE o.digest = a.digest AND o.user_id = a.user_id
"""
# Every reader's cache is behind, and is told so: nothing on its shelf is there any more.
_TOKENS = """
CREATE TEMP TABLE tokens AS
SELECT token, max(version) + 1 AS version FROM (
    SELECT token, version FROM main.token_versions
    UNION ALL SELECT token, version FROM beside.token_versions
) AS either GROUP BY token;
CREATE UNIQUE INDEX temp.version_of_token ON tokens (token);
DELETE FROM main.token_versions;
INSERT INTO main.token_versions (token, version, removed_at)
SELECT token, version, version FROM temp.tokens;
INSERT INTO main.vector_readers (token, entry_id, change)
SELECT r.token, r.entry_id, t.version
FROM beside.vector_readers AS r CROSS JOIN temp.tokens AS t ON t.token = r.token;
"""
_EDGES = """
INSERT INTO main.edge_versions (user_id, version, drawn_at)
SELECT user_id, version, drawn_at FROM beside.edge_versions WHERE true
ON CONFLICT (user_id) DO UPDATE SET version = excluded.version
WHERE edge_versions.version < excluded.version;
UPDATE main.edge_versions SET version = version + 1, drawn_at = version + 1;
"""
# An item that was read since lives on for as long as that made it.
_ITEMS = """
CREATE TEMP TABLE prolonged AS SELECT user_id, event_id, expires_at FROM main.items;
CREATE UNIQUE INDEX temp.prolonged_by_event ON prolonged (user_id, event_id);
DELETE FROM main.items;
INSERT INTO main.items (COLUMNS) SELECT COLUMNS FROM beside.items;
UPDATE main.items AS i SET expires_at = o.expires_at
FROM temp.prolonged AS o WHERE o.user_id = i.user_id AND o.event_id = i.event_id;
DROP TABLE temp.prolonged;
"""
_EMBEDDER = """
DELETE FROM main.meta WHERE name = 'embedder';
INSERT INTO main.meta (name, value)
SELECT name, value FROM beside.meta WHERE name = 'embedder';
"""
_END_of_adopt_rebuild = "DROP TABLE temp.dated; DROP TABLE temp.told; DROP TABLE temp.tokens"
# What others refer to goes last.
_GOING: Final = (
    "links", *TAKEN, "assertions", "relationships", "nodes", "vector_readers", "shelf_blocks",
)  # fmt: skip


def replace_graph(seat: Beside) -> None:
    """Put the graph `beside` in the place of the one on this seat, inside its transaction."""
    with seat.without_triggers():  # they count row by row what is counted here at once
        seat.run(_DATED)
        for table in _LIVING:
            _keep_lives(seat, table)
        for table in _GOING:
            seat.run(f"DELETE FROM main.{table}")  # noqa: S608 - ours
        for table in _LIVING:
            _live_on(seat, table)
        seat.run(_LINKS)
        for table in (*TAKEN, "assertions"):
            columns = ", ".join(seat.columns(table))
            seat.run(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM beside.{table}")  # noqa: S608 - ours
        seat.run(_ASSERTED)
        seat.run(_ITEMS.replace("COLUMNS", ", ".join(seat.columns("items"))))
        seat.run("DELETE FROM main.reembedded")  # vectors for entries that are no more
        seat.run(_TOKENS)
        seat.run(_EDGES)
        seat.run(_EMBEDDER)
    seat.run(_END_of_adopt_rebuild)


def _keep_lives(seat: Beside, table: str) -> None:
    """The lives and dates that nodes or relationships in use have, in a table of their own."""
    seat.run("CREATE TEMP TABLE alike (key TEXT PRIMARY KEY)")
    for key, one, other in _pages(seat, _TWO_BODIES.replace("THINGS", table)):
        if not difference(one, other):
            seat.run("INSERT INTO temp.alike VALUES (?)", (key,))
    life = ", ".join(f"o.{name}" for name in LIFE)
    seat.run(_LIVED.replace("LIFE", life).replace("THINGS", table))


def _live_on(seat: Beside, table: str) -> None:
    """Nodes or relationships, with the lives and dates that those in use had."""
    carried = (*LIFE, "accesses", "created_at", "updated_at", "body")
    columns = seat.columns(table)
    # What may be NULL in a life is taken as it was, wherever there was one.
    values = [
        f"CASE WHEN o.key IS NULL THEN s.{name} ELSE o.{name} END"
        if name in LIFE
        else f"coalesce(o.{name}, s.{name})"
        if name in carried
        else f"s.{name}"
        for name in columns
    ]
    statement = _LIVE_ON.replace("COLUMNS", ", ".join(columns))
    seat.run(statement.replace("VALUES", ", ".join(values)).replace("THINGS", table))
