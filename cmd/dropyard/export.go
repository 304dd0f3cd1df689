package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type exportCommand struct {
	Nightly nightlyCommand     `cmd:"" help:"Write the files of all days that have ended and were not exported, as serve does each night."`
	List    listExportsCommand `cmd:"" help:"List the days that a service has exported, latest first."`
	Begin   beginExportCommand `cmd:"" help:"Let a service export the missing days immediately, without waiting for the night or the next attempt."`
}

type listExportsCommand struct {
	listFlags
	operatorFlags
}

// Run prints the days whose export has begun.
func (c *listExportsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var q client.ExportsQuery
	return list(&c.listFlags, "days", largestPage, []column[client.ExportDay]{
		text("DAY", func(d client.ExportDay) string { return d.Day }),
		text("STATE", func(d client.ExportDay) string { return string(d.State) }),
		figure("FILES", func(d client.ExportDay) string { return strconv.Itoa(len(d.Files)) }),
		figure("BYTES", func(d client.ExportDay) string { return strconv.FormatInt(d.Bytes, 10) }),
		text("MANIFEST", func(d client.ExportDay) string { return d.ManifestSHA256 }),
	}, func(size int, option client.CallOption) ([]client.ExportDay, bool, error) {
		q.Limit = size
		found, err := operator.ListExports(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		switch next := found.Exports; {
		case next == nil:
			c.none = "There are none. This service exports nothing: start it with --export-to."
		case next.Error == "":
			c.none = "There are none yet. The first is " + next.NextDay + ", at " + exactly(next.NextAt) + "."
		default:
			c.none = "There are none yet. The latest attempt failed: " + next.Error
		}
		return found.Days, q.Cursor != "", nil
	})
}

type beginExportCommand struct {
	outputFlags
	operatorFlags
}

// Run has the service export the days that have ended.
func (c *beginExportCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	begun, err := operator.BeginExport(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	var fields []terminal.Field
	if e := begun.Exports; e != nil {
		fields = []terminal.Field{field("next day", e.NextDay), field("days behind", strconv.Itoa(e.DaysBehind))}
		if e.Error != "" {
			fields = append(fields, field("latest attempt", e.Error))
		}
	}
	return c.output().record(&answer, fields)
}

type nightlyCommand struct {
	databaseFlags
	ExportTo       string   `help:"Where the files are, as for serve." env:"DROPYARD_EXPORT_TO" placeholder:"DIR|URL"`
	ExportFormats  []string `help:"Formats of the files, as for serve." env:"DROPYARD_EXPORT_FORMATS" placeholder:"FORMAT"`
	ExportFrom     string   `help:"First day to export, if none was exported yet, as for serve." env:"DROPYARD_EXPORT_FROM" placeholder:"DATE"`
	ExportPersonal bool     `help:"Also write names, addresses and texts, as for serve." env:"DROPYARD_EXPORT_PERSONAL"`
	TimeZone       string   `help:"Time zone of the days, as for serve." default:"America/Toronto" env:"DROPYARD_TIME_ZONE" placeholder:"ZONE"`
	Day            string   `help:"Last day to export (example: 2026-11-26). Default: yesterday." placeholder:"DATE"`
	Verify         bool     `help:"Export nothing: compare all files with their manifests, and each manifest with the next one."`
}

var dayRule = form.Define("day_flag", "a date such as 2026-11-26")

// Run exports days, or verifies what was exported. The service may be running.
func (c *nightlyCommand) Run(ctx context.Context) error {
	settings := c.settings()
	settings.ExportTo, settings.ExportFormats, settings.ExportFrom = c.ExportTo, c.ExportFormats, c.ExportFrom
	settings.ExportPersonal, settings.TimeZone = c.ExportPersonal, c.TimeZone
	if c.Verify {
		return verifyExports(app.VerifyExports(ctx, settings, app.System()))
	}
	var until date.Day
	if c.Day != "" {
		var ok bool
		if until, ok = date.Parse(c.Day); !ok {
			return usageError{form.Fault("--day", c.Day, dayRule)}
		}
	}
	done, err := app.ExportDays(ctx, settings, app.System(), until)
	if err != nil {
		return err
	}
	if done.Last == nil {
		return printf("days exported: %d\n", done.Days)
	}
	return printf("days exported: %d; the latest is %s\n", done.Days, done.Last.Day)
}

// verifyExports prints what was found, and fails if anything is wrong.
func verifyExports(found app.CheckedExports, err error) error {
	if err != nil {
		return err
	}
	for _, fault := range found.Faults {
		if err := printf("%v\n", fault); err != nil {
			return err
		}
	}
	if err := printf("days: %d, files: %d, bytes: %d\n", found.Days, found.Files, found.Bytes); err != nil {
		return err
	}
	if len(found.Faults) > 0 {
		return fmt.Errorf("%d days are not as their manifests say", len(found.Faults))
	}
	return nil
}
