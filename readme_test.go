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
	text = strings.ReplaceAll(text, "login --operator", `login --operator <<<"$OPERATOR_PASSWORD"`) // which is typed

	demo := printed.String()
	out := runBash(t, text, "DROPYARD_URL="+service.URL, "DROPYARD_KEY="+apptest.Printed(t, demo, "API key"), "DROPYARD_SECRET="+apptest.Printed(t, demo, "secret"),
		"OPERATOR_PASSWORD="+apptest.Printed(t, demo, `operator +\S+ +password`), "XDG_CONFIG_HOME="+t.TempDir())
	for _, want := range []string{`quo_`, `status +pending`, `status +delivered`, `status +cancelled`, `reason +changed my mind`, ` IN +2 `, ` OUT +2 `} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the output lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
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
