-- +goose Up

-- Who gets the order, in which street, and what is to be collected; '' and 0 in rows of earlier releases.
ALTER TABLE open_orders ADD COLUMN recipient TEXT NOT NULL DEFAULT '';
ALTER TABLE open_orders ADD COLUMN street TEXT NOT NULL DEFAULT '';
ALTER TABLE open_orders ADD COLUMN cod BIGINT NOT NULL DEFAULT 0; -- cents
