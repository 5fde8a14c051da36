-- Teams that can be tended: invitations, every stay of a member, primary and active team; API keys
-- by the hash of their secret; and the log of who did what.
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
