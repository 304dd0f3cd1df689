package browser_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestVendoredFiles compares the files of others with the list of what they are.
func TestVendoredFiles(t *testing.T) {
	t.Parallel()
	testkit.Vendored(t, "testdata", "*.js")
}
