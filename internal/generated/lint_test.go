package generated_test

import (
	"path/filepath"
	"strings"
	"testing"

	documents "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLint runs Redocly's linter and Spectral over the documents and their copies in OpenAPI 3.0,
// with the settings in api. Warnings fail it, too.
func TestLint(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	w := newWorkshop(t, "lint")
	copySources(t, w.dir, "../../api")
	w.npmInstall()
	for name, source := range map[string][]byte{"openapi-3.0.yaml": documents.OpenAPI, "ops-3.0.yaml": documents.Ops} {
		copied, err := documents.OpenAPI30(source)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(w.dir, name), copied)
	}
	for _, name := range []string{"openapi.yaml", "ops.yaml", "openapi-3.0.yaml", "ops-3.0.yaml"} {
		found := w.run("env", "REDOCLY_TELEMETRY=off", "npx", "redocly", "lint", "--config", "redocly.yaml", "--format",
			"json", name)
		if !strings.Contains(found, `"warnings": 0,`) {
			t.Errorf("redocly lint %s: got %s", name, found)
		}
		w.run("npx", "spectral", "lint", "-r", "spectral.yaml", "--fail-severity", "hint", name)
	}
}

// TestAsyncAPI parses the AsyncAPI document with the parser of that project.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	w := newWorkshop(t, "asyncapi")
	document, err := documents.AsyncAPI(documents.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(w.dir, "asyncapi.yaml"), document)
	w.npmInstall()
	if got := w.run("node", "parse.mjs"); !strings.HasPrefix(got, "3.0.0 order.accepted ") {
		t.Errorf("got %s, want the version and the types of events", got)
	}
}
