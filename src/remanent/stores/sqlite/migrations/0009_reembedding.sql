-- New vectors beside those in use, while an embedder takes the place of another; and a short way to
-- what is of high sensitivity.
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
