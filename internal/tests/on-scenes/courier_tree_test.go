package scenes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

var (
	// orderID matches an order's id in a tree.
	orderID = regexp.MustCompile(`ord_[0-9a-z…]+`)
	// nameless matches the line of a control without a name.
	nameless = regexp.MustCompile(
		`(?m)^ *(button|link|checkbox|radio|textbox|combobox|dialog|DisclosureTriangle|article|heading)( \(.*)?$`,
	)
)

// TestTreeOfCourierApp compares what a screen reader gets of the courier's app with the
// files in testdata/tree, which DROPYARD_UPDATE=1 replaces: the list of stops with the next
// one large, a stop with cash and its acts, and the dialogs of an act.
func TestTreeOfCourierApp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"courier-home", "courier-home-failed", "courier-proofs-cash", "courier-failing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := treeOf(t, name)
			for _, line := range nameless.FindAllString(got, -1) {
				t.Errorf("got %q, want a name", strings.TrimSpace(line))
			}
			file := filepath.Join("testdata", "tree", name+".txt")
			if os.Getenv("DROPYARD_UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant the content of %s:\n%s", got, file, want)
			}
		})
	}
}

// treeOf returns the tree of a scene, without the ids of orders, and with plain spaces.
func treeOf(t *testing.T, name string) string {
	t.Helper()
	scene := scenes.Scene(t, name)
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: scene.Script})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	tree, err := browser.Tree(visit)
	if err != nil {
		t.Fatal(err)
	}
	return orderID.ReplaceAllString(strings.ReplaceAll(tree, `\u00a0`, " "), "ord_…")
}
