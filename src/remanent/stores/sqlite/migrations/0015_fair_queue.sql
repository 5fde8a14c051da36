-- Jobs in the order in which workers take them: user by user, and each user's newest first.
DROP INDEX jobs_to_do;
CREATE INDEX jobs_to_do ON jobs (user_id, created_at, id) WHERE state IN ('ready', 'running');
