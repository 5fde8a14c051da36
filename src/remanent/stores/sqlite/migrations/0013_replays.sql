-- Answers to requests that came with a name of their own, kept for when they come again.
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
