package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// TestBoardSendsMessages writes to a courier from the view of couriers. The column and the dialog show
// that the message was read once the courier has confirmed it.
func TestBoardSendsMessages(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "console-board-message")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: scene.Script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	const newest, list = `.lane:has([data-act=message]) .newest bdi`, `.dialog [role=status] > div`
	shows(t, visit, `document.querySelector(".dialog h2").textContent.startsWith("Message to ")`, "true")
	shows(t, visit, `document.querySelectorAll("`+list+`").length`, "1")
	if _, err := browser.Evaluate[any](visit, `document.querySelector(".dialog textarea").focus(), null`); err != nil {
		t.Fatal(err)
	}
	press(t, visit, "Call me, please.")
	if _, err := browser.Evaluate[any](visit, `document.querySelector(".dialog .first").click(), null`); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, `document.querySelector("`+list+` p").textContent`, "Call me, please.")
	shows(t, visit, `document.querySelector("`+list+` strong").textContent`, "not read yet")
	shows(t, visit, `document.querySelector(".dialog textarea").value`, "")
	shows(t, visit, `document.querySelector("`+newest+`").textContent`, "Call me, please.")
	if _, err := browser.Evaluate[any](visit, `confirm(); document.querySelector(".dialog .copy").click();
		requestAnimationFrame(() => document.querySelector("[data-act=message]").click()), null`); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, `document.querySelector("`+list+` .small > :last-child").textContent`, "read today, 12:48 PM")
}
