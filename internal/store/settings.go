package store

import "context"

// Setting reads a value that belongs to the whole installation; empty if it
// was never set.
func (tx *Tx) Setting(ctx context.Context, name string) (value string, err error) {
	err = tx.conn.query(ctx, "SELECT value FROM settings WHERE name = $1", []any{name}, func(r row) error {
		return r.scan(&value)
	})
	return value, err
}

// SetSetting keeps a value for the whole installation.
func (tx *Tx) SetSetting(ctx context.Context, name, value string) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

// AddSetting keeps a value for the whole installation unless one is kept: of
// several nodes at once the first one's stays.
func (tx *Tx) AddSetting(ctx context.Context, name, value string) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", name, value)
	return err
}
