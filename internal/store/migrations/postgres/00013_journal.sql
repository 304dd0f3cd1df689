-- +goose Up

-- The books: an entry for each act that moves money, and its lines, which add up to zero for each
-- currency. Neither is ever changed. Test orders have none.
CREATE TABLE journal (
    partner_id       TEXT   NOT NULL,
    day              BIGINT NOT NULL, -- of the act, in the time zone of the service; days since 1970
    entry_id         TEXT   NOT NULL, -- sorts by the time of recording
    at               BIGINT NOT NULL, -- when it happened
    recorded_at      BIGINT NOT NULL, -- when the service recorded it
    act              TEXT   NOT NULL,
    order_id         TEXT   NOT NULL, -- empty for an act that is about no order
    partner_order_id TEXT   NOT NULL,
    actor_id         TEXT   NOT NULL, -- who acted; empty for what the service does by itself
    notes            TEXT   NOT NULL, -- of adjustments and payments; empty for acts of orders
    PRIMARY KEY (partner_id, day, entry_id)
);
CREATE INDEX journal_of_orders ON journal (partner_id, order_id);
CREATE INDEX journal_by_day ON journal (day, entry_id);

CREATE TABLE journal_lines (
    partner_id TEXT   NOT NULL,
    day        BIGINT NOT NULL,
    entry_id   TEXT   NOT NULL,
    account    TEXT   NOT NULL,
    courier_id TEXT   NOT NULL, -- who carries the cash; empty for other accounts
    currency   TEXT   NOT NULL,
    cents      BIGINT NOT NULL,
    PRIMARY KEY (partner_id, day, entry_id, account, courier_id, currency)
);
CREATE INDEX journal_lines_of_couriers ON journal_lines (courier_id) WHERE courier_id <> '';
