-- People whom sources named in full though they have no node, and two names said to be one
-- person's, by the words of their names. What was extracted before knows of none: it gets them when
-- its source is extracted again.
CREATE TABLE bearers (
    user_id TEXT NOT NULL,
    word TEXT NOT NULL,
    called TEXT NOT NULL,  -- the name and the aliases, as JSON
    source_id INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, word, called, source_id)
) WITHOUT ROWID;
CREATE INDEX bearers_of_source ON bearers (source_id, user_id);
