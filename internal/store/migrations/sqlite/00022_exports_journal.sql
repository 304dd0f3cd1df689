-- +goose Up

-- Entries of a partner in the order of their ids, for nightly exports: those that are in no files yet.
CREATE INDEX journal_by_entry ON journal (partner_id, entry_id, day, recorded_at);
