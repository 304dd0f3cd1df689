package app_test

import (
	"os"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"go.uber.org/goleak"
)

// TestMain checks that services which have stopped leave no goroutine behind. At full
// length it runs all tests again on the other engines, as package model, which is shorter,
// always does.
func TestMain(m *testing.M) {
	testkit.ClearSettings()
	apptest.Overlap()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if testkit.Long() {
			code = apptest.AgainOnPostgres(code)
		}
		testkit.StopPostgres()
		os.Exit(code)
	}))
}
