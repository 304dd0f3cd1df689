package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
)

// Migrate brings the schema of the database up to date, as every start does, and
// returns its version.
func Migrate(ctx context.Context, settings *config.Config) (version int64, err error) {
	if !settings.Postgres() {
		if err := makeData(filepath.Dir(settings.Database())); err != nil {
			return 0, err
		}
	}
	db, err := openStore(ctx, settings)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.SchemaVersion(ctx)
}

// CheckDistribute returns an error if the settings do not allow Distribute. It opens
// no connection.
func CheckDistribute(settings *config.Config, shards int) error {
	if !settings.Postgres() {
		return errors.New(
			"--distribute: --database must be the URL of a Citus coordinator, postgres://USER:PASSWORD@HOST:PORT/NAME",
		)
	}
	if shards < 1 || shards > maxShards {
		return fmt.Errorf("--shards: %d is not between 1 and %d", shards, maxShards)
	}
	return nil
}

// maxShards is far more than a cluster has nodes. More shards only make planning
// slower.
const maxShards = 4096

// Distribute spreads the tables of the database over its Citus cluster: those that
// grow with partners are split by partner, the others are copied to every node.
// The schema must be up to date.
func Distribute(ctx context.Context, settings *config.Config, shards int) (*db.Distribution, error) {
	if err := checkURL(settings); err != nil {
		return nil, err
	}
	return db.Distribute(ctx, settings.DatabaseURL, shards)
}
