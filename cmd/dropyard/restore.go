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
	tellSince(restored.Since.Unknown, restored.Since.Ended, restored.Since.Changed)
	err = printf("%s: %d rows in %d tables, verified\nThe master key is not part of a backup: %s must be the key that the service had.\n"+
		"The next start signs all people out, and holds webhooks and mails until dropyard serve --resume.\n",
		settings.Database(), restored.Rows, restored.Tables, settings.MasterKey())
	return err
}

// tellSince prints what was taken away or changed between the backup and the database that
// it has replaced.
func tellSince(unknown string, ended, changed []string) {
	if unknown != "" {
		tell(
			"what was revoked since the backup is not known, and is valid again: %s; look through API keys, tokens and people",
			unknown,
		)
	}
	for _, what := range ended {
		tell("ended since the backup, and ended again: %s", what)
	}
	for _, what := range changed {
		tell("changed since the backup, and now as in the backup: %s", what)
	}
}
