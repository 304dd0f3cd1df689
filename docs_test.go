package dropyard_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`")
	namedFile = regexp.MustCompile("`([\\w-]+\\.(?:go|js|mjs|html|properties|py|ts|css|sql))`")
	namedPath = regexp.MustCompile("`((?:api|bench|client|cmd|docs|internal)/[^` ]*)`")
)

// TestDocsNameWhatExists fails for a test, a file or a path that a document names and the
// repository lacks. Names with … or <…> stand for several.
func TestDocsNameWhatExists(t *testing.T) {
	t.Parallel()
	tests, files := testNames(t), fileNames(t)
	documents := []string{"README.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/guides/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("got the documents %q, %v for %s", found, err, pattern)
		}
		documents = append(documents, found...)
	}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range namedTest.FindAllStringSubmatch(string(text), -1) {
			if !tests[name[1]] {
				t.Errorf("%s: no test is called %s", document, name[1])
			}
		}
		for _, name := range namedFile.FindAllStringSubmatch(string(text), -1) {
			if !files[name[1]] {
				t.Errorf("%s: no file is called %s", document, name[1])
			}
		}
		for _, path := range namedPath.FindAllStringSubmatch(string(text), -1) {
			if strings.ContainsAny(path[1], "…<*") || strings.HasPrefix(path[1], "client/v") { // a tag
				continue
			}
			if _, err := os.Stat(strings.TrimSuffix(path[1], "/")); err != nil {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
}

// fileNames returns the names of all files of the repository, without their folders.
func fileNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		names[filepath.Base(path)] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// testNames returns the names of all tests of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	names := map[string]bool{"TestWebhook": true} // a method of the client
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range declared.FindAllSubmatch(text, -1) {
			names[string(name[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
