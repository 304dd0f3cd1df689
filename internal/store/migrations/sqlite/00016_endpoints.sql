-- +goose Up

-- What an endpoint takes: types of events, separated by commas; '' for all but those that are only
-- sent when they are named. And how requests look: '' as ever, or 'cloudevents'.
ALTER TABLE webhook_endpoints ADD COLUMN events TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook_endpoints ADD COLUMN format TEXT NOT NULL DEFAULT '';

-- The endpoints of partners besides the first, which is in webhook_endpoints. Each row is the lock of
-- its queue.
CREATE TABLE further_endpoints (
    partner_id      TEXT   NOT NULL,
    endpoint_id     TEXT   NOT NULL,
    url             TEXT   NOT NULL,
    enabled         BIGINT NOT NULL,
    disabled_reason TEXT   NOT NULL, -- as in webhook_endpoints, like all below
    secret          BLOB   NOT NULL,
    next_secret     BLOB   NOT NULL,
    next_secret_at  BIGINT NOT NULL,
    failures        BIGINT NOT NULL,
    failing_since   BIGINT NOT NULL,
    pace            BIGINT NOT NULL,
    open_until      BIGINT NOT NULL,
    wake_at         BIGINT NOT NULL,
    holder          TEXT   NOT NULL,
    lease_until     BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    events          TEXT   NOT NULL,
    format          TEXT   NOT NULL,
    PRIMARY KEY (partner_id, endpoint_id)
);
CREATE INDEX further_endpoints_quick ON further_endpoints (wake_at) WHERE enabled = 1 AND holder = '' AND pace = 1;
CREATE INDEX further_endpoints_untried ON further_endpoints (wake_at) WHERE enabled = 1 AND holder = '' AND pace = 0;
CREATE INDEX further_endpoints_slow ON further_endpoints (wake_at) WHERE enabled = 1 AND holder = '' AND pace > 1;
CREATE INDEX further_endpoints_leased ON further_endpoints (holder) WHERE holder <> '';

-- How far events have come at further endpoints. What an event says is in events; so is how far it has
-- come at the first endpoint. An event that an endpoint does not take has no row, unless it had to wait.
-- A row may outlive its endpoint, but not its event.
CREATE TABLE further_deliveries (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    sequence    BIGINT NOT NULL,
    endpoint_id TEXT   NOT NULL,
    event_id    TEXT   NOT NULL, -- as in events, like all below
    type        TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    tries       BIGINT NOT NULL,
    due_at      BIGINT NOT NULL,
    attempts    TEXT   NOT NULL,
    PRIMARY KEY (partner_id, order_id, sequence, endpoint_id)
) WITHOUT ROWID;
-- Lists the events of an endpoint by time.
CREATE INDEX further_deliveries_by_id ON further_deliveries (partner_id, endpoint_id, event_id);
-- Finds what to send.
CREATE INDEX further_deliveries_due ON further_deliveries (partner_id, endpoint_id, due_at) WHERE state = 'pending';
-- Lists what will not arrive by itself.
CREATE INDEX further_deliveries_undelivered ON further_deliveries (partner_id, endpoint_id, state, event_id)
    WHERE state IN ('failed', 'skipped');
