-- +goose NO TRANSACTION
-- +goose Up

-- The files of a day, as its manifest lists them: JSON; '' until the manifest is written.
ALTER TABLE export_days ADD COLUMN IF NOT EXISTS contents TEXT NOT NULL DEFAULT '';

-- Entries of a partner in the order of their ids, for nightly exports: those that are in no files yet.
DROP INDEX CONCURRENTLY IF EXISTS journal_by_entry;
CREATE INDEX CONCURRENTLY journal_by_entry ON journal (partner_id, entry_id, day, recorded_at);
