// Package php_test shows whether the sample of signing in PHP is run.
package php_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedPHP.Announce(t)
	if out, err := exec.CommandContext(t.Context(), "php", "--version").CombinedOutput(); err != nil {
		t.Errorf("php --version: %v: %s", err, out)
	}
}
