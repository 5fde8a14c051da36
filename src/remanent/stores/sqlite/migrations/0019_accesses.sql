-- When a memory was called on, and how present it was before and after: its newest thirty accesses, newest
-- first, in one text, for its curve. It lives, is carried over and goes with its row.
ALTER TABLE nodes ADD COLUMN accesses TEXT NOT NULL DEFAULT '';
ALTER TABLE relationships ADD COLUMN accesses TEXT NOT NULL DEFAULT '';

CREATE TRIGGER node_was_accessed AFTER UPDATE OF access_count ON nodes
WHEN NEW.access_count > OLD.access_count AND NEW.last_accessed_at IS NOT NULL
BEGIN
    UPDATE nodes SET accesses = substr(
        printf('%016d %.3f %.3f;', NEW.last_accessed_at, OLD.salience, NEW.salience) || OLD.accesses, 1, 870
    ) WHERE id = NEW.id;  -- 29 characters each
END;

CREATE TRIGGER relationship_was_accessed AFTER UPDATE OF access_count ON relationships
WHEN NEW.access_count > OLD.access_count AND NEW.last_accessed_at IS NOT NULL
BEGIN
    UPDATE relationships SET accesses = substr(
        printf('%016d %.3f %.3f;', NEW.last_accessed_at, OLD.salience, NEW.salience) || OLD.accesses, 1, 870
    ) WHERE id = NEW.id;
END;
