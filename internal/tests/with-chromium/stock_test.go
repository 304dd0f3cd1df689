package chromium_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/page"
)

// countedLines returns the lines of a count: the product or code, the quantity, and
// whether it is known.
const countedLines = `[...document.querySelectorAll("#lines tr")].map((row) =>
  row.querySelector("b").textContent + " " + row.querySelector("[name=counted]").value + (row.classList.contains("unknown") ? " unknown" : ""))`

// TestCountWithScanner scans products with a scanner that types, faster than the server
// says which products they are, reloads the page, corrects a line, removes an unknown code,
// and books the differences.
func TestCountWithScanner(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	service := apptest.Start(t)
	metro, desk := service.Register(t, "metro"), service.Operate(t)
	desk.Stock(t, metro.PartnerID, "Lamp", map[string]int{"MTL-1": 40})
	desk.Stock(t, metro.PartnerID, "Rug", map[string]int{"MTL-1": 1})
	keeper := desk.As(t, "warehouse")
	chromium := startChromium(t)
	path := "/console/stock/" + metro.PartnerID + "/count"
	visit, err := chromium.Open(service.URL+path+"?location=MTL-1",
		browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: service.Clock.Now(), Cookie: cookieOf(t, keeper)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	do := func(actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := visit.Do(actions...); err != nil {
			t.Fatal(err)
		}
	}
	lines := func(want ...string) {
		t.Helper()
		if got, err := browser.Evaluate[[]string](visit, countedLines); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got lines %q, %v, want %q", got, err, want)
		}
	}
	known := func(id int) chromedp.Action[chromedp.Void] {
		return chromedp.WaitVisible(fmt.Sprintf(`#lines [data-product="%d"]`, id))
	}
	// A page is complete once its scripts have run: they forget what was booked, and show what is kept.
	complete := func() {
		t.Helper()
		const done = `new Promise((done) => { if (document.readyState === "complete") done(true); else addEventListener("load", () => done(true)); })`
		if _, err := browser.Evaluate[bool](visit, done); err != nil {
			t.Fatal(err)
		}
	}
	do(chromedp.SendKeys("#scan", "B-Rug\r2\rB-Rug\r0627\r38*B-Lamp\r"), known(1), known(2),
		chromedp.WaitVisible("#lines .unknown"))
	lines("Lamp 38", "0627 1 unknown", "Rug 3")
	do(chromedp.Navigate(service.URL+path+"?location=MTL-1"), known(1), known(2), chromedp.WaitVisible("#lines .unknown"))
	lines("Lamp 38", "0627 1 unknown", "Rug 3")
	for _, problem := range visit.Problems(page.Policy) {
		t.Error(problem)
	}
	do(chromedp.Click(`[value="review"]`), chromedp.WaitVisible(".notice.danger"))
	complete()
	lines("Lamp 38", "0627 1 unknown", "Rug 3")
	do(chromedp.Click(`#lines .unknown [name="remove"]`), chromedp.SendKeys("#scan", "B-Lamp\r"))
	lines("Lamp 39", "Rug 3")
	do(chromedp.Click(`[value="review"]`), chromedp.WaitVisible("#count-notes"))
	do(chromedp.Click(`form[action$="/count/book"] button`), chromedp.WaitVisible("[data-booked]"))
	complete()
	do(chromedp.Navigate(service.URL+path+"?location=MTL-1"), chromedp.WaitVisible("#scan"))
	complete()
	lines()
	service.Until(t, "SELECT quantity FROM stock_levels ORDER BY product_id", "39", "3")
}

// TestReceiveWithScanner receives seven products with a scanner, which types each code and
// Enter, in a form of five lines.
func TestReceiveWithScanner(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	service := apptest.Start(t)
	metro, desk := service.Register(t, "metro"), service.Operate(t)
	typed := "MTL-1\r"
	for i := range 7 {
		desk.Stock(t, metro.PartnerID, fmt.Sprint("Lamp", i), map[string]int{"MTL-1": 1})
		typed += fmt.Sprintf("B-Lamp%d\r%d\r", i, 10+i)
	}
	keeper := desk.As(t, "warehouse")
	path := "/console/stock/" + metro.PartnerID + "/book"
	visit, err := startChromium(t).Open(service.URL+path, browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: service.Clock.Now(), Cookie: cookieOf(t, keeper)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	if err := visit.Do(chromedp.SendKeys("#field-location", typed)); err != nil {
		t.Fatal(err)
	}
	if got, err := browser.Evaluate[int](visit, `document.querySelectorAll("#receipt div.line").length`); err != nil ||
		got != 8 {
		t.Errorf("got %d lines, %v, want the seven and one that is empty", got, err)
	}
	for _, problem := range visit.Problems(page.Policy) {
		t.Error(problem)
	}
	if err := visit.Do(chromedp.Click("form:has(#receipt) button.first")); err != nil {
		t.Fatal(err)
	}
	service.Until(t, "SELECT quantity FROM stock_levels ORDER BY product_id", "11", "12", "13", "14", "15", "16", "17")
}
