-- +goose NO TRANSACTION
-- +goose Up

-- The products that have to be restocked, of all partners: a list that is short
-- where there are a million products, and that nodes of the release before keep
-- right too.
DROP INDEX CONCURRENTLY IF EXISTS products_low;
CREATE INDEX CONCURRENTLY products_low ON products (partner_id, product_id) WHERE quantity <= stock_min AND status = 'active';

-- +goose Down
DROP INDEX products_low;
