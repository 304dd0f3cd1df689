-- +goose Up

-- The addresses of warehouses and hubs, to which return orders go. A code that stock or transfers name
-- may have none.
CREATE TABLE locations (
    code        TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    phone       TEXT   NOT NULL,
    email       TEXT   NOT NULL,
    line1       TEXT   NOT NULL,
    line2       TEXT   NOT NULL,
    city        TEXT   NOT NULL,
    province    TEXT   NOT NULL,
    postal_code TEXT   NOT NULL,
    country     TEXT   NOT NULL,
    notes       TEXT   NOT NULL,
    updated_at  BIGINT NOT NULL
);
