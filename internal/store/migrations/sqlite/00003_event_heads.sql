-- +goose Up

-- The greatest event_id that a partner has. Its row is the lock under which the next ones
-- are taken, so that a partner's event_ids ascend in the order in which they are committed,
-- whatever the clocks of the nodes say.
CREATE TABLE event_heads (
    partner_id TEXT NOT NULL PRIMARY KEY,
    event_id   TEXT NOT NULL
) WITHOUT ROWID;
