-- +goose Up

-- Couriers' cash by courier: what each carries, and of which orders.
CREATE INDEX journal_lines_of_cash ON journal_lines (courier_id, currency, partner_id, day, entry_id, cents)
    WHERE courier_id <> '';
