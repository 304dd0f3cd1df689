package contract_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// exportingFrom has a service export days late in the evening, from one on.
func exportingFrom(folder, first string) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) {
		c.ExportTo, c.ExportFrom, c.ExportAt = folder, first, "23:59"
	}
}

// driveExport begins the export of the day that has ended. The list has it a little later.
func driveExport(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy, exportingFrom(t.TempDir(), "2026-01-13"))
	begun := f.send(t, call{operation: o.id}).Must(t, 202)
	apptest.Await(t, "the export", func() bool {
		list := f.send(t, call{operation: "listExports"}).Must(t, 200)
		return list.Len("days") == 1 && list.Text("days", 0, "state") == "done"
	})
	f.send(t, call{operation: o.id}).Must(t, 409) // all days were exported
	return begun
}

// driveNoExport asks for an export of a service that exports nothing, and of one that is a copy.
func driveNoExport(t *testing.T, o *operation) *apptest.Answer {
	newFixture(t, roomy).send(t, call{operation: o.id}).Must(t, 409)
	f := newFixture(t, roomy, exportingFrom(t.TempDir(), "2026-01-13"),
		func(c *config.Config, _ *app.Surroundings) { c.Hold = true })
	return f.send(t, call{operation: o.id})
}
