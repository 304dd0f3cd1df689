package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// TestBackupByOperators begins a backup by the interface, and reads its result in the installation. After a restart
// the service still knows it.
func TestBackupByOperators(t *testing.T) {
	t.Parallel()
	data, folder := t.TempDir(), filepath.Join(t.TempDir(), "backups")
	options := []apptest.Option{apptest.DataIn(data), apptest.Embedded(), func(c *config.Config, _ *app.Surroundings) {
		c.Backups, c.BackupAt = folder, "03:00"
	}}
	s := apptest.Start(t, options...)
	o := s.Operate(t)
	before := o.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
	if before.Text("backups", "kept_in") != "directory" || before.JSON("backups", "last") != nil ||
		before.Len("backups", "kept") != 0 || before.Text("backups", "next_at") != "2026-01-15T08:00:00.000Z" {
		t.Errorf("got %v before the first, want a directory without backups", before.JSON("backups"))
	}
	o.Call(t, "POST", "/ops/v1/system/backup", nil).Must(t, 202)
	made := before
	apptest.Await(t, "the backup", func() bool {
		made = o.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
		return made.Len("backups", "kept") > 0
	})
	name := "dropyard-" + s.Clock.Now().UTC().Format("2006-01-02T15-04-05Z") + ".db"
	if made.Text("backups", "kept", 0, "name") != name || made.Text("backups", "last", "name") != name ||
		made.JSON("backups", "last", "error") != nil || made.JSON("backups", "running_since") != nil ||
		made.Text("last_backup_at") != made.Text("backups", "last", "begun_at") {
		t.Errorf("got %s, want the backup %s", made.Body, name)
	}
	s.Stop()
	s.Clock.Advance(time.Second)
	again := apptest.Start(t, options...).Operate(t).Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
	if again.Text("backups", "kept", 0, "name") != name {
		t.Errorf("got %v after a restart, want the backup %s", again.JSON("backups"), name)
	}
}
