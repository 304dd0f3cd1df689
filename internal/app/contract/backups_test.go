package contract_test

import (
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// driveBackup begins a backup of the embedded database; of another one the service makes none.
func driveBackup(t *testing.T, o *operation) *apptest.Answer {
	folder := filepath.Join(t.TempDir(), "backups")
	f := newFixture(t, roomy, apptest.Embedded(), func(c *config.Config, _ *app.Surroundings) { c.Backups = folder })
	return f.send(t, call{operation: o.id})
}

// driveNoBackups asks a service for a backup that does not know where to keep it.
func driveNoBackups(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id})
}
