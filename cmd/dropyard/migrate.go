package main

import (
	"context"
	"strings"

	"github.com/dropyard/dropyard/internal/app"
)

type migrateCommand struct {
	databaseFlags
	Distribute string `help:"Kind of cluster to spread the tables over afterwards: citus." enum:",citus" default:"" placeholder:"citus"`
	Shards     int    `help:"Number of parts that --distribute splits the tables into, the first time." default:"32" env:"DROPYARD_SHARDS" placeholder:"N"`
}

// Run migrates the schema. Services of the release before may be running, unless
// the tables are distributed for the first time.
func (c *migrateCommand) Run(ctx context.Context) error {
	settings := c.settings()
	if c.Distribute != "" {
		if err := app.CheckDistribute(settings, c.Shards); err != nil {
			return usageError{err}
		}
	}
	ctx, done := withBar(ctx)
	version, err := app.Migrate(ctx, settings)
	done()
	if err != nil {
		return err
	}
	tell("schema version %d", version)
	if c.Distribute == "" {
		return nil
	}
	found, err := app.Distribute(ctx, settings, c.Shards)
	if err != nil {
		return err
	}
	if len(found.Distributed)+len(found.Everywhere) == 0 {
		tell("all tables are distributed already")
	}
	for _, placed := range []struct {
		how    string
		tables []string
	}{{"distributed by partner", found.Distributed}, {"on every node", found.Everywhere}} {
		if len(placed.tables) > 0 {
			tell("%s: %s", placed.how, strings.Join(placed.tables, ", "))
		}
	}
	err = printf("shards: %d, on %d nodes\n", found.Shards, found.Nodes)
	return err
}
