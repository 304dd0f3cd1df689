package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestExportListBeforeTheFirstDay expects when the first day is exported, where none has been yet.
func TestExportListBeforeTheFirstDay(t *testing.T) {
	t.Parallel()
	env := append(slices.Clone(operatorEnv), "DROPYARD_EXPORT_TO="+t.TempDir())
	s := (run{dir: testkit.FastDir(t), env: env}).serve(t)
	p := newPerson(t)
	p.must("login --profile desk --operator --server "+s.URL, `as operator \S+ \(admin\)`, apptest.OperatorEmail,
		apptest.OperatorPassword)
	got := p.do(0, "export list")
	if want := "There are none yet. The first is 20"; got.stdout != "" || !strings.HasPrefix(got.stderr, want) {
		t.Errorf("got %+v, want a notice that begins with %q", got, want)
	}
}

// TestExportNightlyWhileBusy expects one line and the exit code of what may succeed later while another node exports
// days that are due, and success once the node no longer holds the work.
func TestExportNightlyWhileBusy(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	if got := r.do(t, "migrate", "--data", "data"); got.code != 0 {
		t.Fatalf("migrate: got %+v, want exit code 0", got)
	}
	path := filepath.Join(r.dir, "data", database)
	nightly := []string{
		"export", "nightly", "--data", "data", "--export-to", "exports", "--export-from", "2026-01-01", "--day", "2026-01-01",
	}
	execute(t, path, `INSERT INTO settings VALUES ('exports', '{"holder":"hld_a","held_until":"2999-01-01T00:00:00Z"}')`)
	got := r.do(t, nightly...)
	if got.code != exitNoAnswer || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
		!strings.Contains(got.stderr, "another node exports days") {
		t.Errorf("busy: got %+v, want exit code %d and one line about another node", got, exitNoAnswer)
	}
	execute(t, path, "DELETE FROM settings WHERE name = 'exports'")
	got = r.do(t, nightly...)
	if got.code != 0 || got.stdout != "days exported: 1; the latest is 2026-01-01\n" {
		t.Errorf("free: got %+v, want one day", got)
	}
}
