-- A short way to the tombstones of what was erased, for importers that must not bring it back.
CREATE INDEX events_erased ON events (user_id) WHERE event_type = 'source.erased';
