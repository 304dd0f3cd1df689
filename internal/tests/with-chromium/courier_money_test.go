package chromium_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/courier"
)

// collecting is a courier at the doors of orders that are paid for there.
type collecting struct {
	*testing.T
	*browser.Visit
	desk, rider *apptest.Operator
}

// collectAt opens the app of a courier with orders that are out for delivery, by the amounts to collect in cents.
func collectAt(t *testing.T, cents ...int) (c collecting, orders []string) {
	t.Helper()
	service := apptest.Start(t, inRealTime)
	partner, desk := service.Register(t, "metro"), service.Operate(t)
	rider := desk.As(t, "courier")
	desk.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
	for i, amount := range cents {
		cod := fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":"CAD"},"reference":`, amount)
		body := bytes.Replace(testkit.OrderJSON(fmt.Sprint("A-", i), ""), []byte(`"reference":`), cod, 1)
		id := partner.Create(t, body).Must(t, 201).Text("order_id")
		for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
			desk.Move(t, id, status).Must(t, 200)
		}
		orders = append(orders, id)
	}
	return collecting{t, openRound(t, rider), desk, rider}, orders
}

// shows waits until the page has a text in an element.
func (c collecting) shows(where, want string) {
	c.Helper()
	waiting := fmt.Sprintf(`new Promise((resolve) => { (function look() {
		if (document.querySelector(%q)?.textContent.includes(%q)) resolve("yes"); else setTimeout(look, 20);
	})(); })`, where, want)
	if _, err := browser.Evaluate[string](c.Visit, waiting); err != nil {
		shown, _ := browser.Evaluate[string](c.Visit, `document.querySelector("main").textContent`)
		c.Fatalf("wait for %q in %s: %v; the page shows %s", want, where, err, shown)
	}
}

// tap taps elements, and waits for one that is there then.
func (c collecting) tap(what, then string) {
	c.Helper()
	steps(c.T, c.Visit, [2]string{what, then})
}

// deliver opens the dialog in which an order is delivered.
func (c collecting) deliver(order string) {
	c.Helper()
	const open = `String(!document.querySelector(%q))`
	if large, err := browser.Evaluate[string](c.Visit, fmt.Sprintf(open, small(order, "out_for_delivery"))); err != nil {
		c.Fatal(err)
	} else if large != "true" {
		c.tap(small(order, "out_for_delivery"), toDeliver(order))
	}
	c.tap(toDeliver(order), ".dialog #collected-amount")
}

// toDeliver selects the button that delivers the order of the large card.
func toDeliver(order string) string { return large(order, "out_for_delivery") + does("delivered") }

// enter replaces what is in a field.
func (c collecting) enter(field, text string) {
	c.Helper()
	evaluate(c.T, c.Visit, fmt.Sprintf(`document.querySelector(%q).select(); ""`, field), "")
	if err := c.Do(chromedp.SendKeys(field, text)); err != nil {
		c.Fatalf("enter %q into %s: %v", text, field, err)
	}
}

// record presses the button of the dialog, which closes.
func (c collecting) record() {
	c.Helper()
	if err := c.Do(chromedp.Click(".dialog .button.large"), chromedp.WaitNotPresent(".dialog")); err != nil {
		shown, _ := browser.Evaluate[string](c.Visit, `document.querySelector(".dialog")?.textContent`)
		c.Fatalf("record: %v; the dialog shows %s", err, shown)
	}
}

// collected compares what the service has recorded of an order.
func (c collecting) collected(order, want string) {
	c.Helper()
	read := c.desk.Call(c.T, "GET", "/ops/v1/orders/"+order, nil).Must(c.T, 200)
	last := read.Len("order", "status_history") - 1
	if got := fmt.Sprint(read.JSON("order", "status_history", last, "collected")); got != want {
		c.Errorf("%s: got %s as collected, want %s", order, got, want)
	}
}

// sent waits until nothing is left to send.
func (c collecting) sent() {
	c.Helper()
	c.shows(".sends", "All sent")
}

// sound fails for what is wrong with the page. Requests may fail: the service asks, and there is no connection.
func (c collecting) sound() {
	c.Helper()
	for _, problem := range append(c.Problems(courier.Policy()), c.SmallTargets()...) {
		if !strings.HasPrefix(problem, "network: ") {
			c.Error(problem)
		}
	}
}

