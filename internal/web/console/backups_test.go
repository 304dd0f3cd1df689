package console_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
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
	var got *apptest.Answer
	apptest.Await(t, text, func() bool {
		got = v.Open(t, systemPage).Must(t, http.StatusOK)
		return strings.Contains(string(got.Body), text)
	})
	return got
}

// TestBackUpNow makes a backup by the button, which can be restored, and shows its result; then the folder turns into
// a file, and the page says why the next one fails.
func TestBackUpNow(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "backups")
	clock := testkit.NewClock(testkit.Epoch)
	s := apptest.Start(t, apptest.OnClock(clock), apptest.Embedded(), backupsIn(folder, "off", 2))
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

// night is the first time of the schedule at 03:00 after the epoch of tests, which is 10:00 in Montréal.
var night = testkit.Epoch.Add(17 * time.Hour)

// advanceToNight moves the clock to the first backup of the schedule, once the service waits for it.
func advanceToNight(t *testing.T, clock *testkit.Clock) {
	t.Helper()
	apptest.Await(t, "the schedule", func() bool { return clock.Waiting(night) > 0 })
	clock.Advance(night.Sub(clock.Now()))
}

// TestBackupScheduleInZone makes backups at a time of the service's zone.
func TestBackupScheduleInZone(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(testkit.Epoch)
	s := apptest.Start(t, apptest.OnClock(clock), apptest.DataIn(t.TempDir()), apptest.Embedded(),
		backupsIn(filepath.Join(t.TempDir(), "backups"), "03:00", 7),
		func(c *config.Config, _ *app.Surroundings) { c.TimeZone = "America/Vancouver" })
	inVancouver := testkit.Epoch.Add(20 * time.Hour)
	apptest.Await(t, "the schedule", func() bool { return clock.Waiting(inVancouver) > 0 })
	s.Operate(t).Visit(t).Open(t, systemPage+"?lang=fr").Shows(t, http.StatusOK, "(America/Vancouver)")
}

// TestBackupSchedule makes a backup each day at a time of Montréal, and one that was missed at the next start.
func TestBackupSchedule(t *testing.T) {
	t.Parallel()
	folder, data := filepath.Join(t.TempDir(), "backups"), t.TempDir()
	clock := testkit.NewClock(testkit.Epoch)
	options := []apptest.Option{apptest.OnClock(clock), apptest.DataIn(data), apptest.Embedded(),
		backupsIn(folder, "03:00", 7)}
	s := apptest.Start(t, options...)
	v := s.Operate(t).Visit(t)
	v.Open(t, systemPage).Shows(t, http.StatusOK, "Every day at 3:00 AM (America/Toronto).", "0 of at most 7")
	advanceToNight(t, clock)
	showsSoon(t, s.Operate(t).Visit(t), "1 of at most 7")
	s.Stop()
	clock.Advance(30 * time.Hour)
	again := apptest.Start(t, options...)
	showsSoon(t, again.Operate(t).Visit(t), "2 of at most 7")
	if names := filesIn(t, folder); len(names) != 2 || names[0] != "dropyard-2026-01-15T08-00-00Z.db" {
		t.Errorf("got %q, want that of 3:00, and that of the start", names)
	}
}

// TestFirstBackupMissed makes the first backup at the next start, if the service was down at its time.
func TestFirstBackupMissed(t *testing.T) {
	t.Parallel()
	folder, data := filepath.Join(t.TempDir(), "backups"), t.TempDir()
	clock := testkit.NewClock(testkit.Epoch)
	options := []apptest.Option{apptest.OnClock(clock), apptest.DataIn(data), apptest.Embedded(),
		backupsIn(folder, "03:00", 7)}
	for range 2 { // a start before that time makes none
		s := apptest.Start(t, options...)
		s.Operate(t).Visit(t).Open(t, systemPage).Shows(t, http.StatusOK, "0 of at most 7")
		s.Stop()
		clock.Advance(time.Hour)
	}
	clock.Advance(24 * time.Hour)
	showsSoon(t, apptest.Start(t, options...).Operate(t).Visit(t), "1 of at most 7")
}

