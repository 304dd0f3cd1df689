-- +goose Up

CREATE INDEX events_by_id ON events (partner_id, event_id);
CREATE INDEX events_due ON events (partner_id, due_at) WHERE state = 'pending';
-- What a partner looks for are the few that will not arrive by themselves.
CREATE INDEX events_undelivered ON events (partner_id, state, event_id) WHERE state IN ('failed', 'skipped');

-- +goose Down
DROP INDEX events_undelivered;
DROP INDEX events_due;
DROP INDEX events_by_id;
