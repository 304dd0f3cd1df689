package store

import "context"

// SchemaVersion is the number of the last migration that this database has had.
func (s *Store) SchemaVersion(ctx context.Context) (version int64, err error) {
	err = s.engine.read(ctx, func(c conn) error {
		return c.query(ctx, "SELECT max(version_id) FROM goose_db_version", nil, func(r row) error { return r.scan(&version) })
	})
	return version, err
}
