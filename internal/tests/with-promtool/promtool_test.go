// Package promtool_test shows whether tests that check alerts with Prometheus' own tool run.
package promtool_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedPromtool.Announce(t)
	if out, err := exec.CommandContext(t.Context(), "promtool", "--version").CombinedOutput(); err != nil {
		t.Errorf("promtool --version: %v: %s", err, out)
	}
}
