-- Ways to agents' events: by session, by what caused them, and of their nodes by time. Times in a
-- body are ISO texts in UTC, which sort as the times do.
CREATE INDEX events_of_session ON events (user_id, session_id, agent_id, occurred_at, seq)
    WHERE session_id <> '';
CREATE INDEX events_of_parent ON events (user_id, parent_event_id)
    WHERE parent_event_id IS NOT NULL;
CREATE INDEX event_nodes_by_time ON nodes (user_id, json_extract(body, '$.occurred_at'))
    WHERE kind = 'event';
