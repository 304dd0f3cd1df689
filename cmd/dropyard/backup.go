package main

import (
	"context"

	"github.com/dropyard/dropyard/internal/app"
)

type backupCommand struct {
	databaseAndKeyFlags
	File string `arg:"" help:"File to write; it must not exist."`
}

// Run writes the backup. The service may be running.
func (c *backupCommand) Run(ctx context.Context) error {
	settings := c.settings()
	ctx, done := withBar(ctx)
	written, err := app.Backup(ctx, settings, c.File)
	done()
	if err != nil {
		return err
	}
	err = printf("%s: %d rows in %d tables, %d bytes, verified\nThe master key is not part of it. Keep a copy of %s in another place: without it the backup is of no use.\n",
		c.File, written.Rows, written.Tables, written.Bytes, settings.MasterKey())
	return err
}
