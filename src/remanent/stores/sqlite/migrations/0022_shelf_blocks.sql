-- What readers have in memory, in blocks that a process can take up at a stroke. Whoever had to read
-- many entries one by one leaves them here; all of it can be lost, and is made again. A block tells
-- what its entries were at that version of the reader's token.
CREATE TABLE shelf_blocks (
    token TEXT NOT NULL,
    first INTEGER NOT NULL,  -- the lowest and the highest number of its entries
    last INTEGER NOT NULL,
    cold INTEGER NOT NULL,
    version INTEGER NOT NULL,
    ids BLOB NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (token, first)
);
-- Nothing stays in a block that was changed, taken from its reader or erased.
CREATE TRIGGER block_is_stale AFTER UPDATE ON vector_readers BEGIN
    DELETE FROM shelf_blocks
    WHERE token = old.token AND first <= old.entry_id AND last >= old.entry_id;
END;
CREATE TRIGGER block_is_gone AFTER DELETE ON vector_readers BEGIN
    DELETE FROM shelf_blocks
    WHERE token = old.token AND first <= old.entry_id AND last >= old.entry_id;
END;
