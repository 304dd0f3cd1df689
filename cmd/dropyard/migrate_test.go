package main

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestMigrate expects the version of the schema, whether the database was created or
// not.
func TestMigrate(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	first := r.do(t, "migrate", "--data", "new")
	if first.code != 0 || first.stderr != "" || !strings.HasPrefix(first.stdout, "schema version ") {
		t.Errorf("first run: got %+v, want the version", first)
	}
	if again := r.do(t, "migrate", "--data", "new"); again != first {
		t.Errorf("second run: got %+v, want %+v", again, first)
	}
}

// TestMigrateErrors expects one line on standard error.
func TestMigrateErrors(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		code int
		text string // part of the message
	}{
		"migrate --distribute citus":   {2, "--database"},
		"migrate --distribute mongodb": {2, "--distribute"},
		"migrate --distribute citus --shards 0 --database postgres://u:hushhush@127.0.0.1:1/x": {2, "--shards"},
		"migrate --distribute citus --database postgres://u:hushhush@127.0.0.1:1/x":            {1, "the server runs"},
		"migrate --database postgres://u:hushhush@db.example/x": {
			2, "--database-allow-insecure",
		},
		"migrate --distribute citus --database postgres://u:hushhush@db.example/x": {2, "--database-allow-insecure"},
		"copy --to sqlite:none.db --from postgres://u:hushhush@db.example/x":       {2, "--database-allow-insecure"},
	} {
		if got := (run{}).do(t, strings.Fields(args)...); got.code != want.code || got.stdout != "" ||
			strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, want.text) || strings.Contains(got.stderr, "hush") {
			t.Errorf("%s: got %+v, want exit code %d and one line with %q", args, got, want.code, want.text)
		}
	}
}

// TestMigrateDistribute runs the command twice; the second time there is nothing to do.
func TestMigrateDistribute(t *testing.T) {
	t.Parallel()
	args := []string{"migrate", "--distribute", "citus", "--shards", "4", "--database", testkit.CitusURL(t)}
	first := (run{}).do(t, args...)
	if first.code != 0 || first.stderr != "" || !strings.Contains(first.stdout, "distributed by partner: ") ||
		!strings.HasSuffix(first.stdout, "shards: 4, on 1 nodes\n") {
		t.Errorf("first run: got %+v, want tables and shards", first)
	}
	again := (run{}).do(t, args...)
	if again.code != 0 || !strings.Contains(again.stdout, "all tables are distributed already\nshards: 4") {
		t.Errorf("second run: got %+v, want that all tables are distributed", again)
	}
}
