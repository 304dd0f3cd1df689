-- +goose NO TRANSACTION
-- +goose Up

-- Entries of a partner in the order of their ids, for nightly exports: those that are in no files yet.
DROP INDEX CONCURRENTLY IF EXISTS journal_by_entry;
CREATE INDEX CONCURRENTLY journal_by_entry ON journal (partner_id, entry_id, day, recorded_at);
