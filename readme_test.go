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
)

var bashBlock = regexp.MustCompile("(?s)```bash\n(.*?)```")

// TestReadme pastes everything that the README says into a shell, against a
// demo that runs on another port.
func TestReadme(t *testing.T) {
	t.Parallel()
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
	if strings.Count(text, goRun) != 1 {
		t.Fatalf("the README does not define dropyard as %s", goRun)
	}
	text = strings.Replace(text, goRun, program(t), 1)
	text = strings.ReplaceAll(text, "login --operator", `login --operator <<<"$OPERATOR_PASSWORD"`) // which is typed

	demo := printed.String()
	out := runBash(t, text, "DROPYARD_URL="+service.URL, "DROPYARD_KEY="+apptest.Printed(t, demo, "API key"),
		"DROPYARD_SECRET="+apptest.Printed(t, demo, "secret"),
		"OPERATOR_PASSWORD="+apptest.Printed(t, demo, `operator +\S+ +password`), "XDG_CONFIG_HOME="+t.TempDir())
	for _, want := range []string{
		`quo_`, `status +pending`, `status +delivered`, `status +cancelled`, `reason +changed my mind`, ` IN +2 `, ` OUT +2 `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the output lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// goRun is how the README runs the program. It takes a second each time.
const goRun = "go run ./cmd/dropyard"

// program returns the path of what goRun runs.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dropyard")
	words := strings.Fields(strings.Replace(goRun, "run", "run -exec cp", 1)) // cp PROGRAM path
	command := exec.CommandContext(t.Context(), words[0], append(words[1:], path)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", goRun, err, out)
	}
	return path
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
