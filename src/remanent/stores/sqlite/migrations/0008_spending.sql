-- What a paid mind cost, by user, day, job, task and model; the source that an answer is about, so
-- that both can be forgotten together; until when a job is parked; and a way to count reflections.
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
