-- +goose Up

-- Statements of partners: one for each month that was closed. Nothing of them is ever changed.
CREATE TABLE statements (
    partner_id TEXT   NOT NULL,
    number     BIGINT NOT NULL, -- counts from 1 for each partner, without gaps
    period     BIGINT NOT NULL, -- the month; months since January of the year 0
    closed_at  BIGINT NOT NULL,
    closings   TEXT   NOT NULL, -- JSON: what it ends with, by currency
    owing      BIGINT NOT NULL, -- 1 if that is not zero
    PRIMARY KEY (partner_id, number),
    UNIQUE (partner_id, period)
) WITHOUT ROWID;
CREATE INDEX statements_by_period ON statements (period, partner_id);

-- Which entries of the journal are on which statement: each is on one at most.
CREATE TABLE statement_entries (
    partner_id TEXT   NOT NULL,
    entry_id   TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    PRIMARY KEY (partner_id, entry_id)
) WITHOUT ROWID;

-- Statements as files.
CREATE TABLE statement_files (
    partner_id TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    format     TEXT   NOT NULL, -- a media type
    content    BLOB   NOT NULL,
    PRIMARY KEY (partner_id, number, format)
);
