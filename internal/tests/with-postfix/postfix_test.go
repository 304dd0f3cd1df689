// Package postfix_test shows whether mails are handed to a real Postfix.
package postfix_test

import (
	"os/exec"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	testkit.NeedPostfix.Announce(t)
	if out, err := exec.CommandContext(t.Context(), "postconf", "-d", "mail_version").CombinedOutput(); err != nil {
		t.Errorf("postconf -d mail_version: %v: %s", err, out)
	}
}
