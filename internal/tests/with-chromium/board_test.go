package chromium_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
)

// inRealTime lets the service wait as long as it says, while its clock stands still.
func inRealTime(_ *config.Config, world *app.Surroundings) {
	now := world.Now
	world.At = func(until time.Time) <-chan time.Time { return time.After(until.Sub(now())) }
}

// openBoard signs an operator in, and opens the dispatch board in a browser.
func openBoard(t *testing.T, operator *apptest.Operator, query string) *browser.Visit {
	t.Helper()
	testkit.NeedChromium.OrSkip(t)
	chromium := startChromium(t)
	cookie := cookieOf(t, operator)
	visit, err := chromium.Open(operator.URL+"/console/board"+query,
		browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: operator.Clock.Now(), Cookie: cookie})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	return visit
}

// steps does what a person does on a page: it clicks, and waits for what must be visible
// then. A step without a click waits only.
func steps(t *testing.T, visit *browser.Visit, all ...[2]string) {
	t.Helper()
	for _, step := range all {
		do := []chromedp.Action[chromedp.Void]{chromedp.WaitVisible(step[1])}
		if step[0] != "" {
			do = []chromedp.Action[chromedp.Void]{chromedp.Click(step[0]), do[0]}
		}
		if err := visit.Do(do...); err != nil {
			t.Fatalf("click %q, wait for %q: %v", step[0], step[1], err)
		}
	}
}

// rowOf selects the row of an order by its number.
func rowOf(order *apptest.Answer) string { return `[data-id="` + order.Text("order_id") + `"]` }

// TestBoardIsLive opens the dispatch board, changes an order, and looks at what the open
// page shows; then it narrows the board, goes back, and opens what the address says.
func TestBoardIsLive(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	first := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	visit := openBoard(t, operator, "")
	steps(t, visit, [2]string{"", rowOf(first) + " .status-pending"}, [2]string{"", ".connection.live"})

	operator.Move(t, first.Text("order_id"), "accepted").Must(t, 200)
	second := partner.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201)
	steps(t, visit,
		[2]string{"", rowOf(first) + " .status-accepted"},
		[2]string{"", rowOf(second)},
		[2]string{".chip:nth-of-type(2)", `.chip:nth-of-type(2)[aria-pressed="true"]`},
		[2]string{rowOf(second) + " .pick", rowOf(second) + `[aria-selected="true"]`},
	)
	const state = `[location.search, String(document.querySelectorAll("#orders [data-id]").length), document.querySelector(".chip b").textContent]`
	for _, step := range []struct {
		do   chromedp.Action[chromedp.Void]
		want [3]string // the query, the rows that are shown, and how many orders are open
	}{
		{chromedp.WaitVisible(rowOf(second)), [3]string{"?stage=pending", "1", "2"}},
		{chromedp.NavigateBack(), [3]string{"", "2", "2"}},
	} {
		if err := visit.Do(step.do,
			chromedp.WaitVisible(fmt.Sprintf(`#orders[aria-rowcount="%c"]`, step.want[1][0]+1))); err != nil {
			t.Fatalf("want %q: %v", step.want, err)
		}
		if got, err := browser.Evaluate[[3]string](visit, state); err != nil || got != step.want {
			t.Errorf("got %q, %v, want %q", got, err, step.want)
		}
	}
	for _, problem := range visit.Problems(console.BoardPolicy()) {
		t.Error(problem)
	}
}
