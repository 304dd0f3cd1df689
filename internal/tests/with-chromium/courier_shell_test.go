package chromium_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/courier"
)

// link is the way from a phone to the service. It can be cut, and it can make the service
// seem to have a newer version of the courier's app.
type link struct {
	url   string
	cut   atomic.Bool
	newer atomic.Pointer[string] // the old version; nil while the service is as it is
}

// newerVersion takes the place of the version of the app. It is as long.
const newerVersion = "ffffffffffffffff"

// newLink returns a way to a service.
func newLink(t *testing.T, s *apptest.Service) *link {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	l := &link{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: l.modify,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.cut.Load() {
			panic(http.ErrAbortHandler) // the connection ends without a response
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// modify writes the newer version into the worker and the pages.
func (l *link) modify(response *http.Response) error {
	old := l.newer.Load()
	if path := response.Request.URL.Path; old == nil ||
		!slices.Contains([]string{"/courier", "/courier/offline", "/courier/worker.js"}, path) {
		return nil
	}
	if response.Header.Get("Dropyard-App") != "" {
		response.Header.Set("Dropyard-App", newerVersion)
	}
	response.Body = replaced(response.Body, *old, newerVersion)
	return nil
}

// openApp opens the app of a courier in a browser that keeps what it loads, and waits
// until the worker has kept the app.
func openApp(t *testing.T, l *link, as *apptest.Operator) *browser.Visit {
	t.Helper()
	testkit.NeedChromium.OrSkip(t)
	chromium := startChromium(t)
	cookie := cookieOf(t, as)
	visit, err := chromium.Open(l.url+"/courier", browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Cookie: cookie, Kept: true, Script: ownClock, Shown: ".bar h1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	evaluate(t, visit, `navigator.serviceWorker.ready.then(() => "")`, "")
	return visit
}

// evaluate fails the test unless an expression has a value in the page.
func evaluate(t *testing.T, visit *browser.Visit, expression, want string) {
	t.Helper()
	if got, err := browser.Evaluate[string](visit, expression); err != nil || got != want {
		t.Fatalf("%s: got %q, %v, want %q", expression, got, err, want)
	}
}

// goTo opens a page in the tab of a visit, and waits for an element.
func goTo(t *testing.T, visit *browser.Visit, address, shown string) {
	t.Helper()
	if err := visit.Do(chromedp.Navigate(address), chromedp.WaitVisible(shown)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}

const keptDocument = `caches.match("/courier", { ignoreVary: true }).then((found) => String(found?.status))`

// TestCourierAppStartsOffline opens the app once, looks at whether it can be installed, and
// starts it without a connection and without a session.
func TestCourierAppStartsOffline(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	l := newLink(t, service)
	rider := service.Operate(t).As(t, "courier")
	visit := openApp(t, l, rider)
	checkInstallable(t, visit)
	evaluate(t, visit, keptDocument, "200")

	l.cut.Store(true)
	goTo(t, visit, l.url+"/courier", ".bar h1")
	evaluate(t, visit, `document.getElementById("courier").dataset.operator`, rider.OperatorID)
	// or the clock would be set by it
	evaluate(t, visit, `String(document.getElementById("courier").dataset.served)`, "undefined")
	evaluate(t, visit, `performance.getEntriesByType("resource").filter((e) => e.name.includes("/assets/") && !e.workerStart).map((e) => e.name).join()`, "")
	goTo(t, visit, l.url+"/courier/sign-in", `a[href="/courier"]`)
	evaluate(t, visit, `document.querySelector("h1").textContent`, "No connection")
	goTo(t, visit, l.url+"/courier", ".bar h1")

	l.cut.Store(false)
	clearCookies(t, visit)
	goTo(t, visit, l.url+"/courier", ".bar h1")
	evaluate(t, visit, keptDocument, "200")
	for _, problem := range visit.Problems(courier.Policy()) {
		if !expected(problem) {
			t.Error(problem)
		}
	}
}

// expected reports whether a problem comes from the test: what the browser itself says of
// a request without an answer or a session, the policy of another page, and the notice that
// moves the stops down when the courier turns out to be signed out.
func expected(problem string) bool {
	return strings.HasPrefix(problem, "layout shift") || strings.Contains(problem, "Failed to load resource") &&
		strings.Contains(problem, "/ops/v1/") || strings.Contains(problem, "/courier/sign-in: got ")
}

// checkInstallable fails the test if the browser would not install the app.
func checkInstallable(t *testing.T, visit *browser.Visit) {
	t.Helper()
	manifest, err := chromedp.Call(visit.Page, page.GetAppManifest, page.GetAppManifestParams{})
	if err != nil || len(manifest.Errors) > 0 || !strings.Contains(manifest.Data, "Dropyard for couriers") {
		t.Errorf("got the manifest %q with %v, %v", manifest.Data, manifest.Errors, err)
	}
	found, err := chromedp.Call(visit.Page, page.GetInstallabilityErrors, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found.InstallabilityErrors {
		if one.ErrorID != "in-incognito" { // as all visits are
			t.Errorf("got %+v, want no reason not to install the app", *one)
		}
	}
}

// TestCourierAppTakesNewVersions has the app open while the service gets a newer version.
// The page is not disturbed, says so, and the next start uses the newer one, also without a
// connection.
func TestCourierAppTakesNewVersions(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	l := newLink(t, service)
	visit := openApp(t, l, service.Operate(t).As(t, "courier"))
	old, err := browser.Evaluate[string](visit, `document.getElementById("courier").dataset.version`)
	if err != nil {
		t.Fatal(err)
	}
	const names = `caches.keys().then((names) => names.sort().join())`
	evaluate(t, visit, names, "courier "+old)

	l.newer.Store(&old)
	const heard = `new Promise((resolve) => {
		navigator.serviceWorker.addEventListener("message", (event) => event.data.version === document.getElementById("courier").dataset.version || resolve(event.data.version));
		navigator.serviceWorker.ready.then((registration) => registration.update());
	})`
	evaluate(t, visit, heard, newerVersion)
	evaluate(t, visit, names,
		strings.Join(slices.Sorted(slices.Values([]string{"courier " + old, "courier " + newerVersion})), ","))
	evaluate(t, visit, `document.getElementById("courier").dataset.version`, old)

	l.cut.Store(true)
	goTo(t, visit, l.url+"/courier", ".bar h1")
	evaluate(t, visit, `document.getElementById("courier").dataset.version`, newerVersion)
	l.cut.Store(false)
	goTo(t, visit, l.url+"/courier", ".bar h1")
	evaluate(t, visit,
		`(async () => { while ((await caches.keys()).length > 1) await new Promise(requestAnimationFrame); return ""; })()`,
		"")
}

// keptRounds counts the stops that the phone keeps.
const keptRounds = `new Promise((resolve, reject) => {
	const opening = indexedDB.open("dropyard-courier");
	opening.onerror = reject;
	opening.onsuccess = () => { opening.result.transaction("kept").objectStore("kept").getAll().onsuccess = ({ target }) => resolve(target.result.filter((value) => value?.jobs).length + " rounds"); };
})`

// TestCourierSignsOut signs a courier out by the menu: without a connection nothing is
// removed; with one, neither the app nor the stops can be opened on the phone any longer.
func TestCourierSignsOut(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	l := newLink(t, service)
	visit := openApp(t, l, service.Operate(t).As(t, "courier"))
	l.cut.Store(true)
	steps(t, visit, [2]string{"", ".bar .open-menu"}, [2]string{".bar .open-menu", ".dialog .leave"},
		[2]string{".dialog .leave", ".dialog .notice.danger"})
	evaluate(t, visit, keptDocument, "200")
	l.cut.Store(false)
	steps(t, visit, [2]string{".dialog .leave", `input[name="password"]`})
	evaluate(t, visit, keptDocument, "undefined")
	evaluate(t, visit, keptRounds, "0 rounds")
	l.cut.Store(true)
	goTo(t, visit, l.url+"/courier", `a[href="/courier"]`)
	evaluate(t, visit, `document.querySelector("h1").textContent`, "No connection")
}

// replaced returns a body with a text in the place of another.
func replaced(body io.ReadCloser, old, replacement string) io.ReadCloser {
	content, err := io.ReadAll(body)
	if err != nil {
		return io.NopCloser(iotest.ErrReader(err))
	}
	return io.NopCloser(strings.NewReader(strings.ReplaceAll(string(content), old, replacement)))
}
