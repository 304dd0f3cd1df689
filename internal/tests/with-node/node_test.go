// Package node_test shows whether the client that is generated for TypeScript is compiled and run.
package node_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.Announce(t)
	for _, name := range []string{"node", "npm"} {
		if out, err := exec.CommandContext(t.Context(), name, "--version").CombinedOutput(); err != nil {
			t.Errorf("%s --version: %v: %s", name, err, out)
		}
	}
}
