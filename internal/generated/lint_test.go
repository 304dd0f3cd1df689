package generated_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLint runs Redocly's linter and Spectral over the documents, with the settings in
// api. Warnings fail it, too.
func TestLint(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	w := newWorkshop(t, "lint")
	copySources(t, w.dir, "../../api")
	w.run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	for _, name := range []string{"openapi.yaml", "ops.yaml"} {
		found := w.run("env", "REDOCLY_TELEMETRY=off", "npx", "redocly", "lint", "--config", "redocly.yaml", "--format",
			"json", name)
		if !strings.Contains(found, `"warnings": 0,`) {
			t.Errorf("redocly lint %s: got %s", name, found)
		}
		w.run("npx", "spectral", "lint", "-r", "spectral.yaml", "--fail-severity", "hint", name)
	}
}
