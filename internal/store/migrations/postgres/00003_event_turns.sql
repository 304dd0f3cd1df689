-- +goose Up

-- The partners that have events. A transaction that adds events of a partner locks its row
-- until it ends, so that the partner's event_ids ascend in the order of commits, whatever
-- the clocks of the nodes show. The embedded database, which has one writer, needs no rows.
CREATE TABLE event_turns (
    partner_id TEXT NOT NULL PRIMARY KEY
);
