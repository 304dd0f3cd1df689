-- +goose Up

-- What operators have changed. Rows are only ever added.
CREATE TABLE audit (
    partner_id  TEXT   NOT NULL, -- whose thing was changed; '' for nobody's
    audit_id    TEXT   NOT NULL, -- sorts by time
    at          BIGINT NOT NULL,
    operator_id TEXT   NOT NULL,
    request_id  TEXT   NOT NULL,
    action      TEXT   NOT NULL,
    object_id   TEXT   NOT NULL,
    before      TEXT   NOT NULL, -- JSON
    after       TEXT   NOT NULL, -- JSON
    PRIMARY KEY (partner_id, audit_id)
) WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (audit_id);
CREATE INDEX audit_of_object ON audit (object_id, audit_id);

-- +goose Down
DROP TABLE audit;
