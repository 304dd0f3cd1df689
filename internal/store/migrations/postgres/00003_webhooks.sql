-- +goose Up

-- Where a partner's events are sent, and the head of the lane that brings them
-- there. Its row is the lock of the partner's queue.
CREATE TABLE webhook_endpoints (
    partner_id      TEXT   NOT NULL PRIMARY KEY,
    url             TEXT   NOT NULL,
    enabled         BIGINT NOT NULL, -- 1 or 0
    disabled_reason TEXT   NOT NULL, -- why the service did
    created_at      BIGINT NOT NULL,
    secret          BYTEA  NOT NULL, -- sealed under the master key
    next_secret     BYTEA  NOT NULL, -- during a rotation
    next_secret_at  BIGINT NOT NULL, -- when it takes over
    failures        BIGINT NOT NULL, -- in a row
    failing_since   BIGINT NOT NULL,
    open_until      BIGINT NOT NULL, -- the breaker's
    wake_at         BIGINT NOT NULL, -- when there is something to do
    holder          TEXT   NOT NULL, -- who sends
    lease_until     BIGINT NOT NULL
);
CREATE INDEX webhook_endpoints_to_wake ON webhook_endpoints (wake_at) WHERE enabled = 1;

-- How far each event has come. A pending event with no due_at waits behind an
-- earlier one of its order.
ALTER TABLE events ADD COLUMN state TEXT NOT NULL DEFAULT 'skipped';
ALTER TABLE events ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN attempts TEXT NOT NULL DEFAULT ''; -- JSON

-- +goose Down
ALTER TABLE events DROP COLUMN attempts;
ALTER TABLE events DROP COLUMN tries;
ALTER TABLE events DROP COLUMN due_at;
ALTER TABLE events DROP COLUMN state;
DROP TABLE webhook_endpoints;
