package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// busyService starts a service with a partner that orders from stock until stop is
// called, which returns the number of orders. It returns when the first have arrived.
func busyService(t *testing.T, r run) (s *serving, partner *apptest.Partner, stop func() int) {
	t.Helper()
	s = r.serve(t)
	partner = s.Register(t, "metro")
	product := s.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"A": 100_000, "B": 100_000})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product)
	first := partner.Create(t, testkit.OrderJSON("B-first", items)).Must(t, 201).Text("order_id")
	partner.Cancel(t, first, "too late").Must(t, 200)
	orders := 1 // the cancelled one; the goroutine's until ended is closed
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	hasBegun := sync.OnceFunc(func() { close(begun) })
	go func() {
		defer close(ended)
		defer hasBegun()
		for {
			select {
			case <-end:
				return
			default:
			}
			if got := partner.Create(t, testkit.OrderJSON(fmt.Sprint("B-", orders), items)); got.Status != 201 {
				t.Errorf("order %d: got status %d, want 201: %s", orders, got.Status, got.Body)
				return
			}
			orders++
			hasBegun()
		}
	}()
	stop = sync.OnceValue(func() int {
		close(end)
		<-ended
		return orders
	})
	t.Cleanup(func() { stop() })
	<-begun
	return s, partner, stop
}

// TestBackupAndRestore makes a backup while orders arrive, restores it to another
// directory, and serves it with the same master key.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	// However long the commands take beside it, no order is refused because of their number.
	r := (run{dir: testkit.FastDir(t), env: operatorEnv}).with("DROPYARD_RATE_LIMIT=0")
	s, partner, stop := busyService(t, r)
	got := r.do(t, "backup", "backup.db")
	if got.code != 0 || !strings.Contains(got.stdout, "verified") ||
		!strings.Contains(got.stdout, "master key is not part of it") {
		t.Fatalf("backup: got %+v, want exit code 0, verified, and a word on the master key", got)
	}
	if again := r.do(t, "backup", "backup.db"); again.code != 1 ||
		!strings.Contains(again.stderr, "backup.db: the file exists already: choose another name") {
		t.Errorf("backup to an existing file: got %+v, want exit code 1 and that the file exists", again)
	}
	if nowhere := r.do(t, "backup", "missing/backup.db"); nowhere.code != 1 ||
		!strings.Contains(nowhere.stderr, "the directory missing does not exist: create it first") {
		t.Errorf("backup into a directory that does not exist: got %+v, want exit code 1 and its name", nowhere)
	}
	if beside := r.do(t, "restore", "backup.db"); beside.code != 1 ||
		!strings.Contains(beside.stderr, "stop the service, and set --force") {
		t.Errorf("restore over a database in use: got %+v, want exit code 1 and to stop the service", beside)
	}
	if beside := r.do(t, "restore", "backup.db", "--force"); beside.code != 1 ||
		!strings.Contains(beside.stderr, "stop the service") {
		t.Errorf("restore while the service runs: got %+v, want exit code 1 and to stop the service", beside)
	}
	if beside := r.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", "sqlite:copy.db"); beside.code != 1 ||
		!strings.Contains(beside.stderr, "stop the service") {
		t.Errorf("copy while the service runs: got %+v, want exit code 1 and to stop the service", beside)
	}
	orders := stop()
	s.signal(t, syscall.SIGTERM)
	restored := filepath.Join(r.dir, "elsewhere")
	if got := r.do(t, "restore", "none.db", "--data", restored); got.code != 1 {
		t.Errorf("restore without a backup: got %+v, want exit code 1", got)
	} else if _, err := os.Stat(restored); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("restore without a backup: got %v for its data directory, want none", err)
	}
	if got := r.do(t, "restore", "backup.db", "--data", restored); got.code != 0 ||
		!strings.Contains(got.stdout, "verified") {
		t.Fatalf("restore: got %+v, want exit code 0 and verified", got)
	}
	if again := r.do(t, "restore", "backup.db", "--data", restored); again.code != 1 ||
		!strings.Contains(again.stderr, "--force") {
		t.Errorf("restore over a database: got %+v, want exit code 1 and a word on --force", again)
	}
	r.audit(t, &apptest.Service{Data: restored}, partner)

	got = r.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", "sqlite:copied/dropyard.db")
	if got.code != 1 {
		t.Errorf("copy into a missing directory: got %+v, want exit code 1", got)
	}
	copied := filepath.Join(r.dir, "copied")
	if err := os.Mkdir(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	got = r.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", "sqlite:copied/dropyard.db")
	if got.code != 0 || !strings.Contains(got.stdout, "checksum ok") {
		t.Fatalf("copy: got %+v, want exit code 0 and checksums", got)
	}
	if n := r.audit(t, &apptest.Service{Data: copied}, partner); n != orders {
		t.Errorf("got %d orders in the copy, want %d", n, orders)
	}
}

