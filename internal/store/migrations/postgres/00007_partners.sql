-- +goose Up

-- Operators can be deactivated, and those who carry orders are linked to their
-- courier.
ALTER TABLE operators ADD COLUMN active BIGINT NOT NULL DEFAULT 1; -- 1 or 0
ALTER TABLE operators ADD COLUMN courier_id TEXT NOT NULL DEFAULT '';

CREATE TABLE operator_sessions (
    token_hash   BYTEA  NOT NULL PRIMARY KEY,
    operator_id  TEXT   NOT NULL REFERENCES operators,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);

-- What operators have set for a partner. A partner without a row has the
-- defaults.
CREATE TABLE partner_settings (
    partner_id       TEXT   NOT NULL PRIMARY KEY,
    suspended_at     BIGINT NOT NULL,
    suspended_reason TEXT   NOT NULL,
    rate_limit       BIGINT NOT NULL, -- requests a minute; -1 for the default
    rate_card        TEXT   NOT NULL  -- the name of a series of cards
);

-- Rate cards that were uploaded. Rows are only ever added.
CREATE TABLE rate_cards (
    card_id        TEXT   NOT NULL PRIMARY KEY,
    name           TEXT   NOT NULL, -- of the series; 'default' is everybody's
    version        TEXT   NOT NULL UNIQUE,
    effective_from BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    operator_id    TEXT   NOT NULL,
    document       TEXT   NOT NULL  -- JSON, as it was uploaded
);

-- +goose Down
DROP TABLE rate_cards;
DROP TABLE partner_settings;
DROP TABLE operator_sessions;
ALTER TABLE operators DROP COLUMN courier_id;
ALTER TABLE operators DROP COLUMN active;
