-- +goose Up

-- PostgreSQL keeps statistics by itself. The version is that of the embedded database.
SELECT 1;