// TestBackupTriedAgain tries a backup again an hour after its failure, as long as it fails.
func TestBackupTriedAgain(t *testing.T) {
	t.Parallel()
	folder, clock := filepath.Join(t.TempDir(), "backups"), testkit.NewClock(testkit.Epoch)
	s := apptest.Start(t, apptest.OnClock(clock), apptest.Embedded(), backupsIn(folder, "", 7))
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	advanceToNight(t, clock)
	o := s.Operate(t)
	next := func(last string) string {
		var got *apptest.Answer
		apptest.Await(t, "the backup of "+last, func() bool {
			got = o.Call(t, "GET", "/ops/v1/system", nil).Must(t, http.StatusOK)
			return got.JSON("backups", "last") != nil && got.Text("backups", "last", "begun_at") == last
		})
		return got.Text("backups", "next_at")
	}
	if got := next("2026-01-15T08:00:00.000Z"); got != "2026-01-15T09:00:00.000Z" {
		t.Errorf("got the next backup at %s after a failure, want an hour later", got)
	}
	o.Visit(t).Open(t, systemPage).Shows(t, http.StatusOK, "Every day at 3:00 AM (America/Toronto).", "failed")
	clock.Advance(time.Hour)
	if got := next("2026-01-15T09:00:00.000Z"); got != "2026-01-15T10:00:00.000Z" {
		t.Errorf("got the next backup at %s after another failure, want an hour later", got)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Hour)
	if got := next("2026-01-15T10:00:00.000Z"); got != "2026-01-16T08:00:00.000Z" {
		t.Errorf("got the next backup at %s after a good one, want the next night", got)
	}
	if names := filesIn(t, folder); !slices.Equal(names, []string{"dropyard-2026-01-15T10-00-00Z.db"}) {
		t.Errorf("got %q, want the one that was tried again", names)
	}
}

// TestBackupsMove keeps backups in another place from a restart on. Those of the former one are logged once, stay
// there, and are not listed or counted.
func TestBackupsMove(t *testing.T) {
	t.Parallel()
	former, present := filepath.Join(t.TempDir(), "former"), filepath.Join(t.TempDir(), "present")
	data, clock := t.TempDir(), testkit.NewClock(testkit.Epoch)
	var s *apptest.Service
	start := func(where string) *apptest.Visitor {
		s = apptest.Start(t, apptest.OnClock(clock), apptest.DataIn(data), apptest.Embedded(), backupsIn(where, "off", 1))
		clock.Advance(time.Minute)
		return s.Operate(t).Visit(t)
	}
	backUp := func(v *apptest.Visitor) {
		clock.Advance(time.Minute)
		v.Send(t, v.Open(t, systemPage), backupNow).Leads(t, systemPage)
		showsSoon(t, v, clock.Now().UTC().Format("dropyard-2006-01-02T15-04-05Z.db"))
	}
	backUp(start(former))
	s.Stop()
	moved := start(present)
	moved.Open(t, systemPage).Shows(t, http.StatusOK, "0 of at most 1")
	backUp(moved)
	const name = "dropyard-2026-01-14T15-02-00Z.db"
	logged := func() int { return strings.Count(s.Log.String(), name) }
	s.Stop()
	if log := s.Log.String(); logged() != 1 || !strings.Contains(log, "former_place="+former) {
		t.Errorf("got the log\n%s\nwant the backup in the former place once", log)
	}
	start(present).Open(t, systemPage).Shows(t, http.StatusOK, "1 of at most 1")
	s.Stop()
	if logged() != 0 {
		t.Errorf("got the log\n%s\nwant nothing of the former place at the second start", s.Log)
	}
	if names := filesIn(t, former); !slices.Equal(names, []string{name}) {
		t.Errorf("got %q in the former place, want the backup that was made there", names)
	}
	back := start(former)
	back.Open(t, systemPage).Shows(t, http.StatusOK, "1 of at most 1", name)
	backUp(back)
	if names := filesIn(t, former); len(names) != 1 || names[0] == name {
		t.Errorf("got %q in the former place that is used again, want its latest", names)
	}
}

