-- +goose Up

-- What the planner knows of tables whose primary key begins with the partner: how many rows they have, and how many of
-- them have the same values in the first column of an index, the first two, and so on. Without it SQLite takes ten rows
-- for the same partner, however many there are, and reads all of a partner's rows instead of finding one by an index.
-- The figures are those of a busy service. They never change, so that plans do not either (docs/decisions/0050-statistics-that-stay.md).
ANALYZE sqlite_schema; -- makes the table

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('events', 'events', '1000000 50000 3 1'),
    ('events', 'events_by_id', '1000000 50000 1'),
    ('events', 'events_due', '1000 50 2'),
    ('events', 'events_undelivered', '10000 500 250 1'),
    ('further_deliveries', 'further_deliveries', '1000000 50000 6 2 1'),
    ('further_deliveries', 'further_deliveries_by_id', '1000000 50000 25000 1'),
    ('further_deliveries', 'further_deliveries_due', '1000 50 25 2'),
    ('further_deliveries', 'further_deliveries_undelivered', '10000 500 250 125 1'),
    ('stock_movements', 'stock_movements', '1000000 50000 1'),
    ('stock_movements', 'stock_movements_of_product', '1000000 50000 500 1'),
    ('journal', 'journal', '1000000 50000 200 1'),
    ('journal', 'journal_of_orders', '1000000 50000 3'),
    ('journal', 'journal_by_day', '1000000 4000 1'),
    ('journal', 'journal_by_entry', '1000000 50000 1 1 1'),
    ('journal', 'journal_unconfirmed', '100 2 1'),
    ('journal_lines', 'journal_lines', '4000000 200000 800 4 1 1 1'),
    ('journal_lines', 'journal_lines_of_couriers', '100000 2000'),
    ('journal_lines', 'journal_lines_of_cash', '100000 2000 2000 100 10 1 1'),
    ('journal_lines', 'journal_lines_of_desk', '10000 500 500 2'),
    ('journal_lines', 'journal_lines_of_differences', '1000 3');

ANALYZE sqlite_schema; -- loads it
