package outbound

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes sure that whatever receivers do, nothing goes on after it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
