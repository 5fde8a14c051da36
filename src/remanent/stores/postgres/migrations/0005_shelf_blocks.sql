-- What readers have in memory, in blocks, as SQLite's step 22 has it.
CREATE TABLE shelf_blocks (
    token TEXT COLLATE "C" NOT NULL,
    first BIGINT NOT NULL,  -- the lowest and the highest number of its entries
    last BIGINT NOT NULL,
    cold BIGINT NOT NULL,
    version BIGINT NOT NULL,
    ids BYTEA NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (token, first)
);
ALTER TABLE shelf_blocks ALTER COLUMN data SET STORAGE EXTERNAL;  -- numbers that nothing makes smaller
CREATE POLICY wall ON shelf_blocks USING
    (token = ANY ((SELECT wall_tokens())::text[]) OR (SELECT wall_is_open()));
ALTER TABLE shelf_blocks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
-- Nothing stays in a block that was changed, taken from its reader or erased, whoever did it.
CREATE FUNCTION block_is_stale() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE who text := current_setting('remanent.who', true);
BEGIN
    PERFORM set_config('remanent.who', '{*}', true);
    DELETE FROM shelf_blocks
    WHERE token = OLD.token AND first <= OLD.entry_id AND last >= OLD.entry_id;
    PERFORM set_config('remanent.who', who, true);
    RETURN NULL;
END $$;
CREATE TRIGGER block_is_stale AFTER DELETE OR UPDATE ON vector_readers
    FOR EACH ROW EXECUTE FUNCTION block_is_stale();
