-- A short way to what a user has said about others' sources: it is asked whenever a scope is made.
CREATE INDEX events_of_consent ON events (user_id, seq) WHERE event_type IN (
    'source.accepted', 'source.declined', 'source.hidden', 'source.shown', 'user.blocked',
    'user.unblocked');
