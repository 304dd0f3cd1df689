-- +goose Up

-- Couriers' cash: what each carries.
CREATE INDEX journal_lines_of_cash ON journal_lines (courier_id, currency, partner_id, day, entry_id, cents)
    WHERE courier_id <> '';

-- Cash at the desk.
CREATE INDEX journal_lines_of_desk ON journal_lines (partner_id, currency, cents) WHERE account = 'desk';

-- Counts that have found a difference.
CREATE INDEX journal_lines_of_differences ON journal_lines (day) WHERE account = 'differences';

-- What couriers have not confirmed.
CREATE INDEX journal_unconfirmed ON journal (day, entry_id) WHERE act = 'unconfirmed';
