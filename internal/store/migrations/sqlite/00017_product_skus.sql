-- +goose Up

-- The partner's own name of a product, which no other of its products has; '' for none.
ALTER TABLE products ADD COLUMN sku TEXT NOT NULL DEFAULT '';

-- Orders name products by these. Unique skus are kept by the lock on the partner's counters.
CREATE INDEX products_by_sku ON products (partner_id, sku) WHERE sku <> '';

CREATE INDEX products_by_barcode ON products (partner_id, barcode) WHERE barcode <> '';
