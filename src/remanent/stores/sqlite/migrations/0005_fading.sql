-- A user's rows in the order of the file, and weights that change by the thousand in one step.
-- Fading walks over all rows of a user in short steps: in order of row each page is written once. A
-- statement that sets `change` itself has counted the version already, once for all its rows; for
-- all others the trigger counts as before, where something did change.
CREATE INDEX nodes_in_order ON nodes (user_id);
CREATE INDEX relationships_in_order ON relationships (user_id);
DROP TRIGGER relationship_weighed;
CREATE TRIGGER relationship_weighed AFTER UPDATE OF salience, confidence, body ON relationships
WHEN OLD.change = NEW.change AND (
    OLD.salience <> NEW.salience OR OLD.confidence IS NOT NEW.confidence OR OLD.body <> NEW.body
)
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 0)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
    UPDATE relationships
    SET change = (SELECT version FROM edge_versions WHERE user_id = NEW.user_id)
    WHERE id = NEW.id;
END;
