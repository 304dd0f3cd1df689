// Package cargo_test shows whether the client that is generated for Rust is compiled and run.
package cargo_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedCargo.Announce(t)
	if out, err := exec.CommandContext(t.Context(), "cargo", "--version").CombinedOutput(); err != nil {
		t.Errorf("cargo --version: %v: %s", err, out)
	}
}
