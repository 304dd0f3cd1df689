package courier_test

import (
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLibraries compares the libraries that only the app uses with the list of what they
// are.
func TestLibraries(t *testing.T) {
	t.Parallel()
	for name, file := range testkit.Vendored(t, "vendored", "*.js", "*.wasm") {
		if filepath.Base(file.File) != name {
			t.Errorf("%s: got the file %s, want one of that name", name, file.File)
		}
	}
}
