-- +goose Up

-- What a partner's people keep to fill in forms: addresses, parcels, and what the columns of their files mean.
CREATE TABLE saved_entries (
    partner_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL, -- sender, recipient, parcel or layout
    entry_id   TEXT   NOT NULL, -- from what the entry is known by, such as a name and a postal code
    name       TEXT   NOT NULL,
    email      TEXT   NOT NULL, -- in lower case; by which the entries of a recipient are erased
    document   TEXT   NOT NULL, -- JSON: the fields of a form
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, kind, entry_id)
);

-- Files of orders that are being imported on a page. They are removed after a day.
CREATE TABLE import_drafts (
    partner_id TEXT   NOT NULL,
    draft_id   TEXT   NOT NULL,
    file       BYTEA  NOT NULL, -- as it was sent
    document   TEXT   NOT NULL, -- JSON: what the columns mean, defaults, corrections, and what was created
    created_at BIGINT NOT NULL,
    PRIMARY KEY (partner_id, draft_id)
);
