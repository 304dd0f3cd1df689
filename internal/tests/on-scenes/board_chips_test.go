package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// manyScript answers the board's calls itself: there are 50,000 orders, so that each chip
// has a count of five digits, and every reason has orders.
const manyScript = `(() => {
  const statuses = ["pending", "accepted", "courier_assigned", "in_transit", "failed"], past = { start: "2026-01-01T08:00:00Z", end: "2026-01-01T09:00:00Z" };
  const orders = Array.from({ length: 50000 }, (_, i) => ({
    order_id: "ord_" + String(i).padStart(16, "0"), partner_id: "par_1", partner_name: "Metro", partner_order_id: "A-" + i, status: statuses[i % 5], version: 1,
    service_level: "standard", courier: i % 5 > 1 ? { courier_id: "cou_1", name: "Camille", active: false } : null, zone: "H2X", city: "Montréal",
    pickup_window: past, dropoff_window: past, estimated_delivery: "2026-01-01T10:00:00Z", failures: 2, created_at: past.start, updated_at: past.start,
  }));
  const real = fetch;
  globalThis.fetch = (address, options) => {
    if (String(address).includes("/orders/snapshot")) return Promise.resolve(new Response(JSON.stringify({ orders, after: "1" })));
    return String(address).includes("/orders/changes") ? new Promise(() => {}) : real(address, options);
  };
})();`

// TestBoardStaysWhenCountsCome opens the board with a filter, for which the service has no
// counts: when the rows have been read, the chips get counts of five digits, and the list
// stays where it is. What moves is measured at full length only.
func TestBoardStaysWhenCountsCome(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	board := scenes.Scene(t, "console-board")
	for _, language := range []string{"en", "fr"} {
		visit, err := scenes.Running(t).Open(board.URL+"?level=standard",
			browser.Reader{Language: language, Width: 1280, Scripts: true},
			browser.Options{Now: pagetest.Now, Cookie: board.Cookie, Shown: ".connection.live", Script: manyScript})
		if err != nil {
			t.Fatal(err)
		}
		count, err := browser.Evaluate[string](visit,
			`document.querySelector(".chip:nth-child(2) b").textContent.replace(/\D/g, "")`)
		if problems := visit.Problems(console.BoardPolicy()); err != nil || count != "10000" || len(problems) > 0 {
			t.Errorf("%s: got %v, %q orders that are pending and %q, want 10000 and no problems", language, err, count, problems)
		}
		visit.Close()
	}
}
