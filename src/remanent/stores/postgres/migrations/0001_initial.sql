-- The whole schema. Times are microseconds since 1970 in UTC. What set-based steps work on stands in
-- columns, and nowhere else; `body` is the rest, as JSON text. Text is ordered by its bytes, as in SQLite.

-- Words of SQLite that the shared statements use, in this schema and for no one else.
CREATE FUNCTION json_member(doc text, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (doc::jsonb -> name)::text $$;
CREATE FUNCTION json_text(doc text, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT doc::jsonb ->> name $$;
CREATE FUNCTION json_text(doc text, place integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT doc::jsonb ->> place $$;
CREATE OPERATOR -> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member);
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_text);
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = json_text);
CREATE FUNCTION json_extract(doc text, path text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT doc::jsonb ->> substr(path, 3) $$;
CREATE FUNCTION json_array_length(doc text, path text) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT jsonb_array_length(doc::jsonb -> substr(path, 3)) $$;
CREATE FUNCTION json_set(doc text, path text, value text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT jsonb_set(doc::jsonb, ARRAY[substr(path, 3)], coalesce(value, 'null')::jsonb)::text $$;
CREATE FUNCTION json_set(doc text, path text, value json) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT jsonb_set(doc::jsonb, ARRAY[substr(path, 3)], value::jsonb)::text $$;
CREATE FUNCTION json_quote(value text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT to_json(value)::text $$;
CREATE FUNCTION json_list(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT to_json(parts)::text $$;
CREATE FUNCTION json_each(doc text) RETURNS TABLE (key text, value text)
    LANGUAGE sql IMMUTABLE ROWS 10 AS $$
    SELECT (place - 1)::text, member
    FROM jsonb_array_elements_text(
        CASE WHEN left(ltrim(doc), 1) = '[' THEN doc::jsonb ELSE '[]' END
    ) WITH ORDINALITY AS listed (member, place)
    UNION ALL SELECT named.key, named.value FROM jsonb_each_text(
        CASE WHEN left(ltrim(doc), 1) = '{' THEN doc::jsonb ELSE '{}' END
    ) AS named
$$;
CREATE FUNCTION json_each(doc text, path text) RETURNS TABLE (key text, value text)
    LANGUAGE sql IMMUTABLE ROWS 10 AS $$
    SELECT (place - 1)::text, member
    FROM jsonb_array_elements_text(coalesce(nullif(doc::jsonb -> substr(path, 3), 'null'), '[]'))
        WITH ORDINALITY AS listed (member, place)
$$;
CREATE FUNCTION text_added(listed text[], one text) RETURNS text[] LANGUAGE sql IMMUTABLE
    AS $$ SELECT array_append(listed, one) $$;
CREATE FUNCTION text_list(listed text[]) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT to_json(listed)::text $$;
CREATE AGGREGATE json_group_array(text) (
    SFUNC = text_added, STYPE = text[], INITCOND = '{}', FINALFUNC = text_list
);
CREATE FUNCTION unixepoch(moment text) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT floor(extract(epoch FROM moment::timestamptz))::bigint $$;
CREATE FUNCTION unixepoch(moment text, subsec text) RETURNS double precision LANGUAGE sql IMMUTABLE
    AS $$ SELECT (round(extract(epoch FROM moment::timestamptz) * 1000) / 1000)::double precision $$;
CREATE FUNCTION julianday(moment text) RETURNS double precision LANGUAGE sql IMMUTABLE
    AS $$ SELECT extract(epoch FROM moment::timestamptz)::double precision $$;  -- only to be compared
CREATE FUNCTION instr(whole text, part text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT strpos(whole, part) $$;
CREATE FUNCTION hex(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT upper(encode(bytes, 'hex')) $$;
CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT greatest($1, $2) $$;
CREATE FUNCTION max(bigint, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT greatest($1, $2, $3) $$;
CREATE FUNCTION max(double precision, double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS $$ SELECT greatest($1, $2) $$;
CREATE FUNCTION min(double precision, double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS $$ SELECT least($1, $2) $$;
CREATE FUNCTION min(double precision, double precision, double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS $$ SELECT least($1, $2, $3) $$;
-- What is too small for a number is nothing: `exp` of PostgreSQL would fail.
CREATE FUNCTION exp_or_nothing(double precision) RETURNS double precision LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN $1 < -745 THEN 0 ELSE exp($1) END $$;
CREATE FUNCTION event_digest(
    text, text, text, text, text, text, text, text, bigint, bigint, bigint
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT substr(sha256(convert_to(
        json_build_array($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)::text, 'UTF8'
    )), 1, 8)
$$;

CREATE TABLE migrations (
    number BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    applied_at BIGINT NOT NULL
);
CREATE TABLE meta (name TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);
CREATE TABLE events (
    seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    event_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    team_id TEXT COLLATE "C",
    agent_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    event_type TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    parent_event_id TEXT COLLATE "C",
    occurred_at BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    importance_hint BIGINT,
    digest BYTEA,
    UNIQUE (user_id, event_id)
);
CREATE INDEX events_of_user ON events (user_id, seq);
CREATE TABLE raws (
    key TEXT COLLATE "C" PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    is_json BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    rowid BIGINT GENERATED BY DEFAULT AS IDENTITY UNIQUE  -- the order in which they came
);
CREATE TABLE positions (
    user_id TEXT COLLATE "C" NOT NULL,
    consumer TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (user_id, consumer)
);
CREATE TABLE nodes (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    key TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    natural_key TEXT COLLATE "C",
    team_id TEXT COLLATE "C",
    shared BIGINT NOT NULL,  -- 0: its user alone reads it; 1: whoever `node_readers` names
    called TEXT COLLATE "C",  -- of an anchor: its name, type, aliases and whether it is the owner, as JSON
    salience DOUBLE PRECISION NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    ttl_policy TEXT COLLATE "C" NOT NULL,
    access_count BIGINT NOT NULL,
    recall_frequency BIGINT NOT NULL,
    last_recall_interval DOUBLE PRECISION NOT NULL,
    decay_gradient DOUBLE PRECISION NOT NULL,
    last_accessed_at BIGINT,
    decayed_at BIGINT,
    confidence DOUBLE PRECISION,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL
);
CREATE INDEX nodes_of_user ON nodes (user_id, kind, key);
CREATE UNIQUE INDEX nodes_by_nature ON nodes (user_id, kind, natural_key)
    WHERE natural_key IS NOT NULL;
CREATE TABLE node_readers (
    node_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    token TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (node_id, token)
);
CREATE INDEX nodes_of_reader ON node_readers (token, node_id);
CREATE TABLE relationships (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    key TEXT COLLATE "C" NOT NULL UNIQUE,
    user_id TEXT COLLATE "C" NOT NULL,
    src_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    dst_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL,
    relationship_type TEXT COLLATE "C" NOT NULL,
    valid_from BIGINT NOT NULL,
    valid_to BIGINT,
    recorded_at BIGINT NOT NULL,
    salience DOUBLE PRECISION NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    ttl_policy TEXT COLLATE "C" NOT NULL,
    access_count BIGINT NOT NULL,
    recall_frequency BIGINT NOT NULL,
    last_recall_interval DOUBLE PRECISION NOT NULL,
    decay_gradient DOUBLE PRECISION NOT NULL,
    last_accessed_at BIGINT,
    decayed_at BIGINT,
    confidence DOUBLE PRECISION,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    change BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX relationships_from ON relationships (src_id, relationship_type, dst_id);
CREATE INDEX relationships_to ON relationships (dst_id, relationship_type, src_id);
CREATE INDEX relationships_of_user ON relationships (user_id, key);
CREATE TABLE links (
    kind TEXT COLLATE "C" NOT NULL,
    src_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    dst_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    detail TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    weight DOUBLE PRECISION NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (kind, src_id, dst_id, detail)
);
CREATE INDEX links_from ON links (src_id);
CREATE INDEX links_to ON links (dst_id);
CREATE INDEX links_of_user ON links (user_id);
CREATE TABLE anchor_words (
    user_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    word TEXT COLLATE "C" NOT NULL,  -- of the name or an alias, as canonical names are written
    node_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, kind, word, node_id)
);
CREATE INDEX words_of_anchor ON anchor_words (node_id);
CREATE TABLE assertions (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,  -- of all but `recorded_at`
    source_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    src_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    dst_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL,
    relationship_type TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    attitude BIGINT NOT NULL,
    proximity BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    ended BIGINT NOT NULL,
    single BIGINT NOT NULL,
    UNIQUE (user_id, digest)
);
CREATE INDEX assertions_from ON assertions (src_id, kind, relationship_type, at);
CREATE INDEX assertions_to ON assertions (dst_id, src_id, kind, relationship_type);
CREATE INDEX assertions_of_source ON assertions (source_id, user_id);
CREATE TABLE notes (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,  -- of where it stands, its source and its content
    node_id BIGINT REFERENCES nodes (id) ON DELETE CASCADE,
    relationship_id BIGINT REFERENCES relationships (id) ON DELETE CASCADE,
    source_id BIGINT REFERENCES nodes (id) ON DELETE CASCADE,
    content TEXT COLLATE "C" NOT NULL,
    added_by TEXT COLLATE "C" NOT NULL,
    date_added BIGINT NOT NULL,
    expires_at BIGINT,
    UNIQUE (user_id, digest),
    CHECK ((node_id IS NULL) <> (relationship_id IS NULL))
);
CREATE INDEX notes_on_node ON notes (node_id, date_added) WHERE node_id IS NOT NULL;
CREATE INDEX notes_on_relationship ON notes (relationship_id, date_added)
    WHERE relationship_id IS NOT NULL;
CREATE INDEX notes_of_source ON notes (source_id, user_id) WHERE source_id IS NOT NULL;
CREATE TABLE extractions (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL,
    source_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    body TEXT COLLATE "C" NOT NULL,
    UNIQUE (user_id, source_id)
);
CREATE INDEX extractions_of_source ON extractions (source_id);
CREATE TABLE passages (
    key TEXT COLLATE "C" PRIMARY KEY,
    source_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    ordinal BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    rowid BIGINT GENERATED BY DEFAULT AS IDENTITY UNIQUE  -- the order in which they came
);
CREATE INDEX passages_of_source ON passages (source_id, ordinal);
CREATE TABLE entries (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,  -- never given twice: readers' caches know rows by it
    key TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL,
    owner_key TEXT COLLATE "C" NOT NULL,
    team TEXT COLLATE "C",
    vector BYTEA,
    words TEXT COLLATE "C" NOT NULL DEFAULT '',
    marks TEXT COLLATE "C" NOT NULL DEFAULT '',
    day BIGINT,
    parts BYTEA
);
CREATE TABLE vector_readers (
    token TEXT COLLATE "C" NOT NULL,
    entry_id BIGINT NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    change BIGINT NOT NULL,  -- the version of the token at which this vector came or changed
    PRIMARY KEY (token, entry_id)
);
CREATE INDEX vectors_by_change ON vector_readers (token, change);
CREATE INDEX readers_of_vector ON vector_readers (entry_id);
CREATE TABLE token_versions (
    token TEXT COLLATE "C" PRIMARY KEY,
    version BIGINT NOT NULL,
    removed_at BIGINT NOT NULL  -- the version at which an entry was last taken from the token
);
CREATE TABLE users (
    user_id TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    timezone TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    primary_team TEXT COLLATE "C",
    active_team TEXT COLLATE "C"
);
CREATE TABLE teams (
    team_id TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL DEFAULT '',
    settings TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    deleted_at BIGINT
);
CREATE TABLE memberships (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL,
    joined_at BIGINT NOT NULL,
    left_at BIGINT,
    PRIMARY KEY (user_id, team_id)
);
CREATE INDEX members_of_team ON memberships (team_id);
CREATE TABLE jobs (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,  -- the order in which jobs were promised
    key TEXT COLLATE "C" NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    run_at BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    worker TEXT COLLATE "C",
    lease_until BIGINT,
    error TEXT COLLATE "C",
    ended_at BIGINT,
    parked_until BIGINT
);
CREATE INDEX jobs_of_user ON jobs (user_id, state);
CREATE TABLE answers (
    user_id TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    mind TEXT COLLATE "C" NOT NULL,
    task TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    answered_at BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    source_key TEXT COLLATE "C",
    rowid BIGINT GENERATED BY DEFAULT AS IDENTITY UNIQUE,
    PRIMARY KEY (user_id, digest)
);
CREATE TABLE edge_versions (
    user_id TEXT COLLATE "C" PRIMARY KEY,
    version BIGINT NOT NULL,
    drawn_at BIGINT NOT NULL,
    born BIGINT NOT NULL DEFAULT ((random() - 0.5) * 9e18)  -- tells a user from an erased one of the same name
);
CREATE INDEX relationships_by_change ON relationships (user_id, change);
CREATE TABLE rounds (
    user_id TEXT COLLATE "C" NOT NULL,
    job TEXT COLLATE "C" NOT NULL,
    done_until BIGINT NOT NULL,
    PRIMARY KEY (user_id, job)
);
CREATE INDEX nodes_in_order ON nodes (user_id, id);
CREATE INDEX relationships_in_order ON relationships (user_id, id);
CREATE INDEX events_of_session ON events (user_id, session_id, agent_id, occurred_at, seq)
    WHERE session_id <> '';
CREATE INDEX events_of_parent ON events (user_id, parent_event_id)
    WHERE parent_event_id IS NOT NULL;
CREATE INDEX event_nodes_by_time ON nodes (user_id, json_extract(body, '$.occurred_at'))
    WHERE kind = 'event';
CREATE TABLE bygones (
    key TEXT COLLATE "C" PRIMARY KEY,  -- of the event's node
    user_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    summary_key TEXT COLLATE "C" NOT NULL  -- of the episode that stands for it
);
CREATE INDEX bygones_of_user ON bygones (user_id);
CREATE INDEX event_nodes_of_session ON nodes (user_id, (body ->> 'session_id'), (body ->> 'agent_id'))
    WHERE kind = 'event';
CREATE INDEX summaries_of_session ON nodes (user_id, (body ->> 'session_id'), (body ->> 'level'))
    WHERE kind = 'summary';
CREATE TABLE spending (
    user_id TEXT COLLATE "C" NOT NULL,
    day TEXT COLLATE "C" NOT NULL,  -- of UTC, as 2026-03-01
    job TEXT COLLATE "C" NOT NULL,
    task TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    calls BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    usd DOUBLE PRECISION NOT NULL,
    unpriced BIGINT NOT NULL,
    repairs BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    fallbacks BIGINT NOT NULL,
    PRIMARY KEY (user_id, day, job, task, model)
);
CREATE INDEX answers_of_source ON answers (user_id, source_key) WHERE source_key IS NOT NULL;
CREATE INDEX jobs_to_wake ON jobs (parked_until) WHERE state = 'parked';
CREATE INDEX events_reconsolidated ON events (seq) WHERE event_type = 'events.reconsolidated';
CREATE TABLE reembedded (
    entry_id BIGINT PRIMARY KEY,
    vector BYTEA,
    parts BYTEA
);
CREATE INDEX nodes_private ON nodes (id) WHERE body ->> 'sensitivity' = 'high';
CREATE TABLE bearers (
    user_id TEXT COLLATE "C" NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    called TEXT COLLATE "C" NOT NULL,  -- the name and the aliases, as JSON
    source_id BIGINT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX bearers_once ON bearers (user_id, word, md5(called), source_id);
CREATE INDEX bearers_of_source ON bearers (source_id, user_id);
CREATE TABLE stays (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL,
    joined_at BIGINT NOT NULL,
    left_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, team_id, joined_at, left_at)
);
CREATE INDEX stays_in_team ON stays (team_id);
CREATE TABLE invitations (
    invitation_id TEXT COLLATE "C" PRIMARY KEY,
    team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
    user_id TEXT COLLATE "C" NOT NULL,  -- may not be registered yet
    role TEXT COLLATE "C" NOT NULL,
    invited_by TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL
);
CREATE INDEX invitations_of_team ON invitations (team_id, state);
CREATE INDEX invitations_of_user ON invitations (user_id, state);
CREATE TABLE api_keys (
    key_id TEXT COLLATE "C" PRIMARY KEY,
    digest TEXT COLLATE "C" NOT NULL,  -- SHA-256 of the secret, in hex
    name TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C",
    powers TEXT COLLATE "C" NOT NULL,  -- as JSON
    team TEXT COLLATE "C",
    created_by TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
);
CREATE INDEX keys_of_user ON api_keys (user_id);
CREATE TABLE deeds (
    seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    act TEXT COLLATE "C" NOT NULL,
    team_id TEXT COLLATE "C",
    subject TEXT COLLATE "C" NOT NULL,
    detail TEXT COLLATE "C" NOT NULL  -- as JSON
);
CREATE INDEX deeds_of_actor ON deeds (actor, seq);
CREATE INDEX deeds_in_team ON deeds (team_id, seq) WHERE team_id IS NOT NULL;
CREATE INDEX sources_of_team ON nodes (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX events_erased ON events (user_id) WHERE event_type = 'source.erased';
CREATE TABLE replays (
    user_id TEXT COLLATE "C" NOT NULL,
    asker TEXT COLLATE "C" NOT NULL,  -- the key that asked, or whoever needs none
    name TEXT COLLATE "C" NOT NULL,  -- digest of what the caller called the request
    request TEXT COLLATE "C" NOT NULL,  -- digest of all that was asked
    claim TEXT COLLATE "C" NOT NULL,
    begun_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    status BIGINT,  -- NULL: not answered yet
    media TEXT COLLATE "C" NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (user_id, asker, name)
);
CREATE INDEX replays_to_purge ON replays (expires_at);
CREATE TABLE items (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL,
    room TEXT COLLATE "C" NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL, -- a JSON list of labels
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL, -- the event that wrote it
    paths TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ttl_minutes DOUBLE PRECISION,
    expires_at BIGINT,
    UNIQUE (user_id, room, namespace, key)
);
CREATE UNIQUE INDEX items_by_event ON items (user_id, event_id);
CREATE INDEX items_expiring ON items (user_id, room, expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE item_vectors (
    user_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    lens TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    vector BYTEA NOT NULL, -- 32-bit floats; empty: the item has no text
    PRIMARY KEY (user_id, event_id, lens, path)
);
CREATE INDEX jobs_to_do ON jobs (user_id, created_at, id) WHERE state IN ('ready', 'running');
CREATE INDEX events_of_consent ON events (user_id, seq) WHERE event_type IN (
    'source.accepted', 'source.declined', 'source.hidden', 'source.shown', 'user.blocked',
    'user.unblocked');

-- Whoever keeps a user's edges in memory can tell whether they changed, and how much: `version` counts
-- every change, `drawn_at` is the version at which an edge last came, went or led elsewhere.
CREATE FUNCTION count_edges(whose text, is_drawn boolean) RETURNS bigint LANGUAGE sql AS $$
    INSERT INTO edge_versions AS e (user_id, version, drawn_at)
    VALUES (whose, 1, CASE WHEN is_drawn THEN 1 ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET version = e.version + 1,
        drawn_at = CASE WHEN is_drawn THEN e.version + 1 ELSE e.drawn_at END
    RETURNING version
$$;
CREATE FUNCTION edges_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM count_edges(changed.user_id, true) FROM (SELECT DISTINCT user_id FROM edges) AS changed;
    RETURN NULL;
END $$;
CREATE TRIGGER relationships_came AFTER INSERT ON relationships REFERENCING NEW TABLE AS edges
    FOR EACH STATEMENT EXECUTE FUNCTION edges_changed();
CREATE TRIGGER relationships_went AFTER DELETE ON relationships REFERENCING OLD TABLE AS edges
    FOR EACH STATEMENT EXECUTE FUNCTION edges_changed();
CREATE TRIGGER links_came AFTER INSERT ON links REFERENCING NEW TABLE AS edges
    FOR EACH STATEMENT EXECUTE FUNCTION edges_changed();
CREATE TRIGGER links_changed AFTER UPDATE ON links REFERENCING NEW TABLE AS edges
    FOR EACH STATEMENT EXECUTE FUNCTION edges_changed();
CREATE TRIGGER links_went AFTER DELETE ON links REFERENCING OLD TABLE AS edges
    FOR EACH STATEMENT EXECUTE FUNCTION edges_changed();
-- A statement that sets `change` itself has counted the version already, once for all its rows.
CREATE FUNCTION relationship_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.src_id <> NEW.src_id OR OLD.dst_id <> NEW.dst_id
        OR OLD.relationship_type <> NEW.relationship_type
        OR OLD.valid_from <> NEW.valid_from OR OLD.valid_to IS DISTINCT FROM NEW.valid_to
    THEN
        PERFORM count_edges(NEW.user_id, true);
    END IF;
    IF OLD.change = NEW.change AND (
        OLD.salience <> NEW.salience OR OLD.confidence IS DISTINCT FROM NEW.confidence
        OR OLD.body <> NEW.body
    ) THEN
        NEW.change := count_edges(NEW.user_id, false);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER relationship_changed BEFORE UPDATE ON relationships
    FOR EACH ROW EXECUTE FUNCTION relationship_changed();
CREATE FUNCTION node_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.shared <> NEW.shared OR OLD.team_id IS DISTINCT FROM NEW.team_id OR (
        NEW.kind = 'belief' AND OLD.body ->> 'status' IS DISTINCT FROM NEW.body ->> 'status'
    ) THEN
        PERFORM count_edges(NEW.user_id, true);
    END IF;
    -- Entries of a source that is archived, or called back, change from one shelf to the other.
    IF NEW.kind = 'source' AND (OLD.state = 'archived') <> (NEW.state = 'archived') THEN
        UPDATE token_versions SET version = version + 1, removed_at = version + 1
        WHERE token IN (
            SELECT r.token FROM entries AS e JOIN vector_readers AS r ON r.entry_id = e.id
            WHERE e.key >= NEW.key AND e.key < NEW.key || '$'  -- '#' comes before it
        );
        UPDATE vector_readers AS r SET change = t.version FROM token_versions AS t
        WHERE t.token = r.token AND r.entry_id IN (
            SELECT id FROM entries WHERE key >= NEW.key AND key < NEW.key || '$'
        );
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER node_changed AFTER UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION node_changed();
-- What is written again, or taken away, has no new vector any more. A switch sets no words.
CREATE FUNCTION reembedded_is_stale() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM reembedded WHERE entry_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER reembedded_is_stale AFTER DELETE OR UPDATE OF words ON entries
    FOR EACH ROW EXECUTE FUNCTION reembedded_is_stale();
CREATE FUNCTION item_vectors_are_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM item_vectors WHERE user_id = OLD.user_id AND event_id = OLD.event_id;
    RETURN NULL;
END $$;
CREATE TRIGGER item_vectors_are_gone AFTER DELETE ON items
    FOR EACH ROW EXECUTE FUNCTION item_vectors_are_gone();
-- Workers that wait hear of new work when it is committed.
CREATE FUNCTION work_is_there() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('remanent_jobs', TG_TABLE_SCHEMA);
    RETURN NULL;
END $$;
CREATE TRIGGER work_is_there AFTER INSERT ON jobs
    FOR EACH STATEMENT EXECUTE FUNCTION work_is_there();
