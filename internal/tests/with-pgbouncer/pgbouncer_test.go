// Package pgbouncer_test shows whether services are tested behind a real PgBouncer.
package pgbouncer_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedPgBouncer.Announce(t)
	if out, err := exec.CommandContext(t.Context(), "pgbouncer", "--version").CombinedOutput(); err != nil {
		t.Errorf("pgbouncer --version: %v: %s", err, out)
	}
}
