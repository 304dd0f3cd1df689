package dropyard_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// asvsRow matches a row of docs/asvs.md: number, level, state, requirement and how.
var asvsRow = regexp.MustCompile(`(?m)^\| ([0-9]+\.[0-9]+\.[0-9]+) \| ([12]) \| (yes|part|n/a) \| [^|]+ \| ([^|]*)\|$`)

// TestASVS expects a row for each requirement of ASVS 5.0.0 on levels 1 and 2, in their
// order, and in each that holds in part what is missing.
func TestASVS(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("docs/asvs.md")
	if err != nil {
		t.Fatal(err)
	}
	requirements, err := os.ReadFile("testdata/asvs-5.0.0.txt") // numbers and levels
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, row := range asvsRow.FindAllStringSubmatch(string(document), -1) {
		got.WriteString(row[1] + " " + row[2] + "\n")
		if row[3] == "part" && strings.TrimSpace(row[4]) == "" {
			t.Errorf("%s holds in part: got nothing about what is missing", row[1])
		}
	}
	if got.String() != string(requirements) {
		t.Errorf("got the requirements\n%swant\n%s", &got, requirements)
	}
}
