// Package python_test shows whether clients and samples in Python are checked and run.
package python_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedPython.Announce(t)
	for _, name := range []string{"python3"} {
		if out, err := exec.CommandContext(t.Context(), name, "--version").CombinedOutput(); err != nil {
			t.Errorf("%s --version: %v: %s", name, err, out)
		}
	}
}
