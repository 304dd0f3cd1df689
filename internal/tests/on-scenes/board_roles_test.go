package scenes_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// drawnScript opens the list of keys of the board, and returns where its links and keys lead to.
const drawnScript = `new Promise((resolve) => {
  dispatchEvent(new KeyboardEvent("keydown", { key: "?" }));
  const look = () => {
    const keys = [...document.querySelectorAll(".keys-help dt")].map((key) => key.textContent.trim());
    if (!keys.length) return setTimeout(look, 20);
    const links = [...document.querySelectorAll("#board a[href^='/']")].map((link) => link.getAttribute("href"));
    resolve({ links: [...new Set(links)], keys: keys.filter((key) => key.startsWith("g ")) });
  };
  look();
})`

// TestBoardDrawsWhatRolesMayUse opens the board with the panel of an order as each role:
// what the scripts draw leads only to pages that the role may open.
func TestBoardDrawsWhatRolesMayUse(t *testing.T) {
	t.Parallel()
	find := func(name string) pagetest.Scene {
		return scenes.Scene(t, name)
	}
	board := find("console-board-panel")
	for _, c := range []struct{ role, cookie, keys string }{
		{"admin", find("console-operators").Cookie, "g b, g c, g s, g p"},
		{"dispatcher", board.Cookie, "g b, g c, g p"},
	} {
		visit, err := scenes.Running(t).Open(board.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
			browser.Options{Now: pagetest.Now, Cookie: c.cookie, Shown: board.Shown})
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := browser.Evaluate[struct {
			Links []string `json:"links"`
			Keys  []string `json:"keys"`
		}](visit, drawnScript)
		visit.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(drawn.Keys, ", "); got != c.keys {
			t.Errorf("%s: got the keys %q, want %q", c.role, got, c.keys)
		}
		if len(drawn.Links) < 2 {
			t.Errorf("%s: got the links %q, want those of the panel", c.role, drawn.Links)
		}
		base, _, _ := strings.Cut(board.URL, "/console")
		for _, link := range drawn.Links {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+link, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Cookie", c.cookie)
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %s: got status %d, want a page that the role may open", c.role, link, answer.StatusCode)
			}
		}
	}
}
