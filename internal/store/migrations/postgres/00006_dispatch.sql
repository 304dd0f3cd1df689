-- +goose Up

-- What is under way: a row for each order that is in no final state, written in
-- the transaction that writes the order. The dispatch board reads nothing else,
-- however many orders there are. search comes last: it is long, and few ask.
CREATE TABLE open_orders (
    partner_id         TEXT   NOT NULL,
    order_id           TEXT   NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    estimated_delivery BIGINT NOT NULL,
    pickup_start       BIGINT NOT NULL, -- the windows in which somebody expects a courier
    pickup_end         BIGINT NOT NULL,
    dropoff_start      BIGINT NOT NULL,
    dropoff_end        BIGINT NOT NULL,
    status             TEXT   NOT NULL,
    version            BIGINT NOT NULL, -- the order's
    failures           BIGINT NOT NULL, -- how many attempts have failed
    service_level      TEXT   NOT NULL,
    zone               TEXT   NOT NULL, -- where it goes: the first half of the postal code
    courier_id         TEXT   NOT NULL,
    city               TEXT   NOT NULL,
    partner_order_id   TEXT   NOT NULL,
    search             TEXT   NOT NULL, -- what an order is asked for by, in lower case
    PRIMARY KEY (partner_id, order_id)
);

-- What operators tell each other about an order.
CREATE TABLE order_notes (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    note_id     TEXT   NOT NULL, -- sorts by time
    at          BIGINT NOT NULL,
    operator_id TEXT   NOT NULL,
    note        TEXT   NOT NULL,
    PRIMARY KEY (partner_id, order_id, note_id)
);

-- How a partner's orders are dispatched. A partner without a row has the defaults.
CREATE TABLE dispatch_settings (
    partner_id  TEXT   NOT NULL PRIMARY KEY,
    auto_accept BIGINT NOT NULL -- 1 or 0
);

-- +goose Down
DROP TABLE dispatch_settings;
DROP TABLE order_notes;
DROP TABLE open_orders;
