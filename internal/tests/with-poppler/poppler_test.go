// Package poppler_test shows whether tests that read PDF files with poppler run.
package poppler_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedPoppler.Announce(t)
	for _, name := range []string{"pdfinfo", "pdftotext", "pdftoppm"} {
		if out, err := exec.CommandContext(t.Context(), name, "-v").CombinedOutput(); err != nil {
			t.Errorf("%s -v: %v: %s", name, err, out)
		}
	}
}
