package outbound

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if goroutines are left after the tests, whatever receivers have
// done.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
