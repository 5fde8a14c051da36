"""The graph in use gives way to the one beside it, inside one transaction.

Both have the same schema. Rows are taken over with their ids; an entry's id is given once only, for
the shadow began to count where no one had counted yet.
"""

from __future__ import annotations

from typing import Final

from remanent.stores.sqlite.admin.diff import difference
from remanent.stores.sqlite.connection import Seat

# What stays: truth, what is said about people, what is promised, and what costs money.
KEPT: Final = frozenset(
    {
        "answers",
        "api_keys",
        "deeds",
        "events",
        "item_vectors",
        "invitations",
        "jobs",
        "memberships",
        "meta",
        "migrations",
        "positions",
        "raws",
        "replays",
        "rounds",
        "spending",
        "stays",
        "teams",
        "users",
    }
)
# What is derived, and taken over as it is.
TAKEN: Final = (
    "node_readers",
    "anchor_words",
    "extractions",
    "bearers",
    "passages",
    "notes",
    "entries",
    "bygones",
)
# What is derived, and keeps something of what it was: see the functions below.
MINDFUL: Final = frozenset(
    {
        "nodes",
        "relationships",
        "links",
        "assertions",
        "vector_readers",
        "token_versions",
        "edge_versions",
        "entry_text",
        "items",
        "reembedded",
    }
)
_LIFE: Final = (
    "salience",
    "state",
    "ttl_policy",
    "access_count",
    "recall_frequency",
    "last_recall_interval",
    "decay_gradient",
    "last_accessed_at",
    "decayed_at",
)
# A thing that tells the same keeps its dates; any thing keeps the life it has had, its date of birth,
# and how firm being called on has made it.
_LIVED = """
CREATE TEMP TABLE lived AS
SELECT o.key, LIFE, o.created_at,
    iif(o.body = s.body OR differing(o.body, s.body) = '', o.updated_at, s.updated_at)
        AS updated_at,
    CASE
        WHEN o.body = s.body THEN NULL
        WHEN differing(o.body, s.body) = '' THEN o.body
        WHEN o.body ->> 'stability' IS NOT s.body ->> 'stability'
            THEN json_set(s.body, '$.stability', o.body -> 'stability')
    END AS body
FROM main.THINGS AS o CROSS JOIN beside.THINGS AS s ON s.key = o.key;
CREATE UNIQUE INDEX temp.lived_by_key ON lived (key);
"""
_LIVE_ON = """
DELETE FROM main.THINGS;
INSERT INTO main.THINGS (COLUMNS) SELECT VALUES
FROM beside.THINGS AS s LEFT JOIN temp.lived AS o ON o.key = s.key ORDER BY s.id;
DROP TABLE temp.lived;
"""
_TAKE = """
DELETE FROM main.THINGS;
INSERT INTO main.THINGS (COLUMNS) SELECT COLUMNS FROM beside.THINGS;
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
) GROUP BY token;
CREATE UNIQUE INDEX temp.version_of_token ON tokens (token);
DELETE FROM main.token_versions;
INSERT INTO main.token_versions (token, version, removed_at)
SELECT token, version, version FROM temp.tokens;
DELETE FROM main.vector_readers;
INSERT INTO main.vector_readers (token, entry_id, change)
SELECT r.token, r.entry_id, t.version
FROM beside.vector_readers AS r CROSS JOIN temp.tokens AS t ON t.token = r.token;
"""
_EDGES = """
INSERT INTO main.edge_versions (user_id, version, drawn_at)
SELECT user_id, version, drawn_at FROM beside.edge_versions WHERE true
ON CONFLICT (user_id) DO UPDATE SET version = max(version, excluded.version);
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
_TEXT: Final = ("config", "data", "idx", "docsize")
_EMBEDDER = """
DELETE FROM main.meta WHERE name = 'embedder';
INSERT INTO main.meta (name, value)
SELECT name, value FROM beside.meta WHERE name = 'embedder';
"""
_TRIGGERS = "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'"
_COUNTED = """
INSERT INTO main.sqlite_sequence (name, seq)
SELECT 'entries', 0 WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_sequence WHERE name = 'entries');
UPDATE main.sqlite_sequence SET seq = max(
    seq, coalesce((SELECT seq FROM beside.sqlite_sequence WHERE name = 'entries'), 0)
) WHERE name = 'entries';
"""
_END = "DROP TABLE temp.dated; DROP TABLE temp.told; DROP TABLE temp.tokens"


def replace_graph(seat: Seat) -> None:
    """Put the graph `beside` in the place of the one on this seat; only inside `commit_apart`."""
    seat.teach("differing", difference, 2)
    triggers = seat.run(_TRIGGERS)
    for name, _ in triggers:  # they count row by row what is counted here at once
        seat.run(f'DROP TRIGGER main."{name}"')
    seat.run(_DATED)
    for table in ("nodes", "relationships"):
        _live_on(seat, table)
    seat.run("DELETE FROM main.links")
    seat.run(_LINKS)
    for table in (*TAKEN, "assertions"):
        _take(seat, table)
    seat.run(_ASSERTED)
    seat.run(_ITEMS.replace("COLUMNS", ", ".join(_columns(seat, "items"))))
    seat.run("DELETE FROM main.reembedded")  # vectors for entries that are no more
    seat.run(_TOKENS)
    seat.run(_EDGES)
    _take_text(seat)
    seat.run(_EMBEDDER)
    seat.run(_COUNTED)
    for _, statement in triggers:
        seat.run(statement)
    seat.run(_END)


def _columns(seat: Seat, table: str) -> list[str]:
    return [row[0] for row in seat.run("SELECT name FROM pragma_table_info(?)", (table,))]


def _take(seat: Seat, table: str) -> None:
    columns = ", ".join(_columns(seat, table))
    seat.run(_TAKE.replace("COLUMNS", columns).replace("THINGS", table))


def _live_on(seat: Seat, table: str) -> None:
    """Nodes or relationships, with the lives and dates that those in use have."""
    life = ", ".join(f"o.{name}" for name in _LIFE)
    seat.run(_LIVED.replace("LIFE", life).replace("THINGS", table))
    carried = (*_LIFE, "created_at", "updated_at", "body")
    columns = _columns(seat, table)
    # What may be NULL in a life is taken as it was, wherever there was one.
    values = [
        f"iif(o.key IS NULL, s.{name}, o.{name})"
        if name in _LIFE
        else f"coalesce(o.{name}, s.{name})"
        if name in carried
        else f"s.{name}"
        for name in columns
    ]
    statement = _LIVE_ON.replace("COLUMNS", ", ".join(columns))
    seat.run(statement.replace("VALUES", ", ".join(values)).replace("THINGS", table))


def _take_text(seat: Seat) -> None:
    """The full-text index has no texts to index anew, so its own tables are taken over; a new one is
    made first, for every connection holds on to what it knows of the old. Nothing is asked of the new
    one before its tables are full, or it would hold on to its being empty."""
    ((statement,),) = seat.run("SELECT sql FROM main.sqlite_schema WHERE name = 'entry_text'")
    seat.run("DROP TABLE main.entry_text")
    seat.run(statement)
    for part in _TEXT:
        _take(seat, f"entry_text_{part}")
