-- +goose Up

-- The goods of orders that were given up after their pickup. A row is written with every change of
-- its order. Test orders have none.
CREATE TABLE order_returns (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    state       TEXT   NOT NULL, -- due or received
    holder      TEXT   NOT NULL, -- JSON: who has the goods now
    due_at      BIGINT NOT NULL, -- when the order was given up
    received_at BIGINT NOT NULL, -- 0 until then
    PRIMARY KEY (partner_id, order_id)
) WITHOUT ROWID;

-- The list of the warehouse.
CREATE INDEX order_returns_by_state ON order_returns (state, due_at);

-- What operators have read from the labels of an order's parcels.
CREATE TABLE order_scans (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    scan_id     TEXT   NOT NULL, -- sorts by time
    code        TEXT   NOT NULL, -- as it was read
    operator_id TEXT   NOT NULL,
    at          BIGINT NOT NULL, -- when it was read
    recorded_at BIGINT NOT NULL, -- when the service recorded it
    PRIMARY KEY (partner_id, order_id, scan_id)
) WITHOUT ROWID;
