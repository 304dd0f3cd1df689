// Package java_test shows whether the client that is generated for Java is compiled and run.
package java_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedJava.Announce(t)
	for _, name := range []string{"java", "mvn"} {
		if out, err := exec.CommandContext(t.Context(), name, "--version").CombinedOutput(); err != nil {
			t.Errorf("%s --version: %v: %s", name, err, out)
		}
	}
}
