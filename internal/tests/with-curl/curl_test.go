// Package curl_test shows whether the test of the README's commands runs.
package curl_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedCurl.Announce(t)
	for _, name := range []string{"bash", "curl"} {
		if out, err := exec.CommandContext(t.Context(), name, "--version").CombinedOutput(); err != nil {
			t.Errorf("%s --version: %v: %s", name, err, out)
		}
	}
}
