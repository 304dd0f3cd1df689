package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// line is the way from a phone to the service, whichever program serves at the moment. Requests for paths that begin
// with cut get no response.
type line struct {
	url string
	cut atomic.Pointer[string] // nil for none
}

func newLine(t *testing.T, n *node) *line {
	t.Helper()
	w := &line{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target, _ := url.Parse(n.service().URL) // of a process that printed it
		r.SetURL(target)
	}}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if cut := w.cut.Load(); cut != nil && strings.HasPrefix(r.URL.Path, *cut) {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// keptApp is the app of a courier on a phone that keeps it.
type keptApp struct {
	*testing.T
	*browser.Visit
}

// sees waits for an element.
func (a keptApp) sees(selector string) {
	a.Helper()
	a.do(chromedp.WaitVisible(selector))
}

func (a keptApp) do(actions ...chromedp.Action[chromedp.Void]) {
	a.Helper()
	if err := a.Do(actions...); err != nil {
		a.failed(err)
	}
}

func (a keptApp) failed(err error) {
	a.Helper()
	shown, _ := browser.Evaluate[string](a.Visit, `document.querySelector("main")?.textContent ?? ""`)
	a.Fatalf("%v; the page shows: %s", err, shown)
}

// tap taps an element, and waits for another.
func (a keptApp) tap(selector, then string) {
	a.Helper()
	a.do(chromedp.Click(selector), chromedp.WaitVisible(then))
}

// value returns the value of an expression, which may be a promise.
func (a keptApp) value(expression string) string {
	a.Helper()
	got, err := browser.Evaluate[any](a.Visit, expression)
	if err != nil {
		a.failed(fmt.Errorf("%s: %w", expression, err))
	}
	return fmt.Sprint(got)
}

// card selects the large card of an order in a status, with what is inside of it.
func card(order, status, inside string) string {
	return fmt.Sprintf(".stop.large[data-order=%q][data-status=%q]%s", order, status, inside)
}

// actButton selects the button of an act that can be tapped.
func actButton(status string) string {
	return fmt.Sprintf(" [data-act=%q]:not([aria-disabled])", status)
}

const (
	versionOfApp = `document.getElementById("courier").dataset.version`
	sent         = ":not(:has(.unsent))"
	comesOnline  = `dispatchEvent(new Event("online")); ""`
)

// allSent waits until no act waits on the phone.
const allSent = `new Promise((resolve, reject) => {
	const opening = indexedDB.open("dropyard-courier");
	opening.onerror = reject;
	opening.onsuccess = () => (function look() {
		opening.result.transaction("acts").objectStore("acts").count().onsuccess = ({ target }) => {
			if (target.result > 0) return setTimeout(look, 20);
			opening.result.close();
			resolve("");
		};
	})();
})`

// TestAppUpgrade has a courier's phone offline while the service is upgraded. The app of 0.1.0, which is open, sends
// what was tapped. Other acts wait while the app becomes the new one, which starts with what the old one has kept and
// sends them. The courier stays signed in.
func TestAppUpgrade(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	n := &node{settings: settings{data: filepath.Join(t.TempDir(), "data"), binary: oldBinary(t)}}
	n.start(t)
	c := &carried{partner: n.service().Register(t, "carrier"), desk: n.service().Operate(t), orders: map[string]string{}}
	rider := c.desk.As(t, "courier")
	c.lamp = c.desk.Stock(t, c.partner.PartnerID, "Lamp", map[string]int{"MTL-1": stocked})
	cash := c.assign(t, n.service(), "cash")
	w := newLine(t, n)
	app := openKept(t, w, rider)
	old := app.value(versionOfApp)

	everything, requests := "/", "/ops/v1/"
	w.cut.Store(&everything)
	app.do(chromedp.Navigate(w.url + "/courier")) // it starts without a connection
	app.sees(card(cash, "courier_assigned", actButton("picked_up")))
	app.tap(card(cash, "courier_assigned", actButton("picked_up")), card(cash, "picked_up", actButton("out_for_delivery")))
	app.tap(card(cash, "picked_up", actButton("out_for_delivery")), card(cash, "out_for_delivery", actButton("delivered")))
	app.tap(card(cash, "out_for_delivery", actButton("delivered")), `dialog [name="collected"]`)
	app.do(chromedp.Click(`dialog [name="collected"]`),
		chromedp.SetUploadFiles(`dialog input[type="file"]`, []string{pictureFile(t)}), chromedp.WaitVisible("dialog .photo img"))
	app.tap("dialog .button.first.large:not([aria-disabled=true])", ".done .unsent")

	n.process.end(syscall.SIGTERM)
	n.settings.binary = ""
	n.start(t)
	c.deskAt(n.service()).Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
	half := c.assign(t, n.service(), "half")
	w.cut.Store(nil)
	app.value(comesOnline)
	app.sees(card(half, "courier_assigned", actButton("picked_up")))
	app.value(allSent)
	if got := app.value(versionOfApp); got != old {
		t.Errorf("got version %s of the app that is open, want the old one", got)
	}

	w.cut.Store(&requests)
	app.tap(card(half, "courier_assigned", actButton("picked_up")), card(half, "picked_up", actButton("out_for_delivery")))
	app.tap(card(half, "picked_up", actButton("out_for_delivery")),
		card(half, "out_for_delivery", actButton("delivered")))
	app.value(`navigator.serviceWorker.ready.then((registration) => registration.update()).then(() => "")`)
	app.tap(`[role="status"] .notice.line .button`, card(half, "out_for_delivery", actButton("delivered")))
	if got := app.value(versionOfApp); got == old {
		t.Errorf("got version %s of the app that was started again, want the new one", got)
	}
	app.sees(card(half, "out_for_delivery", " .unsent"))
	w.cut.Store(nil)
	app.value(comesOnline)
	app.sees(card(half, "out_for_delivery", sent))
	app.tap(card(half, "out_for_delivery", actButton("delivered")), "dialog .button.first.large")
	app.tap("dialog .button.first.large", ".done summary")
	app.value(allSent)
	me := `fetch("/ops/v1/me", {headers: {Accept: "application/json"}}).then((r) => r.json()).then((me) => me.operator_id)`
	if got := app.value(me); got != rider.OperatorID {
		t.Errorf("got %s signed in, want %s", got, rider.OperatorID)
	}

	n.process.end(syscall.SIGTERM)
	for name, want := range map[string]string{
		"cash": "picked_up out_for_delivery delivered; photo; delivery unconfirmed",
		"half": "picked_up out_for_delivery delivered; ; delivery",
	} {
		if got := c.story(t, n.stored(), c.orders[name]); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	n.stored().Audit(t)
}

// openKept opens the app of a courier on a phone, and waits until the phone keeps it.
func openKept(t *testing.T, w *line, rider *apptest.Operator) keptApp {
	t.Helper()
	chromium, err := browser.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chromium.Close)
	visit, err := chromium.Open(w.url+"/courier", browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Cookie: newPhone(t, rider).cookie, Kept: true, Shown: ".stop.large"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	app := keptApp{t, visit}
	app.value(`navigator.serviceWorker.ready.then(() => "")`)
	return app
}

// pictureFile returns the path of a picture that a camera could have taken.
func pictureFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "photo.jpg")
	if err := os.WriteFile(path, new(phone).picture(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
