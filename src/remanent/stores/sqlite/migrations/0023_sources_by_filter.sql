-- What the filters of a search ask of a source, so that its body need not be looked into.
CREATE INDEX sources_by_filter ON nodes (
    user_id,
    shared,
    state,
    team_id,
    created_at,
    body ->> 'source_type',
    body ->> 'content_type',
    body ->> 'sensitivity',
    body ->> 'started_at',
    body ->> 'ended_at',
    key
) WHERE kind = 'source';
-- Passages that have a time of their own.
CREATE INDEX passages_with_time ON passages (source_id) WHERE instr(body, '"at": null') = 0;
