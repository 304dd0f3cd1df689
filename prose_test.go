package dropyard_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// words are what well-read Go code hardly uses, and how many comment lines in a
// thousand may. They hide the subject of a sentence: say "returns", "reports
// whether", "the caller", "another node", "again".
var words = []struct {
	pattern  *regexp.Regexp
	thousand float64
}{
	{regexp.MustCompile(`(?i)\b(tell|tells|told|telling)\b`), 3},
	{regexp.MustCompile(`(?i)\b(nobody|somebody)\b`), 1},
	{regexp.MustCompile(`(?i)\b(whoever|whom|lest)\b`), 1.5},
	{regexp.MustCompile(`(?i)\b(anew|seen to|sees to)\b`), 1},
}

func TestCommentsArePlainEnglish(t *testing.T) {
	t.Parallel()
	lines := commentLines(t)
	for _, word := range words {
		var found []string
		for _, line := range lines {
			if word.pattern.MatchString(line.text) {
				found = append(found, line.place+": "+line.text)
			}
		}
		if got := 1000 * float64(len(found)) / float64(len(lines)); got > word.thousand {
			t.Errorf("%v: got %d of %d comment lines, %.1f in a thousand, want at most %.1f:\n%s",
				word.pattern, len(found), len(lines), got, word.thousand, strings.Join(found, "\n"))
		}
	}
}

type commentLine struct{ place, text string }

// commentLines returns the comment lines of all Go files of the module.
func commentLines(t *testing.T) (lines []commentLine) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		parsed, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range parsed.Comments {
			for _, comment := range group.List {
				at := files.Position(comment.Pos())
				for i, text := range strings.Split(comment.Text, "\n") {
					at.Line += min(i, 1)
					lines = append(lines, commentLine{at.String(), text})
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
