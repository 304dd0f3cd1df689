package chromium_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/courier"
)

// ownClock keeps the app from setting its clock by the Date of responses, which is that of
// the machine: the service's clock is another one, and stands still.
const ownClock = `const header = Headers.prototype.get; Headers.prototype.get = function (name) { return name === "Date" ? null : header.call(this, name); };`

// heldRounds keeps the app from learning what the service has, while the variable held is true.
const heldRounds = `
(() => {
  const real = fetch;
  globalThis.held = false;
  globalThis.fetch = async (address, options = {}) => {
    const response = await real(address, options);
    if ((options.method ?? "GET") === "GET") while (held) await new Promise((resolve) => setTimeout(resolve, 20));
    return response;
  };
})();`

// openRound opens the app of a courier.
func openRound(t *testing.T, rider *apptest.Operator) *browser.Visit {
	t.Helper()
	testkit.NeedChromium.OrSkip(t)
	chromium := startChromium(t)
	visit, err := chromium.Open(rider.URL+"/courier", browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{
			Cookie: cookieOf(t, rider), Now: rider.Clock.Now(), Script: ownClock + heldRounds, Shown: ".stop.large",
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	return visit
}

// checkTargets fails the test if something that can be tapped is too small for gloves.
func checkTargets(t *testing.T, visit *browser.Visit) {
	t.Helper()
	for _, problem := range visit.SmallTargets() {
		t.Error(problem)
	}
}

// large selects the large card of an order in a status.
func large(order, status string) string {
	return fmt.Sprintf(".stop.large[data-order=%q][data-status=%q]", order, status)
}

// small selects the small card of an order in a status.
func small(order, status string) string {
	return fmt.Sprintf(".stop.small[data-order=%q][data-status=%q]", order, status)
}

// does selects the button of an act that can be tapped.
func does(status string) string { return fmt.Sprintf(" [data-act=%q]:not([aria-disabled])", status) }

// offline cuts the connection of the page, or restores it.
func offline(cut bool) chromedp.Action[chromedp.Void] {
	rules := []*network.Conditions{}
	if cut {
		rules = append(rules, &network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: rules}); err != nil {
			return err
		}
		state := network.OverrideNetworkStateParams{Offline: cut, DownloadThroughput: -1, UploadThroughput: -1}
		_, err := chromedp.Call(ctx, network.OverrideNetworkState, state)
		return err
	})
}

// TestCourierRound delivers one order. Of another one, the acts are tapped without a
// connection and sent later; then the desk cancels it, and the courier reads that the next
// act was refused.
func TestCourierRound(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	rider := operator.As(t, "courier")
	var orders []string
	for _, name := range []string{"A-1", "A-2"} {
		body := testkit.OrderJSON(name, "")
		if name == "A-2" { // what is picked up at one address is one card
			body = bytes.Replace(body, []byte("4000 Rue Saint-Denis"), []byte("5000 Rue Saint-Denis"), 1)
		}
		id := partner.Create(t, body).Must(t, 201).Text("order_id")
		for _, status := range []string{"accepted", "courier_assigned"} {
			operator.Move(t, id, status).Must(t, 200)
		}
		orders = append(orders, id)
	}
	visit := openRound(t, rider)
	first, second := orders[0], orders[1]
	steps(t, visit, [2]string{"", large(first, "courier_assigned") + does("picked_up")})
	checkTargets(t, visit)
	for _, problem := range visit.Problems(courier.Policy()) {
		t.Error(problem)
	}
	steps(t, visit,
		// what is to be picked up comes before it now
		[2]string{large(first, "courier_assigned") + does("picked_up"), small(first, "picked_up")},
		[2]string{small(first, "picked_up"), large(first, "picked_up") + does("out_for_delivery")},
		[2]string{large(first, "picked_up") + does("out_for_delivery"), large(first, "out_for_delivery") + does("delivered")},
		[2]string{large(first, "out_for_delivery") + does("delivered"), ".dialog .proofs"},
		[2]string{".dialog .button.first.large", large(second, "courier_assigned") + does("picked_up")},
		[2]string{"", ".done summary"},
	)

	await(t, visit, offline(true), large(second, "courier_assigned")+does("picked_up"))
	steps(t, visit,
		[2]string{large(second,
			"courier_assigned") + does("picked_up"), large(second, "picked_up") + does("out_for_delivery")},
		[2]string{large(second, "picked_up") + does("out_for_delivery"), large(second, "out_for_delivery") + does("failed")},
		[2]string{large(second, "out_for_delivery") + does("failed"), ".dialog .reasons"},
	)
	checkTargets(t, visit)
	steps(t, visit,
		[2]string{`.reasons [value="not_home"]`, ".reasons :checked"},
		[2]string{".dialog .fail", large(second, "failed") + " .unsent"},
	)
	if got, err := browser.Evaluate[string](visit, `document.querySelector(".sends").textContent`); err != nil ||
		!strings.Contains(got, "3 to send") {
		t.Errorf("got the header %q, %v, want 3 acts that wait", got, err)
	}
	await(t, visit, offline(false), large(second, "failed")+":not(:has(.unsent))")

	service.Clock.Advance(30 * time.Second)
	if _, err := browser.Evaluate[bool](visit, "held = true"); err != nil {
		t.Fatal(err)
	}
	operator.Move(t, second, "cancelled").Must(t, 200)
	steps(t, visit, [2]string{large(second, "failed") + does("out_for_delivery"), ".refusal"})
	if _, err := browser.Evaluate[bool](visit, "held = false"); err != nil {
		t.Fatal(err)
	}
	steps(t, visit,
		[2]string{"", ".refusal button:not([aria-disabled])"},
		[2]string{".refusal button", "article.stop.bring"}, // the parcels are still with the courier
	)
	checkHistory(t, operator, first, "pending accepted courier_assigned picked_up out_for_delivery delivered")
	checkHistory(t, operator, second, "pending accepted courier_assigned picked_up out_for_delivery failed cancelled")
}

// checkHistory compares the history of an order.
func checkHistory(t *testing.T, operator *apptest.Operator, id, want string) {
	t.Helper()
	read := operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
	var got []string
	for i := range read.Len("order", "status_history") {
		got = append(got, read.Text("order", "status_history", i, "status"))
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got the history %q, want %q", got, want)
	}
}
