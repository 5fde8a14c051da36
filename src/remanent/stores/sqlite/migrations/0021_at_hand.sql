-- What every context asks for, found without looking through all beliefs and all sources.
CREATE INDEX beliefs_by_importance ON nodes (
    user_id,
    CASE WHEN body ->> 'instructs' IS NULL
        THEN CAST(body ->> 'importance' AS DOUBLE PRECISION) ELSE 11 END
) WHERE kind = 'belief';
CREATE INDEX sources_by_beginning ON nodes (user_id, unixepoch(body ->> 'started_at', 'subsec'))
    WHERE kind = 'source';
