package dropyard_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// asvsRow matches a row of docs/asvs.md: number, level, state, requirement and how.
var asvsRow = regexp.MustCompile(`(?m)^\| ([0-9]+\.[0-9]+\.[0-9]+) \| ([12]) \| (yes|part|n/a) \| [^|]+ \| ([^|]*)\|$`)

// TestASVS expects a row for each requirement of ASVS 5.0.0 on levels 1 and 2, in their
// order, in each that holds in part what is missing, and at the top how many there are of each state.
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
	count := map[string]int{} // of rows by level and state
	for _, row := range asvsRow.FindAllStringSubmatch(string(document), -1) {
		got.WriteString(row[1] + " " + row[2] + "\n")
		count[row[2]+row[3]]++
		if row[3] == "part" && strings.TrimSpace(row[4]) == "" {
			t.Errorf("%s holds in part: got nothing about what is missing", row[1])
		}
	}
	if got.String() != string(requirements) {
		t.Errorf("got the requirements\n%swant\n%s", &got, requirements)
	}
	for _, level := range []string{"1", "2"} {
		want := fmt.Sprintf("\n| level %s | %d | %d | %d |\n", level,
			count[level+"yes"], count[level+"part"], count[level+"n/a"])
		if !strings.Contains(string(document), want) {
			t.Errorf("got other counts of level %s at the top, want %q", level, want)
		}
	}
}
