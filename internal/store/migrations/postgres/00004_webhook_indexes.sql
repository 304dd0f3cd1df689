-- +goose NO TRANSACTION
-- +goose Up

-- A build that was broken off leaves an index behind that is of no use.
DROP INDEX CONCURRENTLY IF EXISTS events_by_id;
CREATE INDEX CONCURRENTLY events_by_id ON events (partner_id, event_id);
DROP INDEX CONCURRENTLY IF EXISTS events_due;
CREATE INDEX CONCURRENTLY events_due ON events (partner_id, due_at) WHERE state = 'pending';
-- What a partner looks for are the few that will not arrive by themselves.
DROP INDEX CONCURRENTLY IF EXISTS events_undelivered;
CREATE INDEX CONCURRENTLY events_undelivered ON events (partner_id, state, event_id) WHERE state IN ('failed', 'skipped');

-- +goose Down
DROP INDEX events_undelivered;
DROP INDEX events_due;
DROP INDEX events_by_id;
