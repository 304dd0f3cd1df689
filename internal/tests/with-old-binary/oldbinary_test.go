// Package oldbinary_test shows whether the test of a rolling upgrade runs.
package oldbinary_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedOldBinary.Announce(t)
	binary := os.Getenv(testkit.OldBinaryVariable)
	if out, err := exec.CommandContext(t.Context(), binary, "--help").CombinedOutput(); err != nil {
		t.Errorf("%s --help: %v: %s", binary, err, out)
	}
}
