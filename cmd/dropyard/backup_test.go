package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// working is a service with a partner who orders from stock, and keeps
// ordering until told to stop.
func working(t *testing.T, r run) (s *serving, partner *apptest.Partner, stop func() (orders int)) {
	t.Helper()
	s = r.serve(t)
	partner = s.Register(t, "metro")
	product := s.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"A": 100_000, "B": 100_000})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product)
	first := partner.Create(t, testkit.OrderJSON("B-first", items)).Must(t, 201).Text("order_id")
	partner.Cancel(t, first, "too late").Must(t, 200)
	end, orders := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-end:
				orders <- n
				return
			default:
				partner.Create(t, testkit.OrderJSON(fmt.Sprint("B-", n), items))
			}
		}
	}()
	return s, partner, func() int { close(end); return <-orders }
}

// TestBackupAndRestore: a backup that is made while orders come in can be
// restored elsewhere, breaks no law, and is served with the same master key.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: []string{"DROPYARD_OPERATOR_EMAIL=" + apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword}}
	s, partner, stop := working(t, r)
	got := r.do(t, "backup", "backup.db")
	if got.code != 0 || !strings.Contains(got.stdout, "verified") || !strings.Contains(got.stdout, "master key is not part of it") {
		t.Fatalf("backup: %+v", got)
	}
	if again := r.do(t, "backup", "backup.db"); again.code != 1 || !strings.Contains(again.stderr, "backup.db is there already") {
		t.Errorf("over a backup: %+v", again)
	}
	if beside := r.do(t, "restore", "backup.db", "--force"); beside.code != 1 || !strings.Contains(beside.stderr, "stop the service") {
		t.Errorf("restored beside a service: %+v", beside)
	}
	if beside := r.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", "sqlite:copy.db"); beside.code != 1 || !strings.Contains(beside.stderr, "stop the service") {
		t.Errorf("copied beside a service: %+v", beside)
	}
	orders := stop()
	s.signal(t, syscall.SIGTERM)
	restored := filepath.Join(r.dir, "elsewhere")
	if got := r.do(t, "restore", "backup.db", "--data", restored); got.code != 0 || !strings.Contains(got.stdout, "verified") {
		t.Fatalf("restore: %+v", got)
	}
	if again := r.do(t, "restore", "backup.db", "--data", restored); again.code != 1 || !strings.Contains(again.stderr, "--force") {
		t.Errorf("over a database: %+v", again)
	}
	r.audit(t, &apptest.Service{Data: restored}, partner)

	got = r.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", "sqlite:copied/dropyard.db")
	if got.code != 1 {
		t.Errorf("copied into a folder that is not there: %+v", got)
	}
	copied := filepath.Join(r.dir, "copied")
	if err := os.Mkdir(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	got = r.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", "sqlite:copied/dropyard.db")
	if got.code != 0 || !strings.Contains(got.stdout, "checksum ok") {
		t.Fatalf("copy: %+v", got)
	}
	if n := r.audit(t, &apptest.Service{Data: copied}, partner); n != orders+1 {
		t.Errorf("%d orders were copied, %d made", n, orders+1)
	}
}

// audit serves a restored database, with the master key, to the partner, and
// tells how many orders it has.
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

// TestBackupsThatCannotBe end with one line.
func TestBackupsThatCannotBe(t *testing.T) {
	t.Parallel()
	for args, c := range map[string]struct {
		code int
		told string
	}{
		"backup b.db":        {1, "data/dropyard.db"},
		"backup":             {2, "file"},
		"restore missing.db": {1, "missing.db"},
		"backup b.db --database postgres://u:hushhush@localhost/x":    {1, "pg_dump"},
		"restore b.db --database postgres://u:hushhush@localhost/x":   {1, "pg_dump"},
		"copy --from sqlite:a.db":                                     {2, "--to"},
		"copy --from a.db --to sqlite:b.db":                           {2, "--from"},
		"copy --from sqlite:a.db --to mysql://hushhush":               {2, "--to"},
		"copy --from sqlite:a.db --to sqlite:a.db":                    {2, "the same"},
		"copy --from sqlite:a.db --to postgres://u:hushhush@[::1:5/x": {1, "a.db"},
	} {
		got := (run{}).do(t, strings.Fields(args)...)
		if got.code != c.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, c.told) || strings.Contains(got.stderr, "hushhush") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
