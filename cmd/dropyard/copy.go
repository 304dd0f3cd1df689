package main

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/app"
)

type copyCommand struct {
	From string `help:"Database to copy: sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME. No service may be using it." env:"DROPYARD_COPY_FROM" required:"" placeholder:"URL"`
	To   string `help:"Database to copy to. It must be empty, or hold an interrupted copy of the same database." env:"DROPYARD_COPY_TO" required:"" placeholder:"URL"`

	databaseRiskFlags
}

// copyBatch is the number of rows in a transaction of a copy; 0 for the store's own. Tests
// make it small.
var copyBatch int

// Run copies all data and compares the two databases.
func (c *copyCommand) Run(ctx context.Context) error {
	from, to := c.settings(c.From), c.settings(c.To)
	if err := app.CheckCopy(from, to); err != nil {
		return usageError{err}
	}
	ctx, done := withBar(ctx)
	copied, err := app.Copy(ctx, from, to, copyBatch)
	done()
	for _, t := range copied {
		tell("%-20s %10d rows  checksum ok  %s", t.Table, t.Rows, t.Checksum[:16])
	}
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the copy was interrupted; run the same command again to continue it")
	case err != nil:
		return err
	}
	err = printf("The copy is complete. The master key is not part of it: start the service with the same one.\n")
	return err
}
