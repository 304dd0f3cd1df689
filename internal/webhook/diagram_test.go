package webhook

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const diagramFile = "../../docs/architecture.md"

// TestDiagramShowsTransitions compares the state diagram of the documentation
// with the transitions, and its beginning and end with the states.
func TestDiagramShowsTransitions(t *testing.T) {
	t.Parallel()
	drawn := drawnTransitions(t)
	want := map[transition]bool{
		{from: "[*]", to: newLane(&Endpoint{}, false).state}: true,
		{from: ended, to: "[*]"}:                             true,
	}
	for _, transition := range transitions {
		want[transition] = true
	}
	for transition := range want {
		if !drawn[transition] {
			t.Errorf("%s does not show %+v", diagramFile, transition)
		}
	}
	for transition := range drawn {
		if !want[transition] {
			t.Errorf("%s shows %+v, which is not a transition", diagramFile, transition)
		}
	}
}

var (
	arrow = regexp.MustCompile(`^ +(\S+) --> (\S+?)(?:: (.+))?$`)
	label = regexp.MustCompile(`^(\w+)(?: \[(.+)\])?$`)
)

// drawnTransitions reads the lines of the diagram, such as
//
//	lingering --> looking: woken, beat [shared]
func drawnTransitions(t *testing.T) map[transition]bool {
	t.Helper()
	text, err := os.ReadFile(diagramFile)
	if err != nil {
		t.Fatal(err)
	}
	_, diagram, _ := strings.Cut(string(text), "stateDiagram-v2\n")
	diagram, _, _ = strings.Cut(diagram, "```")
	drawn := map[transition]bool{}
	for line := range strings.Lines(diagram) {
		parts := arrow.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if parts == nil {
			t.Fatalf("%s: %q is not an arrow of the diagram", diagramFile, line)
		}
		for _, text := range strings.Split(parts[3], ", ") {
			on := label.FindStringSubmatch(text)
			if on == nil {
				on = make([]string, 3) // the arrows of beginning and end
			}
			drawn[transition{state(parts[1]), trigger(on[1]), condition(on[2]), state(parts[2])}] = true
		}
	}
	return drawn
}
