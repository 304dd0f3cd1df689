package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// writtenScript gives the courier two messages and the number of the desk, as long as the page is online.
const writtenScript = `(() => {
  const real = fetch;
  globalThis.connected = true;
  globalThis.fetch = async (address, options = {}) => {
    if (!connected) throw new TypeError("Failed to fetch");
    const response = await real(address, options);
    if (!String(address).includes("/ops/v1/jobs")) return response;
    const round = await response.json(), message = (id, text) => ({ message_id: id, text, at: "2026-06-18T16:42:00Z" });
    return new Response(JSON.stringify({ ...round, dispatch_phone: "+15145550100", messages: [message("m1", "Call Camille."), message("m2", "Thanks!")] }), response);
  };
})();`

// TestCourierReadsMessages confirms a message without a connection: the next one is shown, the desk can
// still be called, and the confirmation waits with its own path.
func TestCourierReadsMessages(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "courier-home")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{
			Now: pagetest.Now, Cookie: scene.Cookie, Shown: ".message .act:not([aria-disabled])", Script: writtenScript,
		})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	shows(t, visit, `document.querySelector(".message .said").textContent`, "Call Camille.")
	shows(t, visit, `document.querySelector(".bar .call").href`, "tel:+15145550100")
	for _, problem := range append(visit.Problems(scene.Policy), visit.SmallTargets()...) {
		t.Error(problem)
	}
	if _, err := browser.Evaluate[any](visit, `connected = false;null`); err != nil {
		t.Fatal(err)
	}
	press := func(what string) {
		t.Helper()
		if _, err := browser.Evaluate[any](visit, pressed+"(`"+what+"`)"); err != nil {
			t.Fatal(err)
		}
	}
	press(`.message [data-act="read"]`)
	shows(t, visit, `document.querySelector(".message .said").textContent`, "Thanks!")
	shows(t, visit, `document.querySelector(".sends").textContent.includes("1")`, "true")
	press(`.message [data-act="read"]`)
	shows(t, visit, `document.querySelectorAll(".message").length`, "0")
	shows(t, visit, `document.querySelector("p.hidden[role=status]").textContent`, "Recorded: you have read the message.")
	press(`.open-menu`)
	shows(t, visit, `document.querySelector('.dialog [href^="tel:"]').textContent`, "Call dispatch")
}
