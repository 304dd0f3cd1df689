-- +goose Up

-- Every table that grows with use is led by partner_id, so that one partner's
-- rows can live together on one node of a distributed engine. No column is
-- NULL: '' and 0 mean that there is nothing. Times are microseconds since 1970.

CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE partners (
    partner_id    TEXT   NOT NULL PRIMARY KEY,
    name          TEXT   NOT NULL,
    email         TEXT   NOT NULL,        -- as given
    email_key     TEXT   NOT NULL UNIQUE, -- in lower case; what is compared
    password_hash TEXT   NOT NULL,
    created_at    BIGINT NOT NULL
);

CREATE TABLE api_keys (
    key_id       TEXT   NOT NULL PRIMARY KEY,
    partner_id   TEXT   NOT NULL REFERENCES partners,
    name         TEXT   NOT NULL,
    public_key   TEXT   NOT NULL UNIQUE,
    secret       BLOB   NOT NULL, -- sealed under the master key
    created_at   BIGINT NOT NULL,
    revoked_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL
);
CREATE INDEX api_keys_of_partner ON api_keys (partner_id, created_at);

CREATE TABLE sessions (
    token_hash   BLOB   NOT NULL PRIMARY KEY,
    partner_id   TEXT   NOT NULL REFERENCES partners,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);

CREATE TABLE operators (
    operator_id   TEXT   NOT NULL PRIMARY KEY,
    email         TEXT   NOT NULL,
    email_key     TEXT   NOT NULL UNIQUE,
    password_hash TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    created_at    BIGINT NOT NULL
);

CREATE TABLE operator_tokens (
    token_id    TEXT   NOT NULL PRIMARY KEY,
    token_hash  BLOB   NOT NULL UNIQUE,
    operator_id TEXT   NOT NULL REFERENCES operators,
    name        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

CREATE TABLE couriers (
    courier_id TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    phone      TEXT   NOT NULL,
    vehicle    TEXT   NOT NULL,
    active     BIGINT NOT NULL, -- 1 or 0
    created_at BIGINT NOT NULL
);

CREATE TABLE products (
    partner_id  TEXT   NOT NULL,
    product_id  BIGINT NOT NULL,
    name        TEXT   NOT NULL,
    search_key  TEXT   NOT NULL, -- name and barcode in lower case
    quantity    BIGINT NOT NULL, -- the sum over stock_levels, kept with them
    stock_min   BIGINT NOT NULL,
    stock_max   BIGINT NOT NULL,
    price_cents BIGINT NOT NULL,
    barcode     TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (partner_id, product_id)
);

CREATE TABLE stock_levels (
    partner_id TEXT   NOT NULL,
    product_id BIGINT NOT NULL,
    location   TEXT   NOT NULL,
    quantity   BIGINT NOT NULL CHECK (quantity >= 0),
    PRIMARY KEY (partner_id, product_id, location)
) WITHOUT ROWID;

CREATE TABLE stock_movements (
    partner_id  TEXT   NOT NULL,
    movement_id BIGINT NOT NULL,
    product_id  BIGINT NOT NULL,
    type        TEXT   NOT NULL,
    quantity    BIGINT NOT NULL,
    location    TEXT   NOT NULL,
    order_id    TEXT   NOT NULL,
    notes       TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (partner_id, movement_id)
) WITHOUT ROWID;
CREATE INDEX stock_movements_of_product ON stock_movements (partner_id, product_id, movement_id);

-- The counters that product and movement ids are taken from.
CREATE TABLE partner_counters (
    partner_id    TEXT   NOT NULL PRIMARY KEY,
    last_product  BIGINT NOT NULL,
    last_movement BIGINT NOT NULL
);

-- What is fixed at creation is in document: the record that was answered.
CREATE TABLE orders (
    partner_id          TEXT   NOT NULL,
    order_id            TEXT   NOT NULL, -- sorts by time
    partner_order_id    TEXT   NOT NULL,
    status              TEXT   NOT NULL,
    version             BIGINT NOT NULL, -- guards every change
    events              BIGINT NOT NULL, -- how many were written for this order
    updated_at          BIGINT NOT NULL,
    estimated_delivery  BIGINT NOT NULL,
    last_event          TEXT   NOT NULL, -- the id of the newest
    courier             TEXT   NOT NULL, -- JSON
    cancelled_at        BIGINT NOT NULL,
    cancellation_reason TEXT   NOT NULL,
    allocation          TEXT   NOT NULL, -- JSON: which stock was taken from where
    document            TEXT   NOT NULL, -- JSON
    PRIMARY KEY (partner_id, order_id),
    UNIQUE (partner_id, partner_order_id)
);
CREATE INDEX orders_by_status ON orders (partner_id, status, order_id);

-- Every state after the first; that an order begins as pending needs no row.
CREATE TABLE order_history (
    partner_id TEXT   NOT NULL,
    order_id   TEXT   NOT NULL,
    version    BIGINT NOT NULL,
    status     TEXT   NOT NULL,
    notes      TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, order_id, version)
) WITHOUT ROWID;

-- The answer to a creation is the order's document and not kept twice.
CREATE TABLE idempotency_keys (
    partner_id      TEXT   NOT NULL,
    idempotency_key BLOB   NOT NULL, -- the UUID's 16 bytes
    scope           TEXT   NOT NULL, -- method and path
    body_hash       BLOB   NOT NULL, -- SHA-256
    order_id        TEXT   NOT NULL,
    answer          TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    PRIMARY KEY (partner_id, idempotency_key, scope)
) WITHOUT ROWID;

-- The outbox: written in the transaction of the change that an event tells of.
CREATE TABLE events (
    partner_id TEXT   NOT NULL,
    order_id   TEXT   NOT NULL,
    sequence   BIGINT NOT NULL,
    event_id   TEXT   NOT NULL,
    type       TEXT   NOT NULL,
    facts      TEXT   NOT NULL, -- JSON
    created_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, order_id, sequence)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE events;
DROP TABLE idempotency_keys;
DROP TABLE order_history;
DROP TABLE orders;
DROP TABLE partner_counters;
DROP TABLE stock_movements;
DROP TABLE stock_levels;
DROP TABLE products;
DROP TABLE couriers;
DROP TABLE operator_tokens;
DROP TABLE operators;
DROP TABLE sessions;
DROP TABLE api_keys;
DROP TABLE partners;
DROP TABLE settings;
