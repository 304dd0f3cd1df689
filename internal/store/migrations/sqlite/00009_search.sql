-- +goose Up

-- What orders are found by. Tables whose names begin with index_ hold nothing of their own: they are filled
-- from others, behind the commits (internal/search), and are neither copied nor compared.
CREATE TABLE index_orders (
    number     INTEGER PRIMARY KEY, -- sorts by the time of creation
    partner_id TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    words      TEXT NOT NULL, -- distinct, with a space between
    UNIQUE (partner_id, order_id)
);

-- The orders by word, written with each row above: the partner's id, and its words. Words have letters and digits, partners' ids also an underscore.
CREATE VIRTUAL TABLE index_words USING fts5 (
    words, content = 'index_orders', content_rowid = 'number', detail = none, columnsize = 0, prefix = '3 4',
    tokenize = "ascii tokenchars '_'"
);
-- What is removed leaves nothing behind.
INSERT INTO index_words (index_words, rank) VALUES ('secure-delete', 1);

-- The words that have a letter. What someone types is the beginning of some of them: the index is asked for those,
-- because it would read all orders of all words that begin so.
CREATE TABLE index_terms (
    term TEXT NOT NULL PRIMARY KEY
) WITHOUT ROWID;

-- How far the index is filled.
CREATE TABLE index_progress (
    name TEXT   NOT NULL PRIMARY KEY,
    at   BIGINT NOT NULL
) WITHOUT ROWID;
