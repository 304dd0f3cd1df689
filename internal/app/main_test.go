package app_test

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs every test without the settings of whoever runs them, and sees
// to it that services that have stopped leave no goroutine behind.
func TestMain(m *testing.M) {
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "DROPYARD_") {
			_ = os.Unsetenv(name)
		}
	}
	goleak.VerifyTestMain(m)
}
