package chromium_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/courier"
)

// assignedOrder returns an order that is assigned to the courier of an operator.
func assignedOrder(t *testing.T, partner *apptest.Partner, operator *apptest.Operator, name string) string {
	t.Helper()
	id := partner.Create(t, testkit.OrderJSON(name, "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned"} {
		operator.Move(t, id, status).Must(t, 200)
	}
	return id
}

// TestCourierPhoneIsFull taps while the phone can store nothing: the courier reads so, a
// dialog keeps what was entered, and it can be stored later.
func TestCourierPhoneIsFull(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	operator := service.Operate(t)
	order := assignedOrder(t, service.Register(t, "metro"), operator, "A-1")
	visit := openRound(t, operator.As(t, "courier"))
	const fill = `window.add = IDBObjectStore.prototype.add; IDBObjectStore.prototype.add = () => { throw new DOMException("full", "QuotaExceededError"); }; ""`
	steps(t, visit, [2]string{"", large(order, "courier_assigned") + does("picked_up")})
	evaluate(t, visit, fill, "")
	steps(t, visit,
		[2]string{large(order, "courier_assigned") + does("picked_up"), ".notice.danger"},
		[2]string{large(order, "courier_assigned") + does("failed"), ".dialog .reasons"},
		[2]string{`.reasons [value="no_access"]`, ".reasons :checked"},
	)
	if err := chromedp.Do(visit.Page, chromedp.SendKeys("#fail-notes", "the gate is shut")); err != nil {
		t.Fatal(err)
	}
	steps(t, visit, [2]string{".dialog .fail", ".dialog .fault"})
	const shown = `document.querySelector(".dialog .fault").textContent`
	if got, err := browser.Evaluate[string](visit, shown); err != nil || !strings.Contains(got, "nothing was recorded") {
		t.Errorf("got the dialog's fault %q, %v, want that nothing was recorded", got, err)
	}
	evaluate(t, visit, `document.querySelector("#fail-notes").value + " " + document.querySelector(".reasons :checked").value`, "the gate is shut no_access")
	evaluate(t, visit, `IDBObjectStore.prototype.add = window.add; ""`, "")
	steps(t, visit, [2]string{".dialog .fail:not([aria-disabled=true])", large(order, "failed") + ":not(:has(.unsent))"})
	evaluate(t, visit, `String(document.querySelector("dialog"))`, "null")
	checkHistory(t, operator, order, "pending accepted courier_assigned failed")
	for _, problem := range visit.Problems(courier.Policy()) {
		t.Error(problem)
	}
}
