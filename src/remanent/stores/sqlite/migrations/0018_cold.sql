-- Entries of a source that is archived, or called back, change from one shelf of their readers to the
-- other. Which of the two they are on follows from the state of the source, and is written nowhere else.
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
