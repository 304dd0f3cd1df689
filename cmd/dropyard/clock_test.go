package main

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestClockAccept accepts the clock while the service runs, and where there is no database.
func TestClockAccept(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	r.serve(t)
	if got := r.do(t, "clock", "accept"); got.code != 0 ||
		!strings.HasPrefix(got.stdout, "clock accepted: data ages by ") || got.stderr != "" {
		t.Errorf("got %+v, want exit code 0 and one line", got)
	}
	if got := r.do(t, "clock", "accept", "--data", "gone"); got.code != 1 ||
		!strings.Contains(got.stderr, "open the database") {
		t.Errorf("without a database: got %+v, want exit code 1 and the reason", got)
	}
}
