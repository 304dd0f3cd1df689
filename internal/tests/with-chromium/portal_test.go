package chromium_test

import (
	"bytes"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestNewUserSeesAWebhook needs three clicks from the first page of the demo to an order
// with a delivered webhook, as a person does who has read nothing.
func TestNewUserSeesAWebhook(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	chromium := startChromium(t)
	quick := func(c *config.Config, _ *app.Surroundings) { c.SimulatePace = 100 * time.Millisecond }
	service := apptest.Start(t, apptest.Demo(&bytes.Buffer{}), quick)
	visit, err := chromium.Open(service.URL+"/", browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	for _, step := range []struct{ click, then string }{
		{`form[action="/demo/partner"] button`, `nav a[href="/portal/start"]`},
		{`nav a[href="/portal/start"]`, `form[action^="/portal/start/order"] button`},
		{`form[action^="/portal/start/order"] button`, `#watching a[href^="/portal/orders/"]`},
	} {
		if err := visit.Do(chromedp.Click(step.click), chromedp.WaitVisible(step.then)); err != nil {
			t.Fatalf("click %s, wait for %s: %v", step.click, step.then, err)
		}
	}
	if err := visit.Do(chromedp.WaitVisible(`#step-webhook .status-delivered`)); err != nil {
		t.Fatalf("no webhook was delivered: %v", err)
	}
	for _, problem := range visit.Problems(page.Policy) {
		t.Error(problem)
	}
}

// TestOrderPageIsLive changes an order while its page is open: the page shows it without
// being loaded again, and what was typed or opened stays.
func TestOrderPageIsLive(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	chromium := startChromium(t)
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	id := metro.Create(t, testkit.OrderJSON("LIVE-1", "")).Must(t, 201).Text("order_id")
	reader := browser.Reader{Language: "en", Width: 1280, Scripts: true}
	visit, err := chromium.Open(s.URL+"/portal/orders/"+id, reader,
		browser.Options{Now: s.Clock.Now(), Cookie: metro.Owner(t).Cookie})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	if _, err := browser.Evaluate[bool](visit, `document.querySelector("details").open = true`); err != nil {
		t.Fatal(err)
	}
	for _, problem := range visit.Problems(page.Policy) {
		t.Errorf("with the requests shown: %s", problem)
	}
	// The page may look again by itself while the order moves.
	if _, err := browser.Evaluate[any](visit, `(globalThis.carried = new Promise((resolve) => {
	  document.addEventListener("swapped", () => {
	    const courier = document.querySelector("#order-courier p");
	    if (courier) resolve([document.querySelector("#order-state .status").textContent, courier.querySelector("bdi").textContent, String(document.querySelector("details").open)]);
	  });
	}), null)`); err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"accepted", "courier_assigned"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	got, err := browser.Evaluate[[]string](visit, `(dispatchEvent(new Event("online")), carried)`) // it looks immediately
	if want := []string{"Assigned", "Camille Tremblay", "true"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
