-- +goose Up

-- JSON: what has happened to an order besides its moves, such as edits; '' for most. An edit
-- also replaces the document: then order_originals has what answered the creation.
ALTER TABLE orders ADD COLUMN course TEXT NOT NULL DEFAULT '';

-- The records that answered the creations of orders that were edited since, for as long as
-- the key of the creation is kept.
CREATE TABLE order_originals (
    partner_id TEXT  NOT NULL,
    order_id   TEXT  NOT NULL,
    document   BYTEA NOT NULL, -- as in orders
    PRIMARY KEY (partner_id, order_id)
);
