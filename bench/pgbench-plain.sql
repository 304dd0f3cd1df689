-- An order without items, as the service writes it, one statement after the other.
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
INSERT INTO orders (partner_order_id, status, version, events, updated_at, estimated_delivery, last_event, courier, cancelled_at, cancellation_reason, allocation, document, partner_id, order_id) VALUES (:reference, 'pending', 1, 0, :at, :at, '', '', 0, '', '', :plain_document, :partner, :order_id);
INSERT INTO idempotency_keys (body_hash, order_id, answer, created_at, partner_id, idempotency_key, scope) VALUES (:hash, :order_id, '', :at, :partner, int8send(:key) || int8send(:rest), :scope);
COMMIT;
