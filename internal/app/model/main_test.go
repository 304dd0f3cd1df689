// Package model_test compares whole services with a model in memory: what partners and
// operators do in random order is answered as the model predicts, and has the effects that
// it predicts.
package model_test

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestMain sets how many sequences are tried, unless the command says so, and runs the
// tests again on the other engines.
func TestMain(m *testing.M) {
	testkit.ClearSettings()
	_ = flag.Set("rapid.checks", strconv.Itoa(testkit.Scaled(200, 12)))
	flag.Parse()
	code := apptest.AgainOnPostgres(m.Run())
	testkit.StopPostgres()
	os.Exit(code)
}
