// Package fulllength_test shows whether tests run at full length.
package fulllength_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestScaled(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.Announce(t)
	if got := testkit.Scaled(100, 1); got != 100 {
		t.Errorf("Scaled(100, 1): got %d, want 100", got)
	}
}
