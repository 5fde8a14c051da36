-- What every context asks for, as SQLite's step 21 has it.
CREATE INDEX beliefs_by_importance ON nodes (
    user_id,
    (CASE WHEN body ->> 'instructs' IS NULL
        THEN CAST(body ->> 'importance' AS DOUBLE PRECISION) ELSE 11 END)
) WHERE kind = 'belief';
CREATE INDEX sources_by_beginning ON nodes (user_id, (unixepoch(body ->> 'started_at', 'subsec')))
    WHERE kind = 'source';
