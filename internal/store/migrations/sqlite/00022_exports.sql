-- +goose Up

-- The files of a day, as its manifest lists them: JSON; '' until the manifest is written.
ALTER TABLE export_days ADD COLUMN contents TEXT NOT NULL DEFAULT '';

-- Entries of a partner in the order of their ids, for nightly exports: those that are in no files yet.
CREATE INDEX journal_by_entry ON journal (partner_id, entry_id, day, recorded_at);
