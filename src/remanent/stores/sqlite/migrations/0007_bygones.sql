-- Where events went that have left the graph: by their key one finds them in the ledger still. And
-- ways to the nodes of one session and to what was told of it.
CREATE TABLE bygones (
    key TEXT PRIMARY KEY,  -- of the event's node
    user_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    summary_key TEXT NOT NULL  -- of the episode that stands for it
) WITHOUT ROWID;
CREATE INDEX bygones_of_user ON bygones (user_id);
CREATE INDEX event_nodes_of_session ON nodes (user_id, body ->> 'session_id', body ->> 'agent_id')
    WHERE kind = 'event';
CREATE INDEX summaries_of_session ON nodes (user_id, body ->> 'session_id', body ->> 'level')
    WHERE kind = 'summary';
