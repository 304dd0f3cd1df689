package scenes_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// TestSlashLeadsToTheSearch: from any page of the console and the portal / leads to the search of orders; in a
// field it is a character. What the search finds alone opens at once.
func TestSlashLeadsToTheSearch(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ field, typed, path string }{
		"console-board":    {"search", "Ended", "/console/orders?open=1&q=Ended"}, // no open order has it
		"console-couriers": {"find", "N-203", "/console/orders/"},
		"console-orders":   {"orders-search", "N-203", "/console/orders?q=N-203"},
		"portal-home":      {"find", "A-1042", "/portal/orders/"},
	} {
		scene := scenes.Scene(t, name)
		visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
			browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown})
		if err != nil {
			t.Fatal(err)
		}
		press(t, visit, "/")
		shows(t, visit, "document.activeElement.id", want.field)
		press(t, visit, "/")
		shows(t, visit, "document.activeElement.value", "/")
		press(t, visit, kb.Backspace+want.typed+kb.Enter)
		shows(t, visit, "(location.pathname + location.search).startsWith('"+want.path+"')", "true")
		visit.Close()
	}
}
