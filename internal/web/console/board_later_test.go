package console

import (
	"path"
	"regexp"
	"slices"
	"testing"
)

var staticImport = regexp.MustCompile(`(?m)^import .* from "\./([a-z]+\.js)";$`)

// TestFirstRowsNeedNoLaterModules fails for a module that the first rows need, directly or
// not, and that the page does not load at its start.
func TestFirstRowsNeedNoLaterModules(t *testing.T) {
	t.Parallel()
	needed := []string{"main.js"}
	for i := 0; i < len(needed); i++ {
		source, err := files.ReadFile(path.Join("assets", boardFolder, needed[i]))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range staticImport.FindAllSubmatch(source, -1) {
			if name := string(found[1]); !slices.Contains(needed, name) {
				needed = append(needed, name)
			}
		}
	}
	if len(needed) < 10 {
		t.Fatalf("got the modules %q, want those that main.js needs", needed)
	}
	for _, name := range needed {
		if slices.Contains(boardLater, name) {
			t.Errorf("%s: got loaded later, want with the page", name)
		}
	}
}
