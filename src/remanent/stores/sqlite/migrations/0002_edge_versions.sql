-- Whoever keeps a user's edges in memory can tell whether they changed, and how much. `version`
-- counts every change to the edges of a user; `drawn_at` is the version at which one last came,
-- went or led elsewhere. A relationship's `change` is the version at which its weight last changed.
-- All of it is kept by triggers: what writes an edge need not know.
CREATE TABLE edge_versions (
    user_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    drawn_at INTEGER NOT NULL,
    born INTEGER NOT NULL DEFAULT (random())  -- tells a user from an erased one of the same name
) WITHOUT ROWID;
ALTER TABLE relationships ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
CREATE INDEX relationships_by_change ON relationships (user_id, change);

CREATE TRIGGER relationship_came AFTER INSERT ON relationships BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER relationship_went AFTER DELETE ON relationships BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (OLD.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER relationship_moved
AFTER UPDATE OF src_id, dst_id, relationship_type, valid_from, valid_to ON relationships
WHEN OLD.src_id <> NEW.src_id OR OLD.dst_id <> NEW.dst_id
    OR OLD.relationship_type <> NEW.relationship_type
    OR OLD.valid_from <> NEW.valid_from OR OLD.valid_to IS NOT NEW.valid_to
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER relationship_weighed AFTER UPDATE OF salience, confidence, body ON relationships
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 0)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
    UPDATE relationships
    SET change = (SELECT version FROM edge_versions WHERE user_id = NEW.user_id)
    WHERE id = NEW.id;
END;
CREATE TRIGGER link_came AFTER INSERT ON links BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER link_changed AFTER UPDATE ON links BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER link_went AFTER DELETE ON links BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (OLD.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER belief_fell AFTER UPDATE OF body ON nodes
WHEN NEW.kind = 'belief' AND OLD.body ->> 'status' IS NOT NEW.body ->> 'status'
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
CREATE TRIGGER node_shared AFTER UPDATE OF shared, team_id ON nodes
WHEN OLD.shared <> NEW.shared OR OLD.team_id IS NOT NEW.team_id
BEGIN
    INSERT INTO edge_versions (user_id, version, drawn_at) VALUES (NEW.user_id, 1, 1)
    ON CONFLICT (user_id) DO UPDATE SET version = version + 1, drawn_at = version + 1;
END;
