"""The steps of the schema after the first, in order; what is released is never edited."""

from __future__ import annotations

from typing import Final

# Whoever keeps a user's edges in memory can tell whether they changed, and how much. `version`
# counts every change to the edges of a user; `drawn_at` is the version at which one last came,
# went or led elsewhere. A relationship's `change` is the version at which its weight last changed.
# All of it is kept by triggers: what writes an edge need not know.
_COUNT: Final = """
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (ROW.user_id, 1, 0)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
"""
_DRAWN: Final = """
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (ROW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
"""
_SCRIPT: Final = """
CREATE TABLE edge_versions (
    user_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    drawn_at INTEGER NOT NULL,
    born INTEGER NOT NULL DEFAULT (random())  -- tells a user from an erased one of the same name
) WITHOUT ROWID;
ALTER TABLE relationships ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
CREATE INDEX relationships_by_change ON relationships (user_id, change);

CREATE TRIGGER relationship_came AFTER INSERT ON relationships BEGIN
    DRAWN(NEW)
END;
CREATE TRIGGER relationship_went AFTER DELETE ON relationships BEGIN
    DRAWN(OLD)
END;
CREATE TRIGGER relationship_moved
AFTER UPDATE OF src_id, dst_id, relationship_type, valid_from, valid_to ON relationships
WHEN OLD.src_id <> NEW.src_id OR OLD.dst_id <> NEW.dst_id
    OR OLD.relationship_type <> NEW.relationship_type
    OR OLD.valid_from <> NEW.valid_from OR OLD.valid_to IS NOT NEW.valid_to
BEGIN
    DRAWN(NEW)
END;
CREATE TRIGGER relationship_weighed AFTER UPDATE OF salience, confidence, body ON relationships
BEGIN
    COUNT(NEW)
    UPDATE relationships
    SET change = (SELECT version FROM edge_versions WHERE user_id = NEW.user_id)
    WHERE id = NEW.id;
END;
CREATE TRIGGER link_came AFTER INSERT ON links BEGIN
    DRAWN(NEW)
END;
CREATE TRIGGER link_changed AFTER UPDATE ON links BEGIN
    DRAWN(NEW)
END;
CREATE TRIGGER link_went AFTER DELETE ON links BEGIN
    DRAWN(OLD)
END;
CREATE TRIGGER belief_fell AFTER UPDATE OF body ON nodes
WHEN NEW.kind = 'belief' AND OLD.body ->> 'status' IS NOT NEW.body ->> 'status'
BEGIN
    DRAWN(NEW)
END;
CREATE TRIGGER node_shared AFTER UPDATE OF shared, team_id ON nodes
WHEN OLD.shared <> NEW.shared OR OLD.team_id IS NOT NEW.team_id
BEGIN
    DRAWN(NEW)
END;
"""


def _written_out(script: str) -> str:
    for name, text in (("COUNT", _COUNT), ("DRAWN", _DRAWN)):
        for row in ("NEW", "OLD"):
            script = script.replace(f"{name}({row})", text.replace("ROW", row).strip())
    return script


EDGE_VERSIONS: Final = _written_out(_SCRIPT)

# What a ranking needs of each entry beside its vector: its stems, its marks, its day, the vectors
# of its parts. The stems of entries that are there already are taken from the full-text index,
# which has them all. The rest they get when their source is processed again; until then they are
# ranked without it.
WORDS: Final = """
ALTER TABLE entries ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN marks TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN day INTEGER;  -- counted from 1 January of the year 1
ALTER TABLE entries ADD COLUMN parts BLOB;  -- vectors of its parts, one after the other
CREATE VIRTUAL TABLE temp.said USING fts5vocab (main, entry_text, instance);
UPDATE entries SET words = found.words FROM (
    SELECT doc, group_concat(term, ' ') AS words FROM temp.said WHERE col = 'text' GROUP BY doc
) AS found WHERE found.doc = entries.id;
DROP TABLE temp.said;
"""

# Up to which time each job of the night was done for each user.
ROUNDS: Final = """
CREATE TABLE rounds (
    user_id TEXT NOT NULL,
    job TEXT NOT NULL,
    done_until INTEGER NOT NULL,
    PRIMARY KEY (user_id, job)
) WITHOUT ROWID;
"""

