package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/db/backup"
	"github.com/dropyard/dropyard/internal/store"
)

// ErrNotEmbedded means that the command works on the embedded database only.
// PostgreSQL has tools of its own.
var ErrNotEmbedded = errors.New("--database: this command is for the embedded database; for PostgreSQL use pg_dump and pg_restore, or archive its write-ahead log (docs/backup.md)")

// Backup copies the embedded database to a file. A service may be running on it.
func Backup(ctx context.Context, settings *config.Config, file string) (*backup.Contents, error) {
	if settings.Postgres() {
		return nil, ErrNotEmbedded
	}
	if err := databaseExists(settings); err != nil {
		return nil, fmt.Errorf("back up: %w", err)
	}
	written, err := store.Backups.Write(ctx, settings.Database(), file)
	if err != nil {
		return nil, err
	}
	return written, markBackup(settings, time.Now())
}

// Restore puts a backup in the place of the embedded database. If there is a
// database already, Restore fails, or with force renames it.
func Restore(ctx context.Context, settings *config.Config, file string, force bool) (*backup.Restored, error) {
	if settings.Postgres() {
		return nil, ErrNotEmbedded
	}
	if _, err := os.Stat(file); err != nil { // before a data directory is made for it
		return nil, err
	}
	if err := makeData(filepath.Dir(settings.Database())); err != nil {
		return nil, err
	}
	return store.Backups.Restore(ctx, file, settings.Database(), force, time.Now())
}

// CheckCopy returns an error if the settings do not name two databases. It opens
// neither.
func CheckCopy(from, to *config.Config) error {
	for _, flag := range []struct {
		name     string
		settings *config.Config
	}{{"--from", from}, {"--to", to}} {
		if !config.IsDatabase(flag.settings.DatabaseURL) {
			return fmt.Errorf("%s: the URL must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME", flag.name)
		}
		if err := checkURL(flag.settings); err != nil {
			return fmt.Errorf("%s: %w", flag.name, err)
		}
	}
	if from.DatabaseURL == to.DatabaseURL {
		return errors.New("--from and --to must be different databases")
	}
	return nil
}

// Copy copies all data from one database to another, or continues a copy that was
// interrupted. A batch is the number of rows in a transaction; 0 for a good default.
func Copy(ctx context.Context, from, to *config.Config, batch int) (copied []db.CopiedTable, err error) {
	if err := CheckCopy(from, to); err != nil {
		return nil, err
	}
	source, err := openAlone(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := openStore(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return (&db.Copy{From: source.Database, To: target.Database, Batch: batch}).Run(ctx)
}

// openAlone opens a database that must exist and, if it is embedded, must not be
// open anywhere else. Of PostgreSQL that cannot be checked; it may be one that no service
// starts on, because a copy is the way out of it.
func openAlone(ctx context.Context, settings *config.Config) (*store.Store, error) {
	if settings.Postgres() {
		if err := db.CheckSource(ctx, settings.DatabaseURL); err != nil {
			return nil, err
		}
		return store.OpenPostgres(ctx, settings.DatabaseURL)
	}
	if err := store.Backups.CheckUnused(ctx, settings.Database()); err != nil {
		return nil, err
	}
	return openStore(ctx, settings)
}
