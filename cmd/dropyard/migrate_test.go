package main

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestMigrate makes or updates a database, and tells its version.
func TestMigrate(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir()}
	first := r.do(t, "migrate", "--data", "made")
	if first.code != 0 || first.stderr != "" || !strings.HasPrefix(first.stdout, "schema version ") {
		t.Errorf("first: %+v", first)
	}
	if again := r.do(t, "migrate", "--data", "made"); again != first {
		t.Errorf("again: %+v", again)
	}
}

// TestMigrateRefuses what cannot be distributed, with one line.
func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		code int
		told string
	}{
		"migrate --distribute citus":   {2, "--database"},
		"migrate --distribute mongodb": {2, "--distribute"},
		"migrate --distribute citus --shards 0 --database postgres://u:hushhush@127.0.0.1:1/x": {2, "--shards"},
		"migrate --distribute citus --database postgres://u:hushhush@127.0.0.1:1/x":            {1, "127.0.0.1"},
	} {
		if got := (run{}).do(t, strings.Fields(args)...); got.code != want.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, want.told) || strings.Contains(got.stderr, "hush") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// TestMigrateDistributes once, and then says that it is done.
func TestMigrateDistributes(t *testing.T) {
	t.Parallel()
	args := []string{"migrate", "--distribute", "citus", "--shards", "4", "--database", testkit.CitusURL(t)}
	first := (run{}).do(t, args...)
	if first.code != 0 || first.stderr != "" || !strings.Contains(first.stdout, "distributed by partner: ") || !strings.HasSuffix(first.stdout, "shards: 4, on 1 nodes\n") {
		t.Errorf("first: %+v", first)
	}
	again := (run{}).do(t, args...)
	if again.code != 0 || !strings.Contains(again.stdout, "every table has its place already\nshards: 4") {
		t.Errorf("again: %+v", again)
	}
}
