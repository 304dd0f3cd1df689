-- +goose Up

-- Since when a user has an address that no link has proven yet; 0 once one has. Users of
-- earlier releases, and those who came without mail, count as proven.
ALTER TABLE users ADD COLUMN unproven_since BIGINT NOT NULL DEFAULT 0;
