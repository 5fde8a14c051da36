-- What a ranking needs of each entry beside its vector: its stems, its marks, its day, the vectors
-- of its parts. The stems of entries that are there already are taken from the full-text index,
-- which has them all. The rest they get when their source is processed again; until then they are
-- ranked without it.
ALTER TABLE entries ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN marks TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN day INTEGER;  -- counted from 1 January of the year 1
ALTER TABLE entries ADD COLUMN parts BLOB;  -- vectors of its parts, one after the other
CREATE VIRTUAL TABLE temp.said USING fts5vocab (main, entry_text, instance);
UPDATE entries SET words = found.words FROM (
    SELECT doc, group_concat(term, ' ') AS words FROM temp.said WHERE col = 'text' GROUP BY doc
) AS found WHERE found.doc = entries.id;
DROP TABLE temp.said;
