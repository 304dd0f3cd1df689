package pagetest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// slowPostScript delays what forms send until releasePost is called.
const slowPostScript = `(() => {
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, ...rest) { this.method = method; return open.call(this, method, ...rest); };
  XMLHttpRequest.prototype.send = function (body) {
    if (this.method === "POST") globalThis.releasePost = () => send.call(this, body);
    else send.call(this, body);
  };
})();`

// TestSwapShowsAnswersToForms follows a link while a form is under way: the answer to the form
// is shown when it comes, because what it says may be shown only once.
func TestSwapShowsAnswersToForms(t *testing.T) {
	t.Parallel()
	chromium := shared.Running(t)
	server := httptest.NewServer(pagetest.Single())
	defer server.Close()
	visit, err := chromium.Open(server.URL+"/swap", browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Script: slowPostScript})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	if err := visit.Do(chromedp.Click("#send"), chromedp.Click("#next"),
		chromedp.WaitVisible(`[data-shows="page 2"]`)); err != nil {
		t.Fatal(err)
	}
	if _, err := browser.Evaluate[any](visit, `releasePost();null`); err != nil {
		t.Fatal(err)
	}
	if err := visit.Do(chromedp.WaitVisible(`[data-shows="sent 1"]`)); err != nil {
		t.Error(err)
	}
}
