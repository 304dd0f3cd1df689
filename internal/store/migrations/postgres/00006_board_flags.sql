-- +goose Up

-- Bits: why an order needs attention, beside what time and couriers bring about (board.Flags).
ALTER TABLE open_orders ADD COLUMN flags BIGINT NOT NULL DEFAULT 0;
