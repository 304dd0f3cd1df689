package dropyard_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

var bashBlock = regexp.MustCompile("(?s)```bash\n(.*?)```")

// TestReadme pastes everything that the README says into a shell, against a
// demo that runs on another port.
func TestReadme(t *testing.T) {
	t.Parallel()
	testkit.NeedCurl.OrSkip(t)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var script bytes.Buffer
	script.WriteString("set -euo pipefail\n")
	for _, block := range bashBlock.FindAllSubmatch(readme, -1) {
		script.Write(block[1])
	}
	var printed bytes.Buffer
	service := apptest.Start(t, apptest.Demo(&printed))
	text := strings.ReplaceAll(script.String(), "http://127.0.0.1:8080", service.URL)

	demo := printed.String()
	out := runBash(t, text, "DROPYARD_KEY="+printedBy(t, demo, `API key +(\S+)`), "DROPYARD_SECRET="+printedBy(t, demo, `secret +(\S+)`),
		"OPERATOR_PASSWORD="+printedBy(t, demo, `operator +\S+ +password (\S+)`))
	for _, want := range []string{
		`"quote_id":"quo_`, `"status":"pending"`, `"status":"delivered"`, `"status":"cancelled"`, `"cancellation_reason":"changed my mind"`,
		`"type":"IN","quantity":2`, `"type":"OUT","quantity":`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// printedBy returns what the demo printed at the place of a pattern's group.
func printedBy(t *testing.T, demo, pattern string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(demo)
	if match == nil {
		t.Fatalf("the demo printed nothing like %s: %s", pattern, demo)
	}
	return match[1]
}

func runBash(t *testing.T, script string, env ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "readme.sh")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", file)
	command.Env = append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
