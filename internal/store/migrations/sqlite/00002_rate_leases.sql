-- +goose Up

-- What all nodes together know of a partner's rate (throttle.Ledger). Nodes
-- lease a few requests at a time from it.
CREATE TABLE rate_leases (
    partner_id    TEXT   NOT NULL PRIMARY KEY,
    tat           BIGINT NOT NULL, -- the theoretical arrival time of GCRA, in microseconds since 1970
    generation    BIGINT NOT NULL, -- numbers spans of time since 1970
    leased        BIGINT NOT NULL, -- requests leased out in this generation
    leased_before BIGINT NOT NULL  -- and in the one before
);

-- +goose Down
DROP TABLE rate_leases;
