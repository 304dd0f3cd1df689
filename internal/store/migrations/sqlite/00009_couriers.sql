-- +goose Up

-- The proofs of delivery of an order. The pictures are kept elsewhere, each under its
-- name. A row that is removed waits until its picture is deleted, so that no
-- picture is forgotten.
CREATE TABLE order_proofs (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    proof_id    TEXT   NOT NULL, -- sorts by time
    kind        TEXT   NOT NULL, -- signature or photo
    name        TEXT   NOT NULL, -- of the picture
    digest      BLOB   NOT NULL, -- SHA-256 of the file that was sent
    at          BIGINT NOT NULL,
    operator_id TEXT   NOT NULL,
    removed     BIGINT NOT NULL, -- 1 when nobody is shown it any more, otherwise 0
    PRIMARY KEY (partner_id, order_id, proof_id)
) WITHOUT ROWID;
CREATE INDEX order_proofs_removed ON order_proofs (partner_id) WHERE removed = 1;

-- What couriers have delivered: a row for each order, as long as the order is kept.
CREATE TABLE courier_deliveries (
    partner_id   TEXT   NOT NULL,
    order_id     TEXT   NOT NULL,
    courier_id   TEXT   NOT NULL,
    delivered_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, order_id)
) WITHOUT ROWID;
CREATE INDEX deliveries_of_courier ON courier_deliveries (courier_id, delivered_at);

-- What a courier has to do. Orders without a courier, and so all new ones, cost
-- the index nothing.
CREATE INDEX open_of_courier ON open_orders (courier_id) WHERE courier_id <> '';

-- +goose Down
DROP INDEX open_of_courier;
DROP TABLE courier_deliveries;
DROP TABLE order_proofs;
