-- Up to which time each job of the night was done for each user.
CREATE TABLE rounds (
    user_id TEXT NOT NULL,
    job TEXT NOT NULL,
    done_until INTEGER NOT NULL,
    PRIMARY KEY (user_id, job)
) WITHOUT ROWID;
