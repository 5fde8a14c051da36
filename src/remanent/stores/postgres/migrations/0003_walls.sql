-- A second wall behind the scope. `remanent.who` says in each transaction whose rows it may see, as the
-- tokens of a scope, the user's own first; '{*}' is work for everybody, and nothing at all sees no row.
CREATE FUNCTION wall_user() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT substr((nullif(current_setting('remanent.who', true), '')::text[])[1], 6) $$;
CREATE FUNCTION wall_tokens() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT nullif(current_setting('remanent.who', true), '')::text[] $$;
CREATE FUNCTION wall_is_open() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT coalesce(current_setting('remanent.who', true), '') = '{*}' $$;
-- Whether a node is that user's, asked in a policy of what its own policy asks.
CREATE FUNCTION wall_owns(whose text, node bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE who text := current_setting('remanent.who', true); owns boolean;
BEGIN
    PERFORM set_config('remanent.who', '{*}', true);
    SELECT n.user_id = whose INTO owns FROM nodes AS n WHERE n.id = node;
    PERFORM set_config('remanent.who', who, true);
    RETURN coalesce(owns, false);
END $$;

DO $$ DECLARE t text; BEGIN
    FOREACH t IN ARRAY ARRAY['events', 'raws', 'positions', 'relationships', 'anchor_words',
        'assertions', 'notes', 'extractions', 'bearers', 'bygones', 'edge_versions', 'rounds', 'answers',
        'spending', 'replays', 'items', 'item_vectors', 'users', 'jobs', 'api_keys']
    LOOP
        EXECUTE format('CREATE POLICY wall ON %I USING
            (user_id = (SELECT wall_user()) OR (SELECT wall_is_open()))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['memberships', 'stays', 'invitations']
    LOOP
        EXECUTE format('CREATE POLICY wall ON %I USING (user_id = (SELECT wall_user())
            OR ''team:'' || team_id = ANY ((SELECT wall_tokens())::text[]) OR (SELECT wall_is_open()))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['vector_readers', 'token_versions']
    LOOP
        EXECUTE format('CREATE POLICY wall ON %I USING
            (token = ANY ((SELECT wall_tokens())::text[]) OR (SELECT wall_is_open()))', t);
    END LOOP;
END $$;
CREATE POLICY wall ON teams USING
    ('team:' || team_id = ANY ((SELECT wall_tokens())::text[]) OR (SELECT wall_is_open()));
CREATE POLICY wall ON deeds USING (actor = (SELECT wall_user()) OR subject = (SELECT wall_user())
    OR 'team:' || team_id = ANY ((SELECT wall_tokens())::text[]) OR (SELECT wall_is_open()));
CREATE POLICY wall ON node_readers USING (token = ANY ((SELECT wall_tokens())::text[])
    OR (SELECT wall_is_open()) OR wall_owns((SELECT wall_user()), node_id));
CREATE POLICY wall ON nodes USING (user_id = (SELECT wall_user()) OR (SELECT wall_is_open())
    OR (shared <> 0 AND EXISTS (SELECT 1 FROM node_readers AS r WHERE r.node_id = id)));
CREATE POLICY wall ON links USING (user_id = (SELECT wall_user()) OR (SELECT wall_is_open())
    OR (EXISTS (SELECT 1 FROM nodes AS n WHERE n.id = src_id)
        AND EXISTS (SELECT 1 FROM nodes AS n WHERE n.id = dst_id)))
    WITH CHECK (user_id = (SELECT wall_user()) OR (SELECT wall_is_open()));
CREATE POLICY wall ON passages USING
    ((SELECT wall_is_open()) OR EXISTS (SELECT 1 FROM nodes AS n WHERE n.id = source_id));
CREATE POLICY wall ON entries USING
    ((SELECT wall_is_open()) OR EXISTS (SELECT 1 FROM vector_readers AS r WHERE r.entry_id = id));
CREATE POLICY wall ON reembedded USING ((SELECT wall_is_open()));
-- Whoever owns the tables is no exception.
DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT tablename FROM pg_policies WHERE schemaname = current_schema
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t);
    END LOOP;
END $$;

-- What follows of a change is counted for all who are concerned, whoever made it.
CREATE OR REPLACE FUNCTION count_edges(whose text, is_drawn boolean) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE who text := current_setting('remanent.who', true); counted bigint;
BEGIN
    PERFORM set_config('remanent.who', '{*}', true);
    INSERT INTO edge_versions AS e (user_id, version, drawn_at)
    VALUES (whose, 1, CASE WHEN is_drawn THEN 1 ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET version = e.version + 1,
        drawn_at = CASE WHEN is_drawn THEN e.version + 1 ELSE e.drawn_at END
    RETURNING version INTO counted;
    PERFORM set_config('remanent.who', who, true);
    RETURN counted;
END $$;
CREATE OR REPLACE FUNCTION node_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.shared <> NEW.shared OR OLD.team_id IS DISTINCT FROM NEW.team_id OR (
        NEW.kind = 'belief' AND OLD.body ->> 'status' IS DISTINCT FROM NEW.body ->> 'status'
    ) THEN
        PERFORM count_edges(NEW.user_id, true);
    END IF;
    RETURN NULL;
END $$;
-- Entries of a source that is archived, or called back, change from one shelf to the other.
CREATE FUNCTION shelf_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE who text := current_setting('remanent.who', true);
BEGIN
    PERFORM set_config('remanent.who', '{*}', true);
    UPDATE token_versions SET version = version + 1, removed_at = version + 1
    WHERE token IN (
        SELECT r.token FROM entries AS e JOIN vector_readers AS r ON r.entry_id = e.id
        WHERE e.key >= NEW.key AND e.key < NEW.key || '$'  -- '#' comes before it
    );
    UPDATE vector_readers AS r SET change = t.version FROM token_versions AS t
    WHERE t.token = r.token AND r.entry_id IN (
        SELECT id FROM entries WHERE key >= NEW.key AND key < NEW.key || '$'
    );
    PERFORM set_config('remanent.who', who, true);
    RETURN NULL;
END $$;
CREATE TRIGGER shelf_changed AFTER UPDATE ON nodes FOR EACH ROW
    WHEN (NEW.kind = 'source' AND (OLD.state = 'archived') <> (NEW.state = 'archived'))
    EXECUTE FUNCTION shelf_changed();
