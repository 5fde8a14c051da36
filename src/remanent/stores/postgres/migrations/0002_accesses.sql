-- The newest thirty accesses of a memory, as SQLite's step 19 keeps them: 29 characters each, newest first.
ALTER TABLE nodes ADD COLUMN accesses TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE relationships ADD COLUMN accesses TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE FUNCTION was_accessed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.accesses := left(
        to_char(NEW.last_accessed_at, 'FM0000000000000000') || ' ' || to_char(OLD.salience, 'FM0.000')
        || ' ' || to_char(NEW.salience, 'FM0.000') || ';' || OLD.accesses, 870);
    RETURN NEW;
END $$;
CREATE TRIGGER node_was_accessed BEFORE UPDATE ON nodes FOR EACH ROW
    WHEN (NEW.access_count > OLD.access_count AND NEW.last_accessed_at IS NOT NULL)
    EXECUTE FUNCTION was_accessed();
CREATE TRIGGER relationship_was_accessed BEFORE UPDATE ON relationships FOR EACH ROW
    WHEN (NEW.access_count > OLD.access_count AND NEW.last_accessed_at IS NOT NULL)
    EXECUTE FUNCTION was_accessed();
