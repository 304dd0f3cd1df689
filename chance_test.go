package dropyard_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// chance matches what can make a test depend on chance or on the speed of the machine.
var chance = regexp.MustCompile(
	`\btime\.(Sleep|After|Since|Tick|NewTicker|NewTimer)\(|"math/rand|"crypto/rand"|\brapid\.(Check|MakeCheck)\(`,
)

// allowed are the test files in which it stands all the same, each with the reason. Files
// that call synctest.Test need none: their time is that of the bubble.
var allowed = map[string]string{
	"cmd/dropyard/accesslog_test.go":               "polls a file that the program under test writes",
	"cmd/dropyard/memory_test.go":                  "full length only: clients under attack come again after a second",
	"internal/httpd/watch_test.go":                 "polls the channels that wait for a clock, which give no signal",
	"internal/app/authority_reads_test.go":         "polls the channels that wait for a clock, and PostgreSQL's waits for locks, which give no signal",
	"internal/app/cluster/faults_test.go":          "full length only: how soon requests are answered without a database",
	"internal/app/cluster/main_test.go":            "clients send again what a killed node has not answered, and sign with the machine's time",
	"internal/app/cluster/stalls_test.go":          "full length only: how soon the orders of others are created",
	"internal/app/cluster/start_test.go":           "full length only: how soon a start fails",
	"internal/app/courier_hour_test.go":            "names the type of repeatable.Rand",
	"internal/app/logos_attack_test.go":            "full length only: how long proofs take beside logos",
	"internal/app/search_test.go":                  "waits for what fills the index in the background, which gives no signal",
	"internal/app/stock_test.go":                   "names the type of repeatable.Rand",
	"internal/app/import_beside_test.go":           "full length only: how long creations take beside an import",
	"internal/app/webhook_delivery_test.go":        "full length only: how soon events arrive",
	"internal/store/search_boundaries_test.go":     "names the type of repeatable.Rand",
	"internal/store/stats_test.go":                 "polls figures of the store, which give no signal, and adds up the time of copies",
	"internal/tests/with-chromium/board_test.go":   "the service's pauses are real, while its clock stands still",
	"internal/web/courier/killed_test.go":          "full length only: polls a file that Chromium writes half a minute later",
	"internal/foundation/outbound/fixture_test.go": "polls the number of open connections, of which there is no signal",
	"internal/webhook/nodes_test.go":               "three senders look by the machine's clock; PostgreSQL is outside of any bubble",
	"internal/webhook/observer_test.go":            "polls the figures of a sender, which give no signal",
	"packages_test.go":                             "forbids the two packages to pure rooms",
}

// TestNoTestDependsOnChance fails for a test file that sleeps, reads the time, or draws
// numbers that do not depend on DROPYARD_SEED, unless it is in the list of allowed files.
func TestNoTestDependsOnChance(t *testing.T) {
	t.Parallel()
	var found []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || path == "chance_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte("synctest.Test(")) || !chance.Match(text) {
			return err
		}
		found = append(found, filepath.ToSlash(path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if allowed[path] == "" {
			text, _ := os.ReadFile(path)
			t.Errorf("%s has %q: use testing/synctest, the clock that is passed in, or testkit/repeatable", path,
				chance.FindAllString(string(text), -1))
		}
	}
	for path := range allowed {
		if !slices.Contains(found, path) {
			t.Errorf("%s needs no exception any longer", path)
		}
	}
}