# A user's rows in the order of the file, and weights that change by the thousand in one step.
# Fading walks over all rows of a user in short steps: in order of row each page is written once. A
# statement that sets `change` itself has counted the version already, once for all its rows; for
# all others the trigger counts as before, where something did change.
FADING: Final = """
CREATE INDEX nodes_in_order ON nodes (user_id);
CREATE INDEX relationships_in_order ON relationships (user_id);
DROP TRIGGER relationship_weighed;
CREATE TRIGGER relationship_weighed AFTER UPDATE OF salience, confidence, body ON relationships
WHEN OLD.change = NEW.change AND (
    OLD.salience <> NEW.salience OR OLD.confidence IS NOT NEW.confidence OR OLD.body <> NEW.body
)
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 0)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
    UPDATE relationships
    SET change = (SELECT version FROM edge_versions WHERE user_id = NEW.user_id)
    WHERE id = NEW.id;
END;
"""

# Ways to agents' events: by session, by what caused them, and of their nodes by time. Times in a
# body are ISO texts in UTC, which sort as the times do.
RECORDED: Final = """
CREATE INDEX events_of_session ON events (user_id, session_id, agent_id, occurred_at, seq)
    WHERE session_id <> '';
CREATE INDEX events_of_parent ON events (user_id, parent_event_id)
    WHERE parent_event_id IS NOT NULL;
CREATE INDEX event_nodes_by_time ON nodes (user_id, json_extract(body, '$.occurred_at'))
    WHERE kind = 'event';
"""

# Where events went that have left the graph: by their key one finds them in the ledger still. And
# ways to the nodes of one session and to what was told of it.
BYGONES: Final = """
CREATE TABLE bygones (
    key TEXT PRIMARY KEY,  -- of the event's node
    user_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    summary_key TEXT NOT NULL  -- of the episode that stands for it
) WITHOUT ROWID;
CREATE INDEX bygones_of_user ON bygones (user_id);
CREATE INDEX event_nodes_of_session ON nodes (user_id, body ->> 'session_id', body ->> 'agent_id')
    WHERE kind = 'event';
CREATE INDEX summaries_of_session ON nodes (user_id, body ->> 'session_id', body ->> 'level')
    WHERE kind = 'summary';
"""

# What a paid mind cost, by user, day, job, task and model; the source that an answer is about, so
# that both can be forgotten together; until when a job is parked; and a way to count reflections.
SPENDING: Final = """
CREATE TABLE spending (
    user_id TEXT NOT NULL,
    day TEXT NOT NULL,  -- of UTC, as 2026-03-01
    job TEXT NOT NULL,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    usd REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    repairs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    fallbacks INTEGER NOT NULL,
    PRIMARY KEY (user_id, day, job, task, model)
) WITHOUT ROWID;

ALTER TABLE answers ADD COLUMN source_key TEXT;
CREATE INDEX answers_of_source ON answers (user_id, source_key) WHERE source_key IS NOT NULL;

ALTER TABLE jobs ADD COLUMN parked_until INTEGER;
CREATE INDEX jobs_to_wake ON jobs (parked_until) WHERE state = 'parked';

CREATE INDEX events_reconsolidated ON events (seq) WHERE event_type = 'events.reconsolidated';
"""

# New vectors beside those in use, while an embedder takes the place of another; and a short way to
# what is of high sensitivity.
REEMBEDDING: Final = """
CREATE TABLE reembedded (
    entry_id INTEGER PRIMARY KEY,
    vector BLOB,
    parts BLOB
);
-- What is written again, or taken away, has no new vector any more. A switch sets no words.
CREATE TRIGGER reembedded_is_stale AFTER UPDATE OF words ON entries BEGIN
    DELETE FROM reembedded WHERE entry_id = new.id;
END;
CREATE TRIGGER reembedded_is_gone AFTER DELETE ON entries BEGIN
    DELETE FROM reembedded WHERE entry_id = old.id;
END;

CREATE INDEX nodes_private ON nodes (id) WHERE body ->> 'sensitivity' = 'high';
"""

# People whom sources named in full though they have no node, and two names said to be one
# person's, by the words of their names. What was extracted before knows of none: it gets them when
# its source is extracted again.
BEARERS: Final = """
CREATE TABLE bearers (
    user_id TEXT NOT NULL,
    word TEXT NOT NULL,
    called TEXT NOT NULL,  -- the name and the aliases, as JSON
    source_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, word, called, source_id)
) WITHOUT ROWID;
CREATE INDEX bearers_of_source ON bearers (source_id, user_id);
"""

