-- The schema of a new file, written by `python -m tests.stores.write_schema` from its history.
PRAGMA application_id = 1380273486;
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
    importance_hint INTEGER, digest BLOB,
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
, accesses TEXT NOT NULL DEFAULT '');
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
, change INTEGER NOT NULL DEFAULT 0, accesses TEXT NOT NULL DEFAULT '');
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
, words TEXT NOT NULL DEFAULT '', marks TEXT NOT NULL DEFAULT '', day INTEGER, parts BLOB);
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
CREATE INDEX beliefs_by_importance ON nodes (
    user_id,
    CASE WHEN body ->> 'instructs' IS NULL
        THEN CAST(body ->> 'importance' AS DOUBLE PRECISION) ELSE 11 END
) WHERE kind = 'belief';
CREATE INDEX sources_by_beginning ON nodes (user_id, unixepoch(body ->> 'started_at', 'subsec'))
    WHERE kind = 'source';
CREATE TABLE shelf_blocks (
    token TEXT NOT NULL,
    first INTEGER NOT NULL,  -- the lowest and the highest number of its entries
    last INTEGER NOT NULL,
    cold INTEGER NOT NULL,
    version INTEGER NOT NULL,
    ids BLOB NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (token, first)
);
CREATE TABLE users (
    user_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    created_at INTEGER NOT NULL
, primary_team TEXT, active_team TEXT) WITHOUT ROWID;
CREATE TABLE teams (
    team_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
, created_by TEXT NOT NULL DEFAULT '', settings TEXT NOT NULL DEFAULT '{}', deleted_at INTEGER) WITHOUT ROWID;
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
, parked_until INTEGER);
CREATE INDEX jobs_to_do ON jobs (user_id, created_at, id) WHERE state IN ('ready', 'running');
CREATE INDEX jobs_of_user ON jobs (user_id, state);
CREATE TABLE answers (
    user_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    mind TEXT NOT NULL,
    task TEXT NOT NULL,
    text TEXT NOT NULL,
    answered_at INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL, source_key TEXT,
    PRIMARY KEY (user_id, digest)
);
CREATE TABLE edge_versions (
    user_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    drawn_at INTEGER NOT NULL,
    born INTEGER NOT NULL DEFAULT (random())  -- tells a user from an erased one of the same name
) WITHOUT ROWID;
CREATE INDEX relationships_by_change ON relationships (user_id, change);
CREATE TABLE rounds (
    user_id TEXT NOT NULL,
    job TEXT NOT NULL,
    done_until INTEGER NOT NULL,
    PRIMARY KEY (user_id, job)
) WITHOUT ROWID;
CREATE INDEX nodes_in_order ON nodes (user_id);
CREATE INDEX relationships_in_order ON relationships (user_id);
CREATE INDEX events_of_session ON events (user_id, session_id, agent_id, occurred_at, seq)
    WHERE session_id <> '';
CREATE INDEX events_of_parent ON events (user_id, parent_event_id)
    WHERE parent_event_id IS NOT NULL;
CREATE INDEX event_nodes_by_time ON nodes (user_id, json_extract(body, '$.occurred_at'))
    WHERE kind = 'event';
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
CREATE INDEX answers_of_source ON answers (user_id, source_key) WHERE source_key IS NOT NULL;
CREATE INDEX jobs_to_wake ON jobs (parked_until) WHERE state = 'parked';
CREATE INDEX events_reconsolidated ON events (seq) WHERE event_type = 'events.reconsolidated';
CREATE TABLE reembedded (
    entry_id INTEGER PRIMARY KEY,
    vector BLOB,
    parts BLOB
);
CREATE INDEX nodes_private ON nodes (id) WHERE body ->> 'sensitivity' = 'high';
CREATE TABLE bearers (
    user_id TEXT NOT NULL,
    word TEXT NOT NULL,
    called TEXT NOT NULL,  -- the name and the aliases, as JSON
    source_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, word, called, source_id)
) WITHOUT ROWID;
CREATE INDEX bearers_of_source ON bearers (source_id, user_id);
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
CREATE INDEX events_erased ON events (user_id) WHERE event_type = 'source.erased';
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
CREATE TABLE item_vectors (
    user_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    lens TEXT NOT NULL,
    path TEXT NOT NULL,
    vector BLOB NOT NULL, -- 32-bit floats; empty: the item has no text
    PRIMARY KEY (user_id, event_id, lens, path)
) WITHOUT ROWID;
CREATE INDEX events_of_consent ON events (user_id, seq) WHERE event_type IN (
    'source.accepted', 'source.declined', 'source.hidden', 'source.shown', 'user.blocked',
    'user.unblocked');
