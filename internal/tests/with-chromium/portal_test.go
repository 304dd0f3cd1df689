package chromium_test

import (
	"bytes"
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
	visit, err := chromium.Open(service.URL+"/", browser.Reader{Language: "en", Width: 1280, Scripts: true}, browser.Options{})
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