# Teams that can be tended: invitations, every stay of a member, primary and active team; API keys
# by the hash of their secret; and the log of who did what.
ACCESS: Final = """
ALTER TABLE users ADD COLUMN primary_team TEXT;
ALTER TABLE users ADD COLUMN active_team TEXT;

ALTER TABLE teams ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
ALTER TABLE teams ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE teams ADD COLUMN deleted_at INTEGER;

-- Stays that have ended; the present one, and the last that ended, stand in memberships.
CREATE TABLE stays (
    user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    joined_at INTEGER NOT NULL,
    left_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, team_id, joined_at, left_at)
) WITHOUT ROWID;
CREATE INDEX stays_in_team ON stays (team_id);

CREATE TABLE invitations (
    invitation_id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,  -- may not be registered yet
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX invitations_of_team ON invitations (team_id, state);
CREATE INDEX invitations_of_user ON invitations (user_id, state);

CREATE TABLE api_keys (
    key_id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,  -- SHA-256 of the secret, in hex
    name TEXT NOT NULL,
    user_id TEXT,
    powers TEXT NOT NULL,  -- as JSON
    team TEXT,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX keys_of_user ON api_keys (user_id);

CREATE TABLE deeds (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    act TEXT NOT NULL,
    team_id TEXT,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL  -- as JSON
);
CREATE INDEX deeds_of_actor ON deeds (actor, seq);
CREATE INDEX deeds_in_team ON deeds (team_id, seq) WHERE team_id IS NOT NULL;

CREATE INDEX sources_of_team ON nodes (team_id) WHERE team_id IS NOT NULL;
"""

# A short way to the tombstones of what was erased, for importers that must not bring it back.
ERASURE: Final = """
CREATE INDEX events_erased ON events (user_id) WHERE event_type = 'source.erased';
"""

# Answers to requests that came with a name of their own, kept for when they come again.
REPLAYS: Final = """
CREATE TABLE replays (
    user_id TEXT NOT NULL,
    asker TEXT NOT NULL,  -- the key that asked, or whoever needs none
    name TEXT NOT NULL,  -- digest of what the caller called the request
    request TEXT NOT NULL,  -- digest of all that was asked
    claim TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    status INTEGER,  -- NULL: not answered yet
    media TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (user_id, asker, name)
) WITHOUT ROWID;
CREATE INDEX replays_to_purge ON replays (expires_at);
"""

# Items of programs by namespace and key, and the vectors they are found by.
ITEMS: Final = """
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    room TEXT NOT NULL,
    namespace TEXT NOT NULL, -- a JSON list of labels
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    event_id TEXT NOT NULL, -- the event that wrote it
    paths TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ttl_minutes REAL,
    expires_at INTEGER,
    UNIQUE (user_id, room, namespace, key)
);
CREATE UNIQUE INDEX items_by_event ON items (user_id, event_id);
CREATE INDEX items_expiring ON items (user_id, room, expires_at) WHERE expires_at IS NOT NULL;

-- By the event that wrote the item: a rebuild writes items anew, and their events are the same.
CREATE TABLE item_vectors (
    user_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    lens TEXT NOT NULL,
    path TEXT NOT NULL,
    vector BLOB NOT NULL, -- 32-bit floats; empty: the item has no text
    PRIMARY KEY (user_id, event_id, lens, path)
) WITHOUT ROWID;
CREATE TRIGGER item_vectors_are_gone AFTER DELETE ON items BEGIN
    DELETE FROM item_vectors WHERE user_id = old.user_id AND event_id = old.event_id;
END;
"""

# Jobs in the order in which workers take them: user by user, and each user's newest first.
FAIR_QUEUE: Final = """
DROP INDEX jobs_to_do;
CREATE INDEX jobs_to_do ON jobs (user_id, created_at, id) WHERE state IN ('ready', 'running');
"""

# A digest of each event's other columns, by which flipped bytes are seen. The function is ours, and
# part of every connection.
UNDIGESTED: Final = """
UPDATE events SET digest = event_digest(
    event_id, user_id, team_id, agent_id, session_id, event_type, payload,
    parent_event_id, occurred_at, recorded_at, importance_hint
) WHERE digest IS NULL
"""
EVENT_DIGESTS: Final = f"""
ALTER TABLE events ADD COLUMN digest BLOB;
{UNDIGESTED.strip()};
"""

# A short way to what a user has said about others' sources: it is asked whenever a scope is made.
CONSENTS: Final = """
CREATE INDEX events_of_consent ON events (user_id, seq) WHERE event_type IN (
    'source.accepted', 'source.declined', 'source.hidden', 'source.shown', 'user.blocked',
    'user.unblocked');
"""