// TestCrashDuringBackup removes at the start what a crash has left of a backup, and no other file.
func TestCrashDuringBackup(t *testing.T) {
	t.Parallel()
	folder, data := t.TempDir(), t.TempDir()
	uploading := filepath.Join(data, "embedded.db.uploading")
	if err := os.Mkdir(uploading, 0o700); err != nil {
		t.Fatal(err)
	}
	left := []string{
		filepath.Join(uploading, "dropyard-2026-01-13T08-00-00Z.db"),
		filepath.Join(folder, "dropyard-2026-01-13T08-00-00Z.db.partial-123"),
		filepath.Join(folder, "dropyard-2026-01-13T08-00-00Z.db.partial-123-journal"),
		filepath.Join(folder, "dropyard-2026-01-13T08-00-00Z.db.sha256.partial-45"),
	}
	others := []string{
		filepath.Join(folder, "dropyard-2026-01-13T08-00-00Z.db"), filepath.Join(folder, "monthly.db.partial-1"),
	}
	for _, path := range slices.Concat(left, others) {
		if err := os.WriteFile(path, []byte("pages"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const bucket = "s3://AKIDEXAMPLE:verysecretkey@127.0.0.1:1/my-bucket?tls=off"
	for _, where := range []string{folder, bucket} {
		apptest.Start(t, apptest.DataIn(data), apptest.Embedded(), backupsIn(where, "off", 1)).Stop()
	}
	for _, path := range slices.Concat(left, others) {
		_, err := os.Stat(path)
		if exists := err == nil; exists != slices.Contains(others, path) {
			t.Errorf("%s exists: got %t, want only the others to exist", path, exists)
		}
	}
}

// objects is a bucket that keeps what is put into it, or refuses it.
type objects struct {
	mu      sync.Mutex
	kept    map[string][]byte // guarded by mu; by path
	refuses string            // guarded by mu; the end of what it refuses to take; "*" for all
}

func (o *objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil, o.refuses == "*",
		o.refuses != "" && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, o.refuses):
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>The bucket is read-only.</Message></Error>")
	case r.Method == http.MethodPut:
		o.kept[r.URL.Path] = body
	case r.Method == http.MethodDelete:
		delete(o.kept, r.URL.Path)
	}
}

func (o *objects) refuse(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuses = what
}

// paths returns what the bucket holds, sorted.
func (o *objects) paths() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.kept))
}

// TestBackUpToBucket puts backups with their checksums into a bucket, deletes the oldest there, leaves nothing beside
// the database, and shows the words of the bucket when it refuses one. Such a one is not counted as the last backup.
func TestBackUpToBucket(t *testing.T) {
	t.Parallel()
	bucket := &objects{kept: map[string][]byte{}}
	server := httptest.NewServer(bucket)
	t.Cleanup(server.Close)
	data, clock := t.TempDir(), testkit.NewClock(testkit.Epoch)
	where := "s3://AKIDEXAMPLE:verysecretkey@" + strings.TrimPrefix(server.URL, "http://") + "/my-bucket/dropyard?tls=off"
	s := apptest.Start(t, apptest.OnClock(clock), apptest.DataIn(data), apptest.Embedded(), backupsIn(where, "off", 1))
	v := s.Operate(t).Visit(t)
	for range 2 {
		clock.Advance(time.Minute)
		v.Send(t, v.Open(t, systemPage), backupNow).Leads(t, systemPage)
		showsSoon(t, v, clock.Now().UTC().Format("dropyard-2006-01-02T15-04-05Z.db"))
	}
	const latest = "/my-bucket/dropyard/dropyard-2026-01-14T15-02-00Z.db"
	if got := bucket.paths(); !slices.Equal(got, []string{latest, latest + ".sha256"}) {
		t.Fatalf("got %q, want the latest backup with its checksum", got)
	}
	line := fmt.Sprintf("%x  %s\n", sha256.Sum256(bucket.kept[latest]), path.Base(latest))
	if got := string(bucket.kept[latest+".sha256"]); got != line {
		t.Errorf("got checksum %q, want %q", got, line)
	}
	var failed *apptest.Answer
	o := s.Operate(t)
	for _, refused := range []string{".db", "*"} {
		bucket.refuse(refused)
		clock.Advance(time.Hour)
		v.Send(t, v.Open(t, systemPage), backupNow).Leads(t, systemPage)
		apptest.Await(t, "the end of the backup", func() bool {
			system := o.Call(t, "GET", "/ops/v1/system", nil).Must(t, http.StatusOK)
			return system.Text("backups", "last", "begun_at") == clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		})
		failed = showsSoon(t, v, "The bucket is read-only.")
		if got := bucket.paths(); !slices.Equal(got, []string{latest, latest + ".sha256"}) {
			t.Errorf("%s refused: got %q, want what was there, and no checksum without its backup", refused, got)
		}
	}
	failed.Shows(t, http.StatusOK, "AccessDenied", "AKIDEXAMPLE:****@", "1 of at most 1")
	if strings.Contains(string(failed.Body), "verysecretkey") {
		t.Errorf("got the secret of the bucket:\n%s", failed.Body)
	}
	at := o.Call(t, "GET", "/ops/v1/system", nil).Must(t, http.StatusOK).Text("last_backup_at")
	if at != "2026-01-14T15:02:00.000Z" {
		t.Errorf("got %s as the time of the last backup, want that of the one that was kept", at)
	}
	if left, err := filepath.Glob(filepath.Join(data, "*uploading*")); err != nil || len(left) > 0 {
		t.Errorf("got %q, %v beside the database, want no backup left", left, err)
	}
}
