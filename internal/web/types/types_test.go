// Package types_test checks the types of all modules that pages load, which are in their
// JSDoc comments. No page loads anything from this folder.
package types_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestModulesHaveTypes runs the TypeScript compiler over the assets of all packages.
func TestModulesHaveTypes(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedNode.OrSkip(t)
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json"} {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	folders, err := filepath.Glob("../*/assets")
	if err != nil || len(folders) == 0 {
		t.Fatalf("got the folders %q, %v, want those of the rooms", folders, err)
	}
	for _, folder := range folders {
		if err := os.CopyFS(filepath.Join(dir, filepath.Base(filepath.Dir(folder)), "assets"), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	for _, arguments := range [][]string{
		{"ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, {"run", "--silent", "check"},
	} {
		command := exec.CommandContext(t.Context(), "npm", arguments...)
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
}
