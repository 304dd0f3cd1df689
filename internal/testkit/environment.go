package testkit

import (
	"os"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// The environment variables that tests read.
const (
	// RequireVariable lists needs, separated by commas. Tests fail, instead of
	// being skipped, if one of them is missing.
	RequireVariable = "DROPYARD_REQUIRE"
	// LongVariable, set to anything, makes tests run at full length. The
	// continuous integration sets it.
	LongVariable = "DROPYARD_LONG"
	// CitusVariable holds the URL of a PostgreSQL server that has Citus in its
	// shared_preload_libraries: of any of its databases, with a user that may
	// create databases and extensions. Debian has no package of Citus, so tests
	// do not start one themselves.
	CitusVariable = "DROPYARD_TEST_CITUS"
	// EngineVariable makes every service that a test binary starts use another
	// engine than SQLite, so that one suite serves for all.
	EngineVariable = "DROPYARD_TEST_ENGINE"
	// SDKVariable, set to anything, makes the tests of the packages in sdk run, and the
	// programs in examples that need only Go, Node and Python. They download packages of
	// npm and PyPI.
	SDKVariable = "DROPYARD_TEST_SDK"
	// OldBinaryVariable holds the path of a binary of an earlier release.
	OldBinaryVariable = "DROPYARD_OLD_BINARY"
)

// Long reports whether tests run at full length.
func Long() bool { return os.Getenv(LongVariable) != "" }

// Scaled returns the size of a test that runs shorter by default.
func Scaled(long, short int) int {
	if Long() {
		return long
	}
	return short
}

// ClearSettings removes the service's settings from the environment, so that
// those of the person who runs the tests do not reach the services under test.
func ClearSettings() {
	keep := []string{
		RequireVariable, LongVariable, CitusVariable, EngineVariable, SDKVariable, OldBinaryVariable, repeatable.SeedVariable,
	}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "DROPYARD_") && !slices.Contains(keep, name) {
			_ = os.Unsetenv(name)
		}
	}
}
