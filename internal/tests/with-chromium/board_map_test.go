package chromium_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
)

// openMap opens the map of the board in a browser that can draw it.
func openMap(t *testing.T, operator *apptest.Operator, reader browser.Reader) *browser.Visit {
	t.Helper()
	testkit.NeedChromium.OrSkip(t)
	chromium, err := browser.StartDrawing(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chromium.Close)
	visit, err := chromium.Open(operator.URL+"/console/board?view=map", reader, browser.Options{
		Now: operator.Clock.Now(), Cookie: cookieOf(t, operator), Shown: ".map-view.settled",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	return visit
}

// mapOrders creates two orders to the middle of Toronto and one each to Ottawa and to two areas of Montréal that
// are neighbours. All but the first are with the courier.
func mapOrders(t *testing.T, service *apptest.Service) *apptest.Operator {
	t.Helper()
	partner, desk := service.Register(t, "metro"), service.Operate(t)
	for i, area := range []string{"M5H", "M5H", "K1P", "H2X", "H3A"} {
		id := orderAt(t, partner, desk, fmt.Sprintf("A-%d", i+1), "H2W", area)
		if i > 0 {
			for _, status := range []string{"courier_assigned", "picked_up"} {
				desk.Move(t, id, status).Must(t, http.StatusOK)
			}
		}
	}
	return desk
}

// TestMapOfBoard draws the map under the policy of the board: dots open from nearer, narrow the board and open
// orders, a courier's way has numbers, and a box selects what it encloses, also without the pointer.
func TestMapOfBoard(t *testing.T) {
	t.Parallel()
	desk := mapOrders(t, apptest.Start(t, inRealTime))
	visit := openMap(t, desk, browser.Reader{Language: "en", Width: 1280, Scripts: true})
	const toronto, montreal = `[aria-label="M5H, 2 orders"]`, `[aria-label="2 areas around H2X, 2 orders"]`
	steps(t, visit, [2]string{"", ".maplibregl-canvas"}, [2]string{"", toronto}, [2]string{"", montreal},
		[2]string{".map-side input[type=checkbox]", ".way path"}, [2]string{"", ".stop-number"})
	if err := visit.Do(chromedp.Focus(toronto), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(toronto+`[aria-current="true"]`)); err != nil {
		t.Fatal(err)
	}
	if got, err := browser.Evaluate[string](
		visit, `location.search + " " + document.querySelectorAll(".brief li").length`,
	); err != nil || got != "?zone=M5H&view=map 2" {
		t.Errorf("got %q, %v, want the zone in the address and its 2 orders", got, err)
	}
	steps(t, visit, [2]string{montreal, `[aria-label="A-4, H2X"]`}, [2]string{".whole-map", montreal},
		[2]string{".map-side .stack .copy", ".map-view:not(:has(.brief))"})

	const box = `(() => {
		const map = document.querySelector(".maplibregl-canvas-container"), { left, top } = map.getBoundingClientRect();
		const dots = [...document.querySelectorAll(".dot .spot")].map((dot) => dot.getBoundingClientRect());
		const from = { x: Math.min(...dots.map((dot) => dot.left)) - 8, y: Math.min(...dots.map((dot) => dot.top)) - 8 };
		const to = { x: Math.max(...dots.map((dot) => dot.right)) + 8, y: Math.max(...dots.map((dot) => dot.bottom)) + 8 };
		map.setPointerCapture = () => {};
		for (const [type, { x, y }] of [["pointerdown", from], ["pointermove", to], ["pointerup", to]])
			map.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, shiftKey: true, button: 0, bubbles: true }));
		return true; })()`
	// The map may still be on its way to where it shows all of them.
	const until = `(async () => {
		for (let i = 0; i < 600 && document.querySelector(".bulk strong")?.textContent !== "5 selected"; i++) {
			` + box + `;
			await new Promise((resolve) => setTimeout(resolve, 200));
		}
		return true; })()`
	if _, err := browser.Evaluate[bool](visit, until); err != nil {
		t.Fatal(err)
	}
	selected := func(want string) {
		t.Helper()
		steps(t, visit, [2]string{"", ".bulk strong"})
		if got, err := browser.Evaluate[string](visit, `document.querySelector(".bulk strong").textContent`); err != nil ||
			got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	selected("5 selected")
	steps(t, visit, [2]string{".bulk .last", ".map-view"},
		[2]string{".as-table summary", `[aria-label="Select 2 orders of M5H"]`},
		[2]string{`[aria-label="Select 2 orders of M5H"]`, `[aria-label="M5H, 2 orders, 2 selected"]`})
	selected("2 selected")
	for _, problem := range visit.Problems(console.BoardPolicy()) {
		t.Error(problem)
	}
}

// TestMapIsLoadedWhenOpened: the list of the board loads nothing of the map.
func TestMapIsLoadedWhenOpened(t *testing.T) {
	t.Parallel()
	desk := apptest.Start(t, inRealTime).Operate(t)
	visit := openBoard(t, desk, "")
	steps(t, visit, [2]string{"", ".connection.live"})
	const files = `performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => /maplibre|basemap\.[0-9a-f]+\.json|topojson/.test(name))`
	if got, err := browser.Evaluate[[]string](visit, files); err != nil || len(got) > 0 {
		t.Errorf("got %q, %v, want nothing of the map", got, err)
	}
}

// TestMapWithoutWebGL: the table is all that there is, and the page says why.
func TestMapWithoutWebGL(t *testing.T) {
	t.Parallel()
	desk := mapOrders(t, apptest.Start(t, inRealTime))
	visit := openBoard(t, desk, "?view=map")
	steps(t, visit, [2]string{"", ".map-view.impossible .as-table tbody tr"},
		[2]string{`.as-table th .copy`, `.as-table th [aria-pressed="true"]`}, [2]string{"", ".brief li"})
	const files = `performance.getEntriesByType("resource").filter(({ name }) => /maplibre/.test(name)).length`
	if got, err := browser.Evaluate[int](visit, files); err != nil || got != 0 {
		t.Errorf("got %d files of MapLibre, %v, want none", got, err)
	}
	for _, problem := range visit.Problems(console.BoardPolicy()) {
		t.Error(problem)
	}
}
