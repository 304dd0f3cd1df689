package app_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"go.uber.org/goleak"
)

// TestMain runs every test without the settings of whoever runs them, sees to
// it that services that have stopped leave no goroutine behind, and does all
// of it again on the other engine.
func TestMain(m *testing.M) {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "DROPYARD_") && name != "DROPYARD_REQUIRE" && name != apptest.EngineVariable {
			_ = os.Unsetenv(name)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(apptest.AgainOnPostgres(code)) }))
}
