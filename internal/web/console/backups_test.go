package console_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const backupNow = "/console/system/backup"

// backupsIn has a service keep its backups in a folder.
func backupsIn(where, at string, keep int) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Backups, c.BackupAt, c.BackupKeep = where, at, keep }
}

// filesIn lists the backups in a folder, without their checksums.
func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if _, err := os.Stat(path + ".sha256"); err != nil {
			t.Errorf("%s: got no checksum beside it: %v", path, err)
		}
		names = append(names, filepath.Base(path))
	}
	return names
}

// showsSoon opens the system page until it has a text.
func showsSoon(t *testing.T, v *apptest.Visitor, text string) *apptest.Answer {
	t.Helper()
	waits, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	defer cancel()
	for {
		got := v.Open(t, systemPage).Must(t, http.StatusOK)
		if strings.Contains(string(got.Body), text) {
			return got
		}
		if waits.Err() != nil {
			t.Fatalf("got no %q:\n%s", text, got.Body)
		}
	}
}

// TestBackUpNow makes a backup by the button, which can be restored, and shows its result; then the folder turns into
// a file, and the page says why the next one fails.
func TestBackUpNow(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "backups")
	clock := testkit.NewClock(testkit.Epoch)
	s := apptest.Start(t, apptest.OnClock(clock), backupsIn(folder, "off", 2))
	if s.Database != "" {
		t.Skip("the service backs up the embedded database only")
	}
	v := s.Operate(t).Visit(t)
	page := v.Open(t, systemPage)
	page.Shows(t, http.StatusOK, folder, "Only when you ask for one", "None yet", "0 of at most 2")
	v.Send(t, page, backupNow).Leads(t, systemPage)
	made := showsSoon(t, v, "1 of at most 2")
	made.Shows(t, http.StatusOK, "dropyard-2026-01-14T15-00-00Z.db", "Back up now")
	names := filesIn(t, folder)
	if len(names) != 1 {
		t.Fatalf("got %q, want one backup", names)
	}
	target := filepath.Join(t.TempDir(), "restored.db")
	restored, err := store.Backups.Restore(t.Context(), filepath.Join(folder, names[0]), target, false, clock.Now())
	if err != nil || !restored.Checked || restored.Rows == 0 {
		t.Errorf("got %+v, %v, want a backup that is verified and holds rows", restored, err)
	}
	for range 2 {
		clock.Advance(time.Minute)
		v.Send(t, v.Open(t, systemPage), backupNow).Leads(t, systemPage)
		showsSoon(t, v, clock.Now().UTC().Format("dropyard-2006-01-02T15-04-05Z.db"))
	}
	if names := filesIn(t, folder); len(names) != 2 || names[0] != "dropyard-2026-01-14T15-01-00Z.db" {
		t.Errorf("got %q, want the latest two", names)
	}
	clock.Advance(time.Minute)
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	v.Send(t, v.Open(t, systemPage), backupNow).Leads(t, systemPage)
	failed := showsSoon(t, v, "not a directory")
	failed.Shows(t, http.StatusOK, "failed", "2 of at most 2")
	if names := filesIn(t, folder+".away"); len(names) != 2 {
		t.Errorf("got %q after a failure, want the two of before", names)
	}
	v.Open(t, systemPage+"?lang=fr").Shows(t, http.StatusOK, "Sauvegarder maintenant", "échouée", "2 sur au plus 2")
}

// TestBackupSchedule makes a backup each day at a time of Montréal, and one that was missed at the next start.
func TestBackupSchedule(t *testing.T) {
	t.Parallel()
	folder, data := filepath.Join(t.TempDir(), "backups"), t.TempDir()
	clock := testkit.NewClock(testkit.Epoch) // 10:00 in Montréal
	options := []apptest.Option{apptest.OnClock(clock), apptest.DataIn(data), backupsIn(folder, "03:00", 7)}
	s := apptest.Start(t, options...)
	if s.Database != "" {
		t.Skip("the service backs up the embedded database only")
	}
	v := s.Operate(t).Visit(t)
	v.Open(t, systemPage).Shows(t, http.StatusOK, "Every day at 3:00 AM, Eastern Time.", "0 of at most 7")
	clock.Advance(17 * time.Hour)
	showsSoon(t, s.Operate(t).Visit(t), "1 of at most 7")
	s.Stop()
	clock.Advance(30 * time.Hour)
	again := apptest.Start(t, options...)
	showsSoon(t, again.Operate(t).Visit(t), "2 of at most 7")
	if names := filesIn(t, folder); len(names) != 2 || names[0] != "dropyard-2026-01-15T08-00-00Z.db" {
		t.Errorf("got %q, want that of 3:00, and that of the start", names)
	}
}