CREATE INDEX sources_by_filter ON nodes (
    user_id,
    shared,
    state,
    team_id,
    created_at,
    body ->> 'source_type',
    body ->> 'content_type',
    body ->> 'sensitivity',
    body ->> 'started_at',
    body ->> 'ended_at',
    key
) WHERE kind = 'source';
CREATE INDEX passages_with_time ON passages (source_id) WHERE instr(body, '"at": null') = 0;
CREATE TRIGGER belief_fell AFTER UPDATE OF body ON nodes
WHEN NEW.kind = 'belief' AND OLD.body ->> 'status' IS NOT NEW.body ->> 'status'
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER block_is_gone AFTER DELETE ON vector_readers BEGIN
    DELETE FROM shelf_blocks
    WHERE token = old.token AND first <= old.entry_id AND last >= old.entry_id;
END;
CREATE TRIGGER block_is_stale AFTER UPDATE ON vector_readers BEGIN
    DELETE FROM shelf_blocks
    WHERE token = old.token AND first <= old.entry_id AND last >= old.entry_id;
END;
CREATE TRIGGER item_vectors_are_gone AFTER DELETE ON items BEGIN
    DELETE FROM item_vectors WHERE user_id = old.user_id AND event_id = old.event_id;
END;
CREATE TRIGGER link_came AFTER INSERT ON links BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER link_changed AFTER UPDATE ON links BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER link_went AFTER DELETE ON links BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (OLD.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER node_shared AFTER UPDATE OF shared, team_id ON nodes
WHEN OLD.shared <> NEW.shared OR OLD.team_id IS NOT NEW.team_id
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER node_was_accessed AFTER UPDATE OF access_count ON nodes
WHEN NEW.access_count > OLD.access_count AND NEW.last_accessed_at IS NOT NULL
BEGIN
    UPDATE nodes SET accesses = substr(
        printf('%016d %.3f %.3f;', NEW.last_accessed_at, OLD.salience, NEW.salience) || OLD.accesses, 1, 870
    ) WHERE id = NEW.id;  -- 29 characters each
END;
CREATE TRIGGER reembedded_is_gone AFTER DELETE ON entries BEGIN
    DELETE FROM reembedded WHERE entry_id = old.id;
END;
CREATE TRIGGER reembedded_is_stale AFTER UPDATE OF words ON entries BEGIN
    DELETE FROM reembedded WHERE entry_id = new.id;
END;
CREATE TRIGGER relationship_came AFTER INSERT ON relationships BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER relationship_moved
AFTER UPDATE OF src_id, dst_id, relationship_type, valid_from, valid_to ON relationships
WHEN OLD.src_id <> NEW.src_id OR OLD.dst_id <> NEW.dst_id
    OR OLD.relationship_type <> NEW.relationship_type
    OR OLD.valid_from <> NEW.valid_from OR OLD.valid_to IS NOT NEW.valid_to
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER relationship_was_accessed AFTER UPDATE OF access_count ON relationships
WHEN NEW.access_count > OLD.access_count AND NEW.last_accessed_at IS NOT NULL
BEGIN
    UPDATE relationships SET accesses = substr(
        printf('%016d %.3f %.3f;', NEW.last_accessed_at, OLD.salience, NEW.salience) || OLD.accesses, 1, 870
    ) WHERE id = NEW.id;
END;
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
CREATE TRIGGER relationship_went AFTER DELETE ON relationships BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (OLD.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER source_changes_shelves AFTER UPDATE OF state ON nodes
WHEN NEW.kind = 'source' AND (OLD.state = 'archived') <> (NEW.state = 'archived')
BEGIN
    UPDATE token_versions SET version = version + 1, removed_at = version + 1
    WHERE token IN (
        SELECT r.token FROM entries AS e CROSS JOIN vector_readers AS r ON r.entry_id = e.id
        WHERE e.key >= NEW.key AND e.key < NEW.key || '$'  -- '#' comes before it
    );
    UPDATE vector_readers
    SET change = (SELECT version FROM token_versions AS t WHERE t.token = vector_readers.token)
    WHERE entry_id IN (SELECT id FROM entries WHERE key >= NEW.key AND key < NEW.key || '$');
END;
