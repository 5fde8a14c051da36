-- A digest of each event's other columns, by which flipped bytes are seen. The function is ours, and
-- part of every connection.
ALTER TABLE events ADD COLUMN digest BLOB;
UPDATE events SET digest = event_digest(
    event_id, user_id, team_id, agent_id, session_id, event_type, payload,
    parent_event_id, occurred_at, recorded_at, importance_hint
) WHERE digest IS NULL;
