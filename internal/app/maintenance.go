package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
)

// ErrNotEmbedded refuses to back up PostgreSQL, which has its own tools.
var ErrNotEmbedded = errors.New("--database is PostgreSQL: use pg_dump and pg_restore, or its archive of the write-ahead log (docs/operating.md)")

// Backup copies the embedded database of the settings to a file, and may do so
// while a service runs on it.
func Backup(ctx context.Context, settings *config.Config, file string) (*store.Snapshot, error) {
	if settings.Postgres() {
		return nil, ErrNotEmbedded
	}
	return store.Backup(ctx, settings.Database(), file)
}

// Restore makes a backup the embedded database of the settings. One that is
// there already is moved aside by force, and otherwise left alone.
func Restore(ctx context.Context, settings *config.Config, file string, force bool) (*store.Snapshot, error) {
	if settings.Postgres() {
		return nil, ErrNotEmbedded
	}
	if err := os.MkdirAll(filepath.Dir(settings.Database()), 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	return store.Restore(ctx, file, settings.Database(), force)
}

// CheckCopy tells what is wrong with the two databases of a copy.
func CheckCopy(from, to string) error {
	for _, flag := range []struct{ name, url string }{{"--from", from}, {"--to", to}} {
		if !config.IsDatabase(flag.url) {
			return fmt.Errorf("%s must begin with sqlite: or postgres://", flag.name)
		}
	}
	if from == to {
		return errors.New("--from and --to are the same")
	}
	return nil
}

// Copy copies all data from one database to another, or goes on with a copy
// that was broken off. told is told how many rows of a table are done.
func Copy(ctx context.Context, from, to string, told func(table string, rows int64)) (copied []store.CopiedTable, err error) {
	if err := CheckCopy(from, to); err != nil {
		return nil, err
	}
	source, err := openAlone(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := openStore(ctx, &config.Config{DatabaseURL: to})
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return (&store.Copy{From: source, To: target, Told: told}).Run(ctx)
}

// openAlone opens a database that must be there. Of PostgreSQL nobody can tell
// who uses it.
func openAlone(ctx context.Context, url string) (*store.Store, error) {
	settings := &config.Config{DatabaseURL: url}
	if settings.Postgres() {
		return openStore(ctx, settings)
	}
	return store.OpenSQLiteAlone(ctx, settings.Database())
}
