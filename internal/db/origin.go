package db

import (
	"context"
	"errors"
)

// NoteSetting is the setting in which a database that was put back, or copied, says so.
// Package backup and Copy write the note; the next start of a service removes it, and does
// what it asks for.
const NoteSetting = "came_by"

// The notes.
const (
	NoteRestored = "restored" // from a backup
	NoteCopied   = "copied"   // whole, from a database in use until then
)

// Place identifies the database of a server: by the system identifier of its cluster, unless
// that may not be read, and the number of the database in it. It is empty for an
// embedded one. A standby that is promoted keeps it; what pg_restore fills has another.
func (d *Database) Place(ctx context.Context) (place string, err error) {
	if !d.Shared() {
		return "", nil
	}
	err = d.engine.read(ctx, func(c Conn) error {
		var allowed bool
		const may = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
		if err := c.Query(ctx, may, nil, func(r Row) error { return r.Scan(&allowed) }); err != nil {
			return err
		}
		system := "''"
		if allowed {
			system = "(SELECT system_identifier FROM pg_control_system())::text"
		}
		found := false
		sql := "SELECT " + system + " || '/' || oid::text FROM pg_catalog.pg_database WHERE datname = current_database()"
		err := c.Query(ctx, sql, nil, func(r Row) error {
			found = true
			return r.Scan(&place)
		})
		if err == nil && !found {
			err = errors.New("the database has no row in pg_database")
		}
		return err
	})
	return place, err
}
