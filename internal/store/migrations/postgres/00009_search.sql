-- +goose Up

-- What orders are found by. Tables whose names begin with index_ hold nothing of their own: they are filled
-- from others, behind the commits (internal/search), and are neither copied nor compared.
CREATE TABLE index_orders (
    partner_id TEXT   NOT NULL,
    order_id   TEXT   NOT NULL,
    number     BIGINT NOT NULL, -- sorts by the time of creation
    words      TEXT   NOT NULL, -- distinct, with a space between
    PRIMARY KEY (partner_id, order_id)
);
CREATE INDEX index_orders_words ON index_orders USING gin (array_to_tsvector(string_to_array(words, ' ')));
CREATE INDEX index_orders_newest ON index_orders (number);

-- How far the index is filled.
CREATE TABLE index_progress (
    name TEXT   NOT NULL PRIMARY KEY,
    at   BIGINT NOT NULL
);
