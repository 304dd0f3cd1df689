package installation_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/installation"
)

// TestWordsAreDocumented compares the words with the OpenAPI document and with the table
// for those who operate the service.
func TestWordsAreDocumented(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if want := "enum: [" + strings.Join(installation.Words, ", ") + "]"; !strings.Contains(read("../../api/openapi.yaml"),
		want) {
		t.Errorf("api/openapi.yaml: got no %q", want)
	}
	_, section, _ := strings.Cut(read("../../docs/operating.md"), "\n## Probes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
		rows = append(rows, row[1])
	}
	if !slices.Equal(rows, installation.Words) {
		t.Errorf("docs/operating.md: got rows %q, want %q", rows, installation.Words)
	}
}
