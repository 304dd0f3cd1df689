package main

import (
	"context"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

type auditCommand struct {
	Export exportAuditCommand `cmd:"" help:"Write the audit log to standard output as JSON Lines, the oldest entry first."`
}

type exportAuditCommand struct {
	where
	From string `help:"Only what happened at this time or later (RFC 3339)." placeholder:"TIME"`
	To   string `help:"Only what happened before this time (RFC 3339)." placeholder:"TIME"`
}

// Run exports; it may run beside the service.
func (c *exportAuditCommand) Run(ctx context.Context) error {
	from, err := timeFlag("--from", c.From)
	if err != nil {
		return err
	}
	to, err := timeFlag("--to", c.To)
	if err != nil {
		return err
	}
	return app.ExportAudit(ctx, c.settings(), app.System(), from, to, os.Stdout)
}

// timeFlag reads a time; the zero time if none was given.
func timeFlag(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := timestamp.Parse(text)
	if !ok {
		return at, usageError{form.Fault(name, text, "a time such as 2026-01-31T00:00:00-05:00")}
	}
	return at, nil
}
