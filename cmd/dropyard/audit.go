package main

import (
	"context"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

type auditCommand struct {
	Export exportAuditCommand `cmd:"" help:"Write the audit log to standard output as JSON Lines, oldest entry first."`
}

type exportAuditCommand struct {
	databaseFlags
	From string `help:"Only changes at this time or later (RFC 3339)." placeholder:"TIME"`
	To   string `help:"Only changes before this time (RFC 3339)." placeholder:"TIME"`
}

// Run writes the audit log. The service may be running.
func (c *exportAuditCommand) Run(ctx context.Context) error {
	from, err := timeFlag("--from", c.From)
	if err != nil {
		return err
	}
	to, err := timeFlag("--to", c.To)
	if err != nil {
		return err
	}
	return app.ExportAudit(ctx, c.settings(), app.System(), from, to, terminal.NewJSONWriter(os.Stdout))
}

var timeRule = form.Define("time_flag", "a time such as 2026-01-31T00:00:00-05:00")

// timeFlag parses a time; empty text is the zero time.
func timeFlag(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := timestamp.Parse(text)
	if !ok {
		return at, usageError{form.Fault(name, text, timeRule)}
	}
	return at, nil
}
