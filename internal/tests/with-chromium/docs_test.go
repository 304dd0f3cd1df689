package chromium_test

import (
	"strings"
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

// TestDocumentationTriesAnOperation searches for an operation, and sends its request with
// a body from its page, signed there.
func TestDocumentationTriesAnOperation(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	chromium := startChromium(t)
	service := apptest.Start(t, func(_ *config.Config, world *app.Surroundings) { // the browser signs by its own clock
		world.Now, world.At = time.Now, app.System().At
	})
	metro := service.Register(t, "metro").InTest(t)
	visit, err := chromium.Open(service.URL+"/docs", browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	quote := `#found a[href="/docs/api/createQuote"]`
	if err := visit.Do(
		chromedp.SendKeys("#sought", "quote price"), chromedp.WaitVisible(quote), chromedp.Click(quote),
		chromedp.SendKeys("#trial-key", metro.PublicKey), chromedp.SendKeys("#trial-secret", metro.SecretKey),
		chromedp.Click("#trial button"), chromedp.WaitVisible("#trial-answer"),
	); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(visit.Page, chromedp.Text("#trial-answer"))
	if err != nil || !strings.HasPrefix(got, "200") || !strings.Contains(got, `"rate_cents"`) {
		t.Errorf("got %q, %v, want a quote", got, err)
	}
	for _, problem := range visit.Problems(page.Policy) {
		t.Error(problem)
	}
}
