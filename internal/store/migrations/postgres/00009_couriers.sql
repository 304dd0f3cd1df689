-- +goose NO TRANSACTION
-- +goose Up

-- The index of open_orders is built beside their writers. All else can be begun
-- anew after a build that was broken off.

-- The proofs of delivery of an order. The pictures are kept elsewhere, each under
-- its name.
CREATE TABLE IF NOT EXISTS order_proofs (
    partner_id  TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    proof_id    TEXT   NOT NULL, -- sorts by time
    kind        TEXT   NOT NULL, -- signature or photo
    name        TEXT   NOT NULL, -- of the picture
    digest      BYTEA  NOT NULL, -- SHA-256 of the file that was sent
    at          BIGINT NOT NULL,
    operator_id TEXT   NOT NULL,
    PRIMARY KEY (partner_id, order_id, proof_id)
);

-- The pictures that belong to no proof, and are deleted when they are due: those of
-- proofs that have been removed, and those whose proof is being added.
CREATE TABLE IF NOT EXISTS loose_pictures (
    partner_id TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    due_at     BIGINT NOT NULL,
    PRIMARY KEY (partner_id, name)
);

-- What couriers have delivered: a row for each order, as long as the order is kept.
CREATE TABLE IF NOT EXISTS courier_deliveries (
    partner_id   TEXT   NOT NULL,
    order_id     TEXT   NOT NULL,
    courier_id   TEXT   NOT NULL,
    delivered_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, order_id)
);
CREATE INDEX IF NOT EXISTS deliveries_of_courier ON courier_deliveries (courier_id, delivered_at);

-- What a courier has to do. Orders without a courier, and so all new ones, cost
-- the index nothing.
DROP INDEX CONCURRENTLY IF EXISTS open_of_courier;
CREATE INDEX CONCURRENTLY open_of_courier ON open_orders (courier_id) WHERE courier_id <> '';

-- +goose Down
DROP INDEX open_of_courier;
DROP TABLE courier_deliveries;
DROP TABLE loose_pictures;
DROP TABLE order_proofs;
