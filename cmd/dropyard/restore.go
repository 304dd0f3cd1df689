package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/app"
)

type restoreCommand struct {
	dataFlags
	File  string `arg:"" help:"A backup."`
	Force bool   `help:"Move a database that is there already aside."`
}

// Run restores the backup; the service must be stopped.
func (c *restoreCommand) Run(ctx context.Context) error {
	settings := c.settings()
	made, err := app.Restore(ctx, settings, c.File, c.Force)
	if err != nil {
		return err
	}
	if made.Aside != "" {
		fmt.Printf("what was there is now %s\n", made.Aside)
	}
	if !made.Summed {
		fmt.Printf("%s.sha256 is missing: only the form of the data was checked\n", c.File)
	}
	_, err = fmt.Printf("%s: %d rows in %d tables, verified\nThe master key is not part of a backup: %s must be the one that the service had.\n",
		settings.Database(), made.Rows, made.Tables, settings.MasterKey())
	return err
}
