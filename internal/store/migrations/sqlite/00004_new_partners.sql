-- +goose Up

-- Since when an account counts as new, which limits what it may store; 0 once an operator has
-- vouched for it. Accounts of earlier releases count as established.
ALTER TABLE partner_settings ADD COLUMN new_since BIGINT NOT NULL DEFAULT 0;
