package main

import (
	"context"

	"github.com/dropyard/dropyard/internal/app"
)

type restoreCommand struct {
	databaseAndKeyFlags
	File  string `arg:"" help:"The backup to restore."`
	Force bool   `help:"Rename a database that exists already, instead of failing."`
}

// Run restores the backup. The service must be stopped.
func (c *restoreCommand) Run(ctx context.Context) error {
	settings := c.settings()
	ctx, done := withBar(ctx)
	restored, err := app.Restore(ctx, settings, c.File, c.Force)
	done()
	if err != nil {
		return err
	}
	if restored.Aside != "" {
		tell("the previous database is now %s", restored.Aside)
	}
	if !restored.Checked {
		tell("%s.sha256 is missing: the database was checked, but not compared with the backup's checksum", c.File)
	}
	err = printf("%s: %d rows in %d tables, verified\nThe master key is not part of a backup: %s must be the key that the service had.\n",
		settings.Database(), restored.Rows, restored.Tables, settings.MasterKey())
	return err
}