// TestRestoreHolds restores a backup over the database that has gone on from it: what was
// revoked since is revoked again and printed, and webhooks and mails are held until a start
// with --resume.
func TestRestoreHolds(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	revoked := partner.NewKey(t)
	if got := r.do(t, "backup", "backup.db"); got.code != 0 {
		t.Fatalf("backup: got %+v, want exit code 0", got)
	}
	s.Do(t, "DELETE", "/v1/auth/api-keys/"+revoked.KeyID, nil, partner.Login()...).Must(t, 200)
	s.signal(t, syscall.SIGTERM)
	got := r.do(t, "restore", "backup.db", "--force")
	if want := "ended since the backup, and ended again: API key " + revoked.KeyID; got.code != 0 ||
		!strings.Contains(got.stdout, want) {
		t.Errorf("restore: got %+v, want exit code 0 and %q", got, want)
	}
	for _, step := range []struct {
		env    string
		doctor string // what it finds before; empty for nothing
		held   bool   // once the service has started
	}{
		{"DROPYARD_RESUME=false", "a backup was restored: the next start signs all people out", true},
		{"DROPYARD_RESUME=false", "webhooks and mails are held since", true},
		{"DROPYARD_RESUME=true", "webhooks and mails are held since", false},
		{"DROPYARD_RESUME=false", "", false},
	} {
		r.checkFinding(t, step.doctor)
		s := r.with(step.env).serve(t)
		if ready := s.Do(t, "GET", "/v1/ready", nil).Must(t, 200); ready.JSON("held") != step.held {
			t.Errorf("%s: got %s, want held %t", step.env, ready.Body, step.held)
		}
		revoked.Service = s.Service
		revoked.Call(t, "GET", "/v1/orders", nil).Refused(t, 401, "unauthorized")
		s.signal(t, syscall.SIGTERM)
	}
}

// checkFinding runs doctor, and checks whether it finds something about copies.
func (r run) checkFinding(t *testing.T, want string) {
	t.Helper()
	got := r.do(t, "doctor")
	finds := strings.Contains(got.stdout, "webhooks and mails")
	if finds != (want != "") || !strings.Contains(got.stdout, want) {
		t.Errorf("doctor: got %+v, want %q in it, or no word on webhooks and mails if that is empty", got, want)
	}
}

// audit serves a restored database with the master key, checks it, and returns the
// number of its orders.
func (r run) audit(t *testing.T, restored *apptest.Service, partner *apptest.Partner) (orders int) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(r.dir, "data", "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(restored.Data, "master.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	r.env = append(slices.Clone(r.env), "DROPYARD_DATA="+restored.Data, "DROPYARD_DATABASE="+restored.Database)
	s := r.serve(t)
	known := *partner
	known.Service = s.Service
	known.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	restored.Audit(t)
	_, _ = fmt.Sscan(restored.Query(t, "SELECT count(*) FROM orders")[0], &orders)
	s.signal(t, syscall.SIGTERM)
	return orders
}

// TestBackupAndCopyErrors expects one line on standard error.
func TestBackupAndCopyErrors(t *testing.T) {
	t.Parallel()
	for args, c := range map[string]struct {
		code int
		want string // part of the message
	}{
		"backup b.db":        {1, "data/dropyard.db"},
		"backup":             {2, "file"},
		"restore missing.db": {1, "missing.db"},
		"backup b.db --database postgres://u:hushhush@localhost/x":    {1, "pg_dump"},
		"restore b.db --database postgres://u:hushhush@localhost/x":   {1, "pg_dump"},
		"copy --from sqlite:a.db":                                     {2, "--to"},
		"copy --from a.db --to sqlite:b.db":                           {2, "--from"},
		"copy --from sqlite:a.db --to mysql://hushhush":               {2, "--to"},
		"copy --from sqlite:a.db --to sqlite:a.db":                    {2, "must be different"},
		"copy --from sqlite:a.db --to postgres://u:hushhush@[::1:5/x": {2, "--to"},
	} {
		got := (run{}).do(t, strings.Fields(args)...)
		if got.code != c.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, c.want) || strings.Contains(got.stderr, "hushhush") {
			t.Errorf("%s: got %+v, want exit code %d and one line with %q", args, got, c.code, c.want)
		}
	}
}
