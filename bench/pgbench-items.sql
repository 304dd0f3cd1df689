-- An order with two items from stock, as the service writes it, one statement after the other.
\set partner :first_partner + :client_id % :partners
\set n :n + 1
\set order_id 1000000000000000000 + :n * 1000 + :client_id
\set reference random(100000000000000000, 999999999999999999)
\set key random(0, 9000000000000000000)
\set rest random(0, 9000000000000000000)
\set at 1763716800000000 + :n
BEGIN;
SELECT partner_id, idempotency_key, scope, body_hash, order_id, answer, created_at FROM idempotency_keys WHERE partner_id = :partner AND idempotency_key = int8send(:key) || int8send(:rest) AND scope = :scope;
SELECT partner_id, partner_order_id FROM orders WHERE partner_id = :partner AND partner_order_id = :reference;
SELECT partner_id, product_id, name, quantity, stock_min, stock_max, price_cents, barcode, status FROM products WHERE partner_id = :partner AND product_id IN (1, 2) ORDER BY product_id FOR UPDATE;
SELECT partner_id, product_id, location, quantity FROM stock_levels WHERE partner_id = :partner AND product_id IN (1, 2);
SELECT last_movement FROM partner_counters WHERE partner_id = :partner FOR UPDATE \gset
INSERT INTO orders (partner_order_id, status, version, events, updated_at, estimated_delivery, last_event, courier, cancelled_at, cancellation_reason, allocation, document, partner_id, order_id) VALUES (:reference, 'pending', 1, 0, :at, :at, '', '', 0, '', :items_allocation, :items_document, :partner, :order_id);
INSERT INTO idempotency_keys (body_hash, order_id, answer, created_at, partner_id, idempotency_key, scope) VALUES (:hash, :order_id, '', :at, :partner, int8send(:key) || int8send(:rest), :scope);
INSERT INTO stock_movements (product_id, type, quantity, location, order_id, notes, created_at, partner_id, movement_id) VALUES (1, 'OUT', 1, 'MTL-1', :order_id, '', :at, :partner, :last_movement + 1), (2, 'OUT', 2, 'MTL-1', :order_id, '', :at, :partner, :last_movement + 2);
UPDATE partner_counters SET last_movement = :last_movement + 2 WHERE partner_id = :partner;
UPDATE products SET quantity = quantity - 1 WHERE partner_id = :partner AND product_id = 1;
UPDATE products SET quantity = quantity - 2 WHERE partner_id = :partner AND product_id = 2;
UPDATE stock_levels SET quantity = quantity - 1 WHERE partner_id = :partner AND product_id = 1 AND location = 'MTL-1';
UPDATE stock_levels SET quantity = quantity - 2 WHERE partner_id = :partner AND product_id = 2 AND location = 'MTL-1';
COMMIT;
