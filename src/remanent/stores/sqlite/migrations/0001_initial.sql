-- The first schema. Times are microseconds since 1970 in UTC. What set-based steps work on stands in
-- columns, and nowhere else; `body` is the rest, as JSON.
PRAGMA application_id = 1380273486;  -- "REMN": 0x52454D4E

CREATE TABLE migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at INTEGER NOT NULL
);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    team_id TEXT,
    agent_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    payload TEXT NOT NULL,
    parent_event_id TEXT,
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    importance_hint INTEGER,
    UNIQUE (user_id, event_id)
);
CREATE INDEX events_of_user ON events (user_id, seq);
CREATE TABLE raws (
    key TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    content TEXT NOT NULL,
    is_json INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL
);
CREATE TABLE positions (
    user_id TEXT NOT NULL,
    consumer TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (user_id, consumer)
) WITHOUT ROWID;

CREATE TABLE nodes (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    user_id TEXT NOT NULL,
    natural_key TEXT,
    team_id TEXT,
    shared INTEGER NOT NULL,  -- 0: its user alone reads it; 1: whoever `node_readers` names
    called TEXT,  -- of an anchor: its name, type, aliases and whether it is the owner, as JSON
    salience REAL NOT NULL,
    state TEXT NOT NULL,
    ttl_policy TEXT NOT NULL,
    access_count INTEGER NOT NULL,
    recall_frequency INTEGER NOT NULL,
    last_recall_interval REAL NOT NULL,
    decay_gradient REAL NOT NULL,
    last_accessed_at INTEGER,
    decayed_at INTEGER,
    confidence REAL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX nodes_of_user ON nodes (user_id, kind, key);
CREATE UNIQUE INDEX nodes_by_nature ON nodes (user_id, kind, natural_key)
    WHERE natural_key IS NOT NULL;
CREATE TABLE node_readers (
    node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    token TEXT NOT NULL,
    PRIMARY KEY (node_id, token)
) WITHOUT ROWID;
CREATE INDEX nodes_of_reader ON node_readers (token, node_id);
CREATE TABLE relationships (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    src_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    dst_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    relationship_type TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    recorded_at INTEGER NOT NULL,
    salience REAL NOT NULL,
    state TEXT NOT NULL,
    ttl_policy TEXT NOT NULL,
    access_count INTEGER NOT NULL,
    recall_frequency INTEGER NOT NULL,
    last_recall_interval REAL NOT NULL,
    decay_gradient REAL NOT NULL,
    last_accessed_at INTEGER,
    decayed_at INTEGER,
    confidence REAL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX relationships_from ON relationships (src_id, relationship_type, dst_id);
CREATE INDEX relationships_to ON relationships (dst_id, relationship_type, src_id);
CREATE INDEX relationships_of_user ON relationships (user_id, key);
CREATE TABLE links (
    kind TEXT NOT NULL,
    src_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    dst_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    detail TEXT NOT NULL,
    user_id TEXT NOT NULL,
    weight REAL NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (kind, src_id, dst_id, detail)
) WITHOUT ROWID;
CREATE INDEX links_from ON links (src_id);
CREATE INDEX links_to ON links (dst_id);
CREATE INDEX links_of_user ON links (user_id);
CREATE TABLE anchor_words (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    word TEXT NOT NULL,  -- of the name or an alias, as canonical names are written
    node_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, kind, word, node_id)
) WITHOUT ROWID;
CREATE INDEX words_of_anchor ON anchor_words (node_id);
CREATE TABLE assertions (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    digest BLOB NOT NULL,  -- of all but `recorded_at`
    source_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    src_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    dst_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    relationship_type TEXT NOT NULL,
    at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    description TEXT NOT NULL,
    attitude INTEGER NOT NULL,
    proximity INTEGER NOT NULL,
    confidence REAL NOT NULL,
    ended INTEGER NOT NULL,
    single INTEGER NOT NULL,
    UNIQUE (user_id, digest)
);
CREATE INDEX assertions_from ON assertions (src_id, kind, relationship_type, at);
CREATE INDEX assertions_to ON assertions (dst_id, src_id, kind, relationship_type);
CREATE INDEX assertions_of_source ON assertions (source_id, user_id);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    digest BLOB NOT NULL,  -- of where it stands, its source and its content
    node_id INTEGER REFERENCES nodes (id) ON DELETE CASCADE,
    relationship_id INTEGER REFERENCES relationships (id) ON DELETE CASCADE,
    source_id INTEGER REFERENCES nodes (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    added_by TEXT NOT NULL,
    date_added INTEGER NOT NULL,
    expires_at INTEGER,
    UNIQUE (user_id, digest),
    CHECK ((node_id IS NULL) <> (relationship_id IS NULL))
);
CREATE INDEX notes_on_node ON notes (node_id, date_added) WHERE node_id IS NOT NULL;
CREATE INDEX notes_on_relationship ON notes (relationship_id, date_added)
    WHERE relationship_id IS NOT NULL;
CREATE INDEX notes_of_source ON notes (source_id, user_id) WHERE source_id IS NOT NULL;
CREATE TABLE extractions (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    source_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    UNIQUE (user_id, source_id)
);
CREATE INDEX extractions_of_source ON extractions (source_id);
CREATE TABLE passages (
    key TEXT PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX passages_of_source ON passages (source_id, ordinal);

CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: readers' caches know rows by it
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    owner_key TEXT NOT NULL,
    team TEXT,
    vector BLOB
);
CREATE TABLE vector_readers (
    token TEXT NOT NULL,
    entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    change INTEGER NOT NULL,  -- the version of the token at which this vector came or changed
    PRIMARY KEY (token, entry_id)
) WITHOUT ROWID;
CREATE INDEX vectors_by_change ON vector_readers (token, change);
CREATE INDEX readers_of_vector ON vector_readers (entry_id);
CREATE TABLE token_versions (
    token TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    removed_at INTEGER NOT NULL  -- the version at which an entry was last taken from the token
) WITHOUT ROWID;
CREATE VIRTUAL TABLE entry_text USING fts5 (
    scope, text, content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO entry_text (entry_text, rank) VALUES ('rank', 'bm25(0.0, 1.0)');

CREATE TABLE users (
    user_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE teams (
    team_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE memberships (
    user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    team_id TEXT NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    joined_at INTEGER NOT NULL,
    left_at INTEGER,
    PRIMARY KEY (user_id, team_id)
) WITHOUT ROWID;
CREATE INDEX members_of_team ON memberships (team_id);

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order in which jobs were promised
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    user_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    worker TEXT,
    lease_until INTEGER,
    error TEXT,
    ended_at INTEGER
);
CREATE INDEX jobs_to_do ON jobs (run_at, id) WHERE state IN ('ready', 'running');
CREATE INDEX jobs_of_user ON jobs (user_id, state);

CREATE TABLE answers (
    user_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    mind TEXT NOT NULL,
    task TEXT NOT NULL,
    text TEXT NOT NULL,
    answered_at INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    PRIMARY KEY (user_id, digest)
);
