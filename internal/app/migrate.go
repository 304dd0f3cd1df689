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

// Migrate brings the schema of the settings' database up to date, as every
// start does, and tells its version.
func Migrate(ctx context.Context, settings *config.Config) (version int64, err error) {
	if !settings.Postgres() {
		if err := os.MkdirAll(filepath.Dir(settings.Database()), 0o700); err != nil {
			return 0, fmt.Errorf("make the data directory: %w", err)
		}
	}
	db, err := openStore(ctx, settings)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.SchemaVersion(ctx)
}

// CheckDistribute tells why a database can't be distributed, as far as its URL
// tells.
func CheckDistribute(settings *config.Config, shards int) error {
	if !settings.Postgres() {
		return errors.New("--distribute needs --database postgres://…, a Citus cluster's coordinator")
	}
	if shards < 1 || shards > maxShards {
		return errors.New("--shards must be from 1 to 4096")
	}
	return nil
}

// maxShards is far beyond what one cluster has nodes for; more cost planning.
const maxShards = 4096

// Distribute spreads the tables of the settings' database, which must be up to
// date, over its Citus cluster: what grows by partner, the rest on every node.
func Distribute(ctx context.Context, settings *config.Config, shards int) (*store.Distribution, error) {
	return store.Distribute(ctx, settings.DatabaseURL, shards)
}
