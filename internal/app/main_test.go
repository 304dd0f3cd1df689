package app_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"go.uber.org/goleak"
)

// TestMain runs every test without the settings of whoever runs them, sees to
// it that services that have stopped leave no goroutine behind, and does all
// of it again on the other engine.
func TestMain(m *testing.M) {
	keep := []string{"DROPYARD_REQUIRE", apptest.EngineVariable, testkit.CitusVariable}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "DROPYARD_") && !slices.Contains(keep, name) {
			_ = os.Unsetenv(name)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(apptest.AgainOnPostgres(code)) }))
}
