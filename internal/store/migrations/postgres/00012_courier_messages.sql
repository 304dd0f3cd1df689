-- +goose Up

-- What the desk has written to couriers. Messages are removed 30 days after they were sent.
CREATE TABLE courier_messages (
    courier_id  TEXT   NOT NULL,
    message_id  TEXT   NOT NULL, -- sorts by time
    operator_id TEXT   NOT NULL, -- who sent it
    at          BIGINT NOT NULL,
    message     TEXT   NOT NULL,
    read_at     BIGINT NOT NULL, -- when the courier confirmed it; 0 until then
    PRIMARY KEY (courier_id, message_id)
);
