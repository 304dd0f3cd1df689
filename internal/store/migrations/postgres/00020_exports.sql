-- +goose Up

-- The days whose rows were exported, or are being exported.
CREATE TABLE export_days (
    day       BIGINT NOT NULL PRIMARY KEY, -- in the time zone of the service; days since 1970
    sealed_at BIGINT NOT NULL, -- when it was settled which rows are in the files of the day; 0 until then
    done_at   BIGINT NOT NULL, -- when the manifest was written; 0 until then
    digest    TEXT   NOT NULL, -- SHA-256 of the manifest; '' until then
    files     BIGINT NOT NULL,
    size      BIGINT NOT NULL  -- of the files, in bytes
);

-- Which row is in the files of which day: each is in those of one at most. Rows are removed after some
-- weeks; then export_floors has the key up to which all rows were exported.
CREATE TABLE export_rows (
    partner_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    row_key    TEXT   NOT NULL, -- sorts by the time of recording
    day        BIGINT NOT NULL,
    PRIMARY KEY (partner_id, kind, row_key)
);
CREATE INDEX export_rows_by_day ON export_rows (day, kind, partner_id, row_key);

CREATE TABLE export_floors (
    partner_id TEXT NOT NULL,
    kind       TEXT NOT NULL,
    row_key    TEXT NOT NULL,
    PRIMARY KEY (partner_id, kind)
);
