package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

type exportCommand struct {
	Nightly nightlyCommand `cmd:"" help:"Write the files of all days that have ended and were not exported, as serve does each night."`
}

type nightlyCommand struct {
	databaseFlags
	ExportTo       string   `help:"Where the files are, as for serve." env:"DROPYARD_EXPORT_TO" placeholder:"DIR|URL"`
	ExportFormats  []string `help:"Formats of the files, as for serve." env:"DROPYARD_EXPORT_FORMATS" placeholder:"FORMAT"`
	ExportFrom     string   `help:"First day, until one was exported, as for serve." env:"DROPYARD_EXPORT_FROM" placeholder:"DATE"`
	ExportPersonal bool     `help:"Write names, addresses and texts, too, as for serve." env:"DROPYARD_EXPORT_PERSONAL"`
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
