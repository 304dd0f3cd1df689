-- +goose Up

-- How the people of a partner sign in through its OpenID Connect provider.
CREATE TABLE partner_openid (
    partner_id    TEXT   NOT NULL PRIMARY KEY,
    issuer        TEXT   NOT NULL,
    client_id     TEXT   NOT NULL,
    client_secret BYTEA  NOT NULL, -- sealed
    role_claim    TEXT   NOT NULL, -- empty if roles are set here
    role_values   TEXT   NOT NULL, -- JSON: the value of the claim that each role has
    default_role  TEXT   NOT NULL, -- of new people; empty if they must be invited
    stopped_at    BIGINT NOT NULL, -- when an operator turned it off; 0 if none did
    changed_at    BIGINT NOT NULL
);

-- The domains that partners have named. Several may name the same.
CREATE TABLE partner_domains (
    partner_id TEXT   NOT NULL,
    domain     TEXT   NOT NULL,
    token      TEXT   NOT NULL, -- which a TXT record of the domain must have
    added_at   BIGINT NOT NULL,
    checked_at BIGINT NOT NULL, -- when the record was last looked for; 0 for never
    problem    TEXT   NOT NULL, -- a code: why the domain was not proven then
    PRIMARY KEY (partner_id, domain)
);

-- The domains that a partner has proven to be its own. One partner has each.
CREATE TABLE proven_domains (
    domain     TEXT   NOT NULL PRIMARY KEY,
    partner_id TEXT   NOT NULL,
    proven_at  BIGINT NOT NULL
);

-- The users that people at a partner's provider are. A row outlives its user, so that a person
-- who was removed does not come back by signing in.
CREATE TABLE user_identities (
    partner_id TEXT   NOT NULL,
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, issuer, subject)
);

-- Whether the partner's provider vouched for the user, instead of a password.
ALTER TABLE sessions ADD COLUMN vouched BIGINT NOT NULL DEFAULT 0;
