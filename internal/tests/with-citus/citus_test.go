// Package citus_test shows whether tests on Citus run.
package citus_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestDatabase(t *testing.T) {
	t.Parallel()
	testkit.NeedCitus.Announce(t)
	testkit.CitusURL(t)
}
