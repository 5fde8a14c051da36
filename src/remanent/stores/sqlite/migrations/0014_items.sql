-- Items of programs by namespace and key, and the vectors they are found by.
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
