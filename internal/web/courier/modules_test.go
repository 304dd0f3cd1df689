package courier_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestModules runs the tests of the app's modules that need no browser and no service.
func TestModules(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	modules, err := filepath.Glob("testdata/*.test.mjs")
	if err != nil || len(modules) == 0 {
		t.Fatalf("got the tests %q, %v, want those of the modules", modules, err)
	}
	command := exec.CommandContext(t.Context(), "node",
		append([]string{"--import", "../types/resolve.mjs", "--test"}, modules...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}
