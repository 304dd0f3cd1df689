package dropyard_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateNotices = flag.Bool("update-notices", false, "write the licences of Go modules into THIRD_PARTY_NOTICES.md")

const (
	noticesFile    = "THIRD_PARTY_NOTICES.md"
	noticesHeading = "## Go modules\n"
)

// TestNotices compares the licences in THIRD_PARTY_NOTICES.md with those of the modules
// that are compiled into dropyard, on any system.
func TestNotices(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(noticesFile)
	if err != nil {
		t.Fatal(err)
	}
	before, got, found := strings.Cut(string(content), noticesHeading)
	if !found {
		t.Fatalf("%s has no heading %q", noticesFile, noticesHeading)
	}
	want := notices(t)
	if *updateNotices {
		if err := os.WriteFile(noticesFile, []byte(before+noticesHeading+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("%s is not what the modules of dropyard say: run go test . -run TestNotices -update-notices", noticesFile)
	}
}

// notices returns the licences of all modules, those with the same text together.
func notices(t *testing.T) string {
	modules := map[string][]string{} // by the text of their licences
	for module, dir := range compiledModules(t) {
		text := licences(t, dir)
		if text == "" {
			t.Errorf("module %s has no licence in %s", module, dir)
		}
		modules[text] = append(modules[text], module)
	}
	type group struct{ names, text string }
	var groups []group
	for text, names := range modules {
		slices.Sort(names)
		groups = append(groups, group{"`" + strings.Join(names, "`, `") + "`", text})
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.names, b.names) })
	var out strings.Builder
	out.WriteString("\nCompiled into `dropyard`, together with the standard library of Go.\n")
	for _, g := range groups {
		fmt.Fprintf(&out, "\n### %s\n\n~~~~~~text\n%s~~~~~~\n", g.names, g.text)
	}
	return out.String()
}

// compiledModules returns the folders of the modules that dropyard consists of, by path,
// and of Go itself.
func compiledModules(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}",
			"./cmd/dropyard")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		lines, err := list.Output()
		if err != nil {
			t.Fatalf("%v: %v", list, err)
		}
		for line := range strings.Lines(string(lines)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				found[module] = dir
			}
		}
	}
	found["Go"] = found["golang.org/x/sys"] // which is under the same licence
	return found
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// licences returns the texts of the licences and notices in the folder of a module.
func licences(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
		texts = append(texts, strings.Trim(string(content), "\n")+"\n")
	}
	return strings.Join(texts, "\n")
}