// TestCourierCollects is asked for what was collected with each delivery, also without a connection, and reads how much
// cash that comes to.
func TestCourierCollects(t *testing.T) {
	t.Parallel()
	c, orders := collectAt(t, 4999, 2000, 1000)
	c.deliver(orders[0])
	c.tap(".dialog .button.large", "#collected-method-fault")
	evaluate(t, c.Visit, `document.activeElement.id`, "collected-method")
	c.sound()
	c.tap(".dialog [value=cash]", ".dialog :checked")
	c.enter("#collected-amount", "49,999")
	c.tap(".dialog .button.large", "#collected-amount-fault")
	evaluate(t, c.Visit, `document.activeElement.id`, "collected-amount")
	c.enter("#collected-amount", "49,99")
	c.record()
	c.sent()
	c.shows(".cash summary", "Cash with you: $49.99")
	c.collected(orders[0], "map[amount_cents:4999 currency:CAD method:cash]")

	if err := c.Do(offline(true)); err != nil {
		t.Fatal(err)
	}
	c.deliver(orders[1])
	c.tap(".dialog [value=cash]", ".dialog :checked")
	c.enter("#collected-amount", "15.00")
	c.shows(".dialog .differs", "$5.00 less than the amount to collect")
	c.tap(".dialog .button.large", "#collected-notes-fault")
	evaluate(t, c.Visit, `document.activeElement.id`, "collected-notes")
	c.sound()
	c.enter("#collected-notes", "had no more")
	c.record()
	c.shows(".cash summary", "Cash with you: $64.99")
	c.deliver(orders[2])
	c.tap(".dialog [value=none]", ".dialog .differs")
	evaluate(t, c.Visit, `String(document.querySelector("#collected-amount"))`, "null")
	c.enter("#collected-notes", "it was paid in the shop")
	c.record()
	c.tap(".cash summary", ".cash[open] .unsent")
	if err := c.Do(offline(false)); err != nil {
		t.Fatal(err)
	}
	c.sent()
	c.collected(orders[1], "map[amount_cents:1500 currency:CAD method:cash notes:had no more]")
	c.collected(orders[2], "map[amount_cents:0 currency:CAD method:none notes:it was paid in the shop]")
	c.shows(".cash summary", "Cash with you: $64.99")
	evaluate(t, c.Visit, `[...document.querySelectorAll(".cash b")].map((one) => one.textContent).join(" ")`, "$49.99 $15.00")
}

// as010 puts a delivery onto the phone as the app of 0.1.0 recorded it, without a word about money. Then it sends it,
// or changes what the phone keeps.
const as010 = `import("/assets/courier/storage.js").then(async ({ open }) => {
	const storage = await open("dropyard-courier"), { operator: owner } = document.getElementById("courier").dataset;
	await storage.add(owner, %[1]q, (last) => {
		const at = new Date(Math.max(last + 1, Date.now())).toISOString();
		return [{ act: { owner, order_id: %[1]q, label: "Alex Martin", kind: "move", status: "delivered", at, key: crypto.randomUUID(), path: "/ops/v1/orders/%[1]s/status", type: "application/json", body: JSON.stringify({ status: "delivered", occurred_at: at }) } }];
	});
	const [act] = (await storage.all(owner)).acts;
	%[2]s
	return "";
})`

// What becomes of such a delivery: it is sent, or was refused while the phone had the app of 0.1.0.
const (
	sent010    = `dispatchEvent(new Event("online"));`
	refused010 = `await storage.refuse(act.id, { owner, act, at: act.at, status: 422, code: "validation_error", message: "collected: expected it",
		details: { field: "collected", errors: [{ field: "collected" }] } });`
)

// TestCourierIsAskedLater answers what the service asks about deliveries that were recorded already: by an app that did
// not ask, and at a door at which the amount to collect had been changed. They are recorded once.
func TestCourierIsAskedLater(t *testing.T) {
	t.Parallel()
	c, orders := collectAt(t, 4999, 4999, 2000, 1000)
	for i, becomes := range []string{sent010, refused010} {
		evaluate(t, c.Visit, fmt.Sprintf(as010, orders[i], becomes), "")
		if becomes == sent010 {
			c.shows("[data-asks]", "What did you collect from Alex Martin?")
			c.shows(".cash", "not confirmed")
		}
		goTo(t, c.Visit, c.rider.URL+"/courier", "[data-asks] button:not([aria-disabled])") // the question stays
		c.tap("[data-asks] button", "#collected-amount")
		c.sound()
		c.tap(".dialog [value=cash]", ".dialog :checked")
		c.record()
		c.sent()
		c.collected(orders[i], "map[amount_cents:4999 currency:CAD method:cash]")
	}

	if err := c.Do(offline(true)); err != nil {
		t.Fatal(err)
	}
	c.deliver(orders[2])
	c.tap(".dialog [value=cash]", ".dialog :checked")
	c.record()
	c.deliver(orders[3])
	c.tap(".dialog [value=terminal]", ".dialog :checked")
	c.record()
	for i, cod := range []string{`{"amount_cents":1200,"currency":"CAD"}`, `null`} {
		c.desk.Call(t, "PATCH", "/ops/v1/orders/"+orders[i+2], []byte(`{"reason":"the price","cod":`+cod+`}`)).Must(t, 200)
	}
	if err := c.Do(offline(false)); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][2]string{
		{"$12.00", "$8.00 more than the amount to collect"}, {"nothing", "$10.00 more than the amount to collect"},
	} {
		c.shows("[data-asks]", "Amount to collect now: "+step[0])
		c.tap("[data-asks] button:not([aria-disabled])", ".dialog .differs")
		c.shows(".dialog .differs", step[1])
		c.enter("#collected-notes", "the price had been another one")
		c.record()
	}
	c.sent()
	const notes = " notes:the price had been another one]"
	c.collected(orders[2], "map[amount_cents:2000 currency:CAD method:cash"+notes)
	c.collected(orders[3], "map[amount_cents:1000 currency:CAD method:terminal"+notes)
	c.shows(".cash summary", "Cash with you: $119.98")
	for _, id := range orders {
		checkHistory(t, c.desk, id, strings.Join([]string{
			"pending", "accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered",
		}, " "))
	}
	c.sound()
}
