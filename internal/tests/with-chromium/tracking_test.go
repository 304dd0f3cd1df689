// Package chromium_test has the tests that need a browser and a whole service.
package chromium_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/page"
)

// maxBytes is how much the recipient's page may weigh in all, in bytes.
const maxBytes = 30 << 10

// TestTrackingPageIsLive opens the page of an order, moves the order, and looks at what
// the open page shows. Shown in the browser's zone and checked as all pages are.
func TestTrackingPageIsLive(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.Announce(t)
	chromium := startChromium(t)
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	order := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	reader := browser.Reader{Language: "fr", Width: 360, Scripts: true}
	visit, err := chromium.Open(order.Text("tracking_url")+"/html", reader, browser.Options{Now: testkit.Epoch})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	if got := visit.Bytes(); got == 0 || got > maxBytes {
		t.Errorf("got %d bytes in all, want at most %d", got, maxBytes)
	}
	t.Logf("the page weighs %d bytes in all", visit.Bytes())
	expect(t, visit, "h1", "Reçue")
	expect(t, visit, "#history time", "Aujourd’hui, 10 h 00")

	operator.Move(t, order.Text("order_id"), "accepted").Must(t, 200)
	// What a browser does when its window is looked at again.
	if _, err := browser.Evaluate[bool](visit, `document.dispatchEvent(new Event("visibilitychange"))`); err != nil {
		t.Fatal(err)
	}
	if err := visit.Do(chromedp.WaitVisible(`#carrying .status-accepted`)); err != nil {
		t.Fatal(err)
	}
	expect(t, visit, "h1", "Acceptée")
	for _, problem := range visit.Problems(page.Policy) {
		t.Error(problem)
	}
}

// expect compares the text of the first element that fits a selector.
func expect(t *testing.T, visit *browser.Visit, selector, want string) {
	t.Helper()
	got, err := browser.Evaluate[string](visit, `document.querySelector(`+"`"+selector+"`"+`).textContent`)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(got, "'", "’") != want {
		t.Errorf("%s: got %q, want %q", selector, got, want)
	}
}
