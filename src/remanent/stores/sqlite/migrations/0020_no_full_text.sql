-- Words are matched in memory, among the reader's own entries, as they are on a server: the stems of an
-- entry stand beside it, and no second copy of them has to be kept in step, written anew and looked through.
DROP TABLE entry_text;
