package scenes_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// TestBoardHandsParcelsOver hands the parcels of the order that is open over to a location, which is typed.
func TestBoardHandsParcelsOver(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "console-board-panel-transfer")
	_, orderID, _ := strings.Cut(scene.URL, "order=")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: heldBackScript + scene.Script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	shows(t, visit, `[...document.querySelectorAll("#hubs option")].map((option) => option.value).join()`,
		"HUB-LAVAL,MTL-1")
	shows(t, visit, `[...document.querySelectorAll("#courier-list li")].some((li) => li.textContent.includes("Zoé"))`,
		"false")
	if _, err := browser.Evaluate[any](visit, `document.getElementById("hub").focus(), null`); err != nil {
		t.Fatal(err)
	}
	press(t, visit, "HUB-2\r")
	shows(t, visit, `sent.join()`, "POST /ops/v1/orders/"+orderID+"/transfer")
	shows(t, visit, `document.querySelector("dialog[open]") === null`, "true")
}
