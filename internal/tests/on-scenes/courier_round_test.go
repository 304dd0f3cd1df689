package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// loadingScript gives the courier a delivery and three pickups, two of them at one address,
// keeps what is recorded from being sent, and knows the connections to the phone's storage.
const loadingScript = `(() => {
  const real = fetch;
  globalThis.fetch = async (address, options = {}) => {
    if (options.method === "POST") return new Promise(() => {});
    if (/ord_(twin|there)/.test(address)) return new Response("{}"); // which the service does not know
    const response = await real(address, options);
    if (!String(address).includes("/ops/v1/jobs")) return response;
    const round = await response.json(), pickup = round.jobs.find((job) => job.status === "courier_assigned"), delivery = round.jobs.find((job) => job.status === "in_transit");
    const another = (id, line1) => ({ ...pickup, order_id: "ord_" + id, partner_order_id: id, stop: { ...pickup.stop, address: { ...pickup.stop.address, line1: line1 ?? pickup.stop.address.line1.toLowerCase() } } });
    return new Response(JSON.stringify({ ...round, jobs: [pickup, another("there", "1 Elsewhere Street"), another("twin"), delivery] }), response);
  };
  globalThis.connections = [];
  const open = indexedDB.open;
  indexedDB.open = function (...a) {
    const request = open.apply(this, a);
    request.addEventListener("success", () => connections.push(request.result));
    return request;
  };
})();`

const (
	largeOrders = `(document.querySelector(".large")?.dataset.orders?.split(" ").length ?? 1)`
	pickedUp    = `document.querySelectorAll(".stop[data-status=picked_up]").length`
	// pressed presses an act of the large card, as soon as it can be.
	pressed = `(async (what) => {
	  for (let button; ;) {
	    if (button = document.querySelector(what + ":not([aria-disabled])")) return button.click();
	    await new Promise((resolve) => setTimeout(resolve, 20));
	  }
	})`
)

// TestCourierLoadsAndStarts picks up what lies at one address with one tap, although the
// system has closed the connection to the phone's storage, and starts the round.
func TestCourierLoadsAndStarts(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "courier-home")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: loadingScript})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	press := func(what string) {
		t.Helper()
		if _, err := browser.Evaluate[any](visit, pressed+"(`"+what+"`)"); err != nil {
			t.Fatal(err)
		}
	}
	shows(t, visit, `document.querySelector(".count").textContent`, "Today · 3 stops")
	shows(t, visit, largeOrders, "2")
	for _, problem := range append(visit.Problems(scene.Policy), visit.SmallTargets()...) {
		t.Error(problem)
	}
	// iOS closes the connections of apps in the background.
	if _, err := browser.Evaluate[any](visit, `connections.forEach((one) => one.close());null`); err != nil {
		t.Fatal(err)
	}
	press(`.large [data-act="picked_up"]`)
	shows(t, visit, pickedUp, "2")
	shows(t, visit, `document.querySelectorAll(".low .notice").length`, "0")
	// the list is at the first stop again
	shows(t, visit, `document.querySelector(".stops > li:first-child .large") !== null`, "true")
	press(`.small[data-order="ord_there"]`)
	press(`.large[data-order="ord_there"] [data-act="picked_up"]`)
	shows(t, visit, pickedUp, "3")
	shows(t, visit, `document.querySelector(".stops > li:first-child .large") !== null`, "true")
	shows(t, visit, `document.querySelector("[data-act=start]").textContent`, "Start the round: 4 orders")
	press(`[data-act="start"]`)
	shows(t, visit, `document.querySelectorAll(".stop[data-status=out_for_delivery]").length`, "4")
	shows(t, visit, `document.querySelectorAll("[data-act=start]").length`, "0")
	shows(t, visit, `document.querySelectorAll(".refusal, .low .notice").length`, "0")
}
