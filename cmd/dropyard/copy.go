package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/app"
)

type copyCommand struct {
	From string `help:"The database to copy: sqlite:FILE or postgres://…; no service may use it." env:"DROPYARD_COPY_FROM" required:"" placeholder:"URL"`
	To   string `help:"The empty database to copy to, or that of a copy that was broken off." env:"DROPYARD_COPY_TO" required:"" placeholder:"URL"`
}

// Run copies everything and compares both sides.
func (c *copyCommand) Run(ctx context.Context) error {
	if err := app.CheckCopy(c.From, c.To); err != nil {
		return usageError{err}
	}
	copied, err := app.Copy(ctx, c.From, c.To, reporter(5*time.Second))
	for _, t := range copied {
		fmt.Printf("%-20s %10d rows  checksum ok  %s\n", t.Table, t.Rows, t.Checksum[:16])
	}
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("the copy was broken off; the same command goes on where it was")
	case err != nil:
		return err
	}
	_, err = fmt.Println("The copy is complete. The master key is not part of it: start the service with the same one.")
	return err
}

// reporter tells on standard error how far the copy is, now and then.
func reporter(interval time.Duration) func(table string, rows int64) {
	last := time.Now()
	return func(table string, rows int64) {
		if time.Since(last) >= interval {
			last = time.Now()
			fmt.Fprintf(os.Stderr, "%s: %d rows\n", table, rows)
		}
	}
}
