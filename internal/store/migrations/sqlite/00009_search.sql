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

-- The words by order. Words have letters and digits, partners' ids also an underscore.
CREATE VIRTUAL TABLE index_words USING fts5 (
    words, content = 'index_orders', content_rowid = 'number', detail = none, columnsize = 0, prefix = '3',
    tokenize = "ascii tokenchars '_'"
);
-- What is removed leaves nothing behind.
INSERT INTO index_words (index_words, rank) VALUES ('secure-delete', 1);

-- +goose StatementBegin
CREATE TRIGGER index_orders_added AFTER INSERT ON index_orders BEGIN
    INSERT INTO index_words (rowid, words) VALUES (new.number, new.partner_id || ' ' || new.words);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER index_orders_removed AFTER DELETE ON index_orders BEGIN
    INSERT INTO index_words (index_words, rowid, words)
        VALUES ('delete', old.number, old.partner_id || ' ' || old.words);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER index_orders_changed AFTER UPDATE ON index_orders BEGIN
    INSERT INTO index_words (index_words, rowid, words)
        VALUES ('delete', old.number, old.partner_id || ' ' || old.words);
    INSERT INTO index_words (rowid, words) VALUES (new.number, new.partner_id || ' ' || new.words);
END;
-- +goose StatementEnd

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
