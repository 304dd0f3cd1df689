package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/manual"
)

var updateReference = flag.Bool("update-reference", false, "write the reference of commands into docs/command-line.md")

// reference is the document that has the reference of all commands.
const reference = "../../docs/command-line.md"

// TestReference expects the generated parts of the document to be those of the commands.
// If it fails, run: go test ./cmd/dropyard -run TestReference -update-reference
func TestReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	m := newManual(t.Context())
	want := string(text)
	for name, content := range map[string]string{
		"exit codes":  rows(exitStatuses),
		"environment": rows(secretVariables),
		"commands":    "\n" + m.Markdown() + "\n## Flags of several commands\n\n" + m.Shared(),
	} {
		want = replaceGenerated(t, want, name, content)
	}
	if *updateReference {
		if err := os.WriteFile(reference, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is not up to date: run this test with -update-reference", reference)
	}
}

func rows(items []manual.Item) string {
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "| `%s` | %s |\n", item.Name, item.Help)
	}
	return b.String()
}

// replaceGenerated replaces what is between a marker and the next end.
func replaceGenerated(t *testing.T, text, name, content string) string {
	t.Helper()
	marker := "<!-- " + name + ": generated -->\n"
	before, rest, ok := strings.Cut(text, marker)
	_, after, ended := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !ended {
		t.Fatalf("%s has no %q with an end", reference, marker)
	}
	return before + marker + content + "<!-- end -->\n" + after
}

// TestCompletion asks the script for bash as bash does.
func TestCompletion(t *testing.T) {
	t.Parallel()
	script := (run{}).do(t, "completion", "bash")
	if script.code != 0 || script.stderr != "" {
		t.Fatalf("got %+v, want the script", script)
	}
	file := filepath.Join(t.TempDir(), "completion.bash")
	if err := os.WriteFile(file, []byte(script.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"dropyard ord":                            "orders",
		"dropyard orders ":                        "list get create edit cancel request-cancellation return import label",
		"dropyard orders list --cre":              "--created-from --created-to",
		"dropyard --help orders l":                "list label",
		"dropyard login --mode ":                  "test live",
		"dropyard login --mode = li":              "live",
		"dropyard --profile orders qu":            "quote",
		"dropyard board --wa":                     "--watch",
		"dropyard completion ":                    "bash zsh fish",
		"dropyard orders create --file ":          "", // bash completes names of files
		"dropyard couriers change cou_1 --no-act": "--no-active",
		"dropyard serve --simulate-p":             "--simulate-pace",
		"dropyard digest":                         "", // hidden
	} {
		command := exec.CommandContext(t.Context(), "bash", "-c",
			`source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dropyard; echo "${COMPREPLY[*]}"`, "bash", file)
		command.Args = append(command.Args, strings.Split(words, " ")...)
		got, err := command.CombinedOutput()
		if err != nil || strings.TrimSuffix(string(got), "\n") != want {
			t.Errorf("%q: got %q, %v, want %q", words, got, err, want)
		}
	}
}

// TestCompletionOtherShells expects scripts that the shells can read, where they are
// installed.
func TestCompletionOtherShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := (run{}).do(t, "completion", shell)
		if script.code != 0 || !strings.Contains(script.stdout, "orders list") {
			t.Errorf("%s: got %+v, want the script", shell, script)
		}
		program, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		if strings.Contains(script.stdout, "-a  ") {
			t.Errorf("%s: got\n%s\nwant no empty word", shell, script.stdout)
		}
		check := exec.CommandContext(t.Context(), program, "-n")
		check.Stdin = strings.NewReader(script.stdout)
		if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s -n: got %q, %v, want nothing", shell, said, err)
		}
	}
}

// TestFlagsOfTheProgram expects no command to have a flag of the program's: that of the program would be parsed.
func TestFlagsOfTheProgram(t *testing.T) {
	t.Parallel()
	m := newManual(t.Context())
	for _, c := range m.Commands {
		for _, flag := range c.Flags {
			if c.Path != "" && (flag.Name == "--version" || flag.Name == "--help") {
				t.Errorf("%s has the flag %s, want another name", c.Path, flag.Name)
			}
		}
	}
}

// TestManualPage expects each command and exit code in the page, and no warning of mandoc
// where it is installed.
func TestManualPage(t *testing.T) {
	t.Parallel()
	m := newManual(t.Context())
	page := m.Page(time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC))
	for _, c := range m.Commands {
		if c.Leaf && c.Path != "" && !strings.Contains(page, ".SS dropyard "+strings.ReplaceAll(c.Path, "-", `\-`)+" ") {
			t.Errorf("the page lacks %s", c.Path)
		}
	}
	for _, want := range []string{`.TH DROPYARD 1 2026-11-23`, ".SH EXIT STATUS", ".SH ENVIRONMENT", "DROPYARD_SECRET"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	program, err := exec.LookPath("mandoc")
	if err != nil {
		return
	}
	check := exec.CommandContext(t.Context(), program, "-Tlint")
	check.Stdin = strings.NewReader(page)
	if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("mandoc -Tlint: got %s, %v, want nothing", said, err)
	}
}
