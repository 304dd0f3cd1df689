package chromium_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/portal"
)

// portalMap opens the map of a partner with two orders to the middle of Toronto, one of which has failed, one to
// Ottawa and one each to two areas of Montréal that are neighbours.
func portalMap(t *testing.T, chromium *browser.Browser, shown string) *browser.Visit {
	t.Helper()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	for _, order := range [][2]string{{"A-1", "M5H"}, {"A-2", "M5H"}, {"A-3", "K1P"}, {"A-4", "H2X"}, {"A-5", "H3A"}} {
		id := orderAt(t, metro, desk, order[0], "H2W", order[1])
		if order[0] == "A-1" {
			for _, status := range []string{"courier_assigned", "failed"} {
				desk.Move(t, id, status).Must(t, http.StatusOK)
			}
		}
	}
	visit, err := chromium.Open(s.URL+"/portal/orders/map", browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: s.Clock.Now(), Cookie: metro.Owner(t).Cookie, Shown: shown})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	return visit
}

// TestMapOfPortal draws the map under its policy: dots open from nearer, and lead to the orders of an area and to
// the page of an order, also without the pointer.
func TestMapOfPortal(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	chromium, err := browser.StartDrawing(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chromium.Close)
	visit := portalMap(t, chromium, ".map-frame.ready")
	const toronto = `[aria-label="M5H, 2 orders, 1 needs attention"]`
	const montreal = `[aria-label="2 areas around H2X, 2 orders"]`
	steps(t, visit, [2]string{"", ".maplibregl-canvas"}, [2]string{"", ".dot.tone-attention " + toronto},
		[2]string{montreal, `[aria-label="A-4, H2X, Accepted"]`}, [2]string{".whole-map", montreal})
	for _, problem := range visit.Problems(portal.MapPolicy()) {
		t.Error(problem)
	}
	rests(t, visit)
	if err := visit.Do(chromedp.Focus(toronto), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(`a[href="/portal/orders/map?area=M5H"][aria-current="true"]`)); err != nil {
		t.Fatal(err)
	}
	const order = `.dot.chosen [aria-label="A-2, M5H, Accepted"]`
	steps(t, visit, [2]string{"", "#of-area"}, [2]string{"", order})
	for _, problem := range visit.Problems(portal.MapPolicy()) {
		t.Error(problem)
	}
	rests(t, visit)
	if err := visit.Do(chromedp.Focus(order), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(".timeline, [data-live]")); err != nil {
		t.Fatal(err)
	}
	if got, err := browser.Evaluate[string](visit, `location.pathname`); err != nil ||
		!strings.HasPrefix(got, "/portal/orders/ord_") {
		t.Errorf("got to %q, %v, want the page of the order", got, err)
	}
}

// rests waits until the dots of a map do not move: while it flies to another place, they are replaced.
func rests(t *testing.T, visit *browser.Visit) {
	t.Helper()
	if _, err := browser.Evaluate[bool](visit, `new Promise((resolve) => {
	  let before = "", frames = 0;
	  const look = () => {
	    const dots = [...document.querySelectorAll(".dot")].map((dot) => dot.outerHTML).join();
	    frames = dots === before ? frames + 1 : 0;
	    before = dots;
	    if (frames === 20) resolve(true); else requestAnimationFrame(look);
	  };
	  look();
	})`); err != nil {
		t.Fatal(err)
	}
}

// TestMapOfPortalWithoutWebGL: the table is all that there is, nothing of MapLibre is loaded, and the page says why.
func TestMapOfPortalWithoutWebGL(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	visit := portalMap(t, startChromium(t), ".map-frame.impossible")
	steps(t, visit, [2]string{`.by-area a[href$="area=M5H"]`, "#of-area"})
	const files = `performance.getEntriesByType("resource").filter(({ name }) => /maplibre/.test(name)).length`
	if got, err := browser.Evaluate[int](visit, files); err != nil || got != 0 {
		t.Errorf("got %d files of MapLibre, %v, want none", got, err)
	}
	for _, problem := range visit.Problems(portal.MapPolicy()) {
		t.Error(problem)
	}
}
