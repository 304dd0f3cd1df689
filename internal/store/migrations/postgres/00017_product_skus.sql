-- +goose NO TRANSACTION
-- +goose Up

-- The partner's own name of a product, which no other of its products has; '' for none.
ALTER TABLE products ADD COLUMN IF NOT EXISTS sku TEXT NOT NULL DEFAULT '';

-- Orders name products by these. Unique skus are kept by the lock on the partner's counters.
DROP INDEX CONCURRENTLY IF EXISTS products_by_sku;
CREATE INDEX CONCURRENTLY products_by_sku ON products (partner_id, sku) WHERE sku <> '';

DROP INDEX CONCURRENTLY IF EXISTS products_by_barcode;
CREATE INDEX CONCURRENTLY products_by_barcode ON products (partner_id, barcode) WHERE barcode <> '';
