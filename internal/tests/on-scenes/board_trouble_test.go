package scenes_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// heldBodiesScript keeps what the board would change, with the bodies, in the list "sent".
const heldBodiesScript = `(() => {
  globalThis.sent = [];
  const real = fetch;
  globalThis.fetch = (address, options = {}) => {
    if ((options.method ?? "GET") === "GET") return real(address, options);
    sent.push([address.replace(/ord_[^/]*/, "ord"), JSON.parse(options.body ?? "null")]);
    return new Promise(() => {});
  };
})();`

// openScene opens a scene of the board, whose changes are kept in the list "sent".
func openScene(t *testing.T, name, language string) *browser.Visit {
	t.Helper()
	scene := scenes.Scene(t, name)
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: language, Width: 1280, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: heldBodiesScript + scene.Script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	return visit
}

// click presses what a selector names.
func click(t *testing.T, visit *browser.Visit, selector string) {
	t.Helper()
	if err := visit.Do(chromedp.Click(selector)); err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
}

// acts is an expression for the acts in what a selector names.
func acts(selector string) string {
	return `[...document.querySelectorAll("` + selector + ` [data-to]")].map((one) => one.dataset.to).join()`
}

// TestPanelLeadsWithTheFailedAttempt opens an order whose attempt has failed: the panel begins with why, which attempt
// it was, when the next one is planned, and what may be done, which is not offered again below.
func TestPanelLeadsWithTheFailedAttempt(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"en": "Failed 1st attempt · |No one was there to take the delivery.|Next attempt tomorrow",
		"fr": "Échouée 1re tentative · |Il n’y avait personne pour recevoir la livraison.|Prochaine tentative demain",
	} {
		visit := openScene(t, "console-board-panel-failed", language)
		shows(t, visit, `document.querySelector(".panel-body h2").closest(".spread").nextElementSibling.nextElementSibling.matches(".trouble.danger")`,
			"true")
		shown, err := browser.Evaluate[string](visit, `document.querySelector(".trouble").textContent.replace(/\s+/g, " ")`)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(want, "|") {
			if !strings.Contains(shown, part) {
				t.Errorf("got %q, %v, want %q in it", shown, err, part)
			}
		}
		shows(t, visit, acts(".trouble"), "again,cancelled")
		shows(t, visit, acts(".panel-body > .line"), "transfer")
		shows(t, visit, `document.querySelectorAll(".panel-body .status-failed").length`, "1")
	}
}

// TestNextAttemptIsPlanned tries an order again: the dialog has the time that was planned, on the destination's clocks.
func TestNextAttemptIsPlanned(t *testing.T) {
	t.Parallel()
	visit := openScene(t, "console-board-panel-failed", "en")
	click(t, visit, `.trouble [data-to="again"]`)
	shows(t, visit, `document.getElementById("act-start")?.value`, "in_transit")
	shows(t, visit, `document.getElementById("act-at").value`, "2026-06-19T08:50") // in Ottawa
	click(t, visit, `dialog .button.first`)
	shows(t, visit, `sent.map(([address, body]) => [address, body.status, body.eta]).join()`,
		"/ops/v1/orders/ord/status,in_transit,2026-06-19T12:50:00.000Z")
}

// TestPanelSaysWhatWaits opens an order with a request to cancel it and an edit that its courier does not know: each
// is said once, with the act that helps.
func TestPanelSaysWhatWaits(t *testing.T) {
	t.Parallel()
	visit := openScene(t, "console-board-panel-troubled", "en")
	texts, err := browser.Evaluate[[]string](visit, `[".trouble", ".panel-order"].map((part) => document.querySelector(part).textContent)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"The recipient has moved to Halifax.", "not confirmed by the courier: Dropoff · Phone, Dropoff · ",
	} {
		if !strings.Contains(texts[0], text) || strings.Count(texts[1], text) != 1 {
			t.Errorf("got %q in the box of %q, want %q once", texts[0], texts[1], text)
		}
	}
	shows(t, visit, acts(".trouble"), "confirm")
	click(t, visit, `.trouble [data-to="confirm"]`)
	shows(t, visit, `sent.map(([address, body]) => [address, body.version > 1]).join()`, "/ops/v1/orders/ord/confirm,true")
}
