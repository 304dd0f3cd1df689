package chromium_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
)

// destination is where an order goes, and how soon.
type destination struct{ City, Province, Zone, Level string }

// orderTo creates an order that goes somewhere.
func orderTo(t *testing.T, partner *apptest.Partner, name string, to destination) *apptest.Answer {
	t.Helper()
	body := testkit.OrderJSON(name, "")
	for _, one := range [][2]string{
		{
			`"city":"Toronto","province":"ON","postal_code":"M5H 2N2"`,
			fmt.Sprintf(`"city":%q,"province":%q,"postal_code":"%s 2N2"`, to.City, to.Province, to.Zone),
		},
		{`"service_level":"express"`, fmt.Sprintf(`"service_level":%q`, to.Level)},
	} {
		body = bytes.Replace(body, []byte(one[0]), []byte(one[1]), 1)
	}
	if name == paidAtDoor {
		body = bytes.Replace(body, []byte(`"reference"`), []byte(`"cod":{"amount_cents":4999,"currency":"CAD"},"reference"`), 1)
	}
	return partner.Create(t, body).Must(t, http.StatusCreated)
}

// paidAtDoor is the order that is paid for at the door.
const paidAtDoor = "M-1"

var (
	toronto   = destination{"Toronto", "ON", "M5H", "express"}
	montreal  = destination{"Montréal", "QC", "H2X", "express"}
	vancouver = destination{"Vancouver", "BC", "V6B", "standard"}
)

// desk is an operator at the dispatch board who has a keyboard and no pointer.
type desk struct {
	*testing.T
	visit *browser.Visit
}

// press presses keys one after the other, and waits for what must be visible then.
func (d desk) press(keys, want string) {
	d.Helper()
	strike(d.T, d.visit, keys, want)
}

// write writes into what has the focus, and waits for what must be visible then.
func (d desk) write(text, want string) {
	d.Helper()
	await(d.T, d.visit, chromedp.KeyEvent(text), want)
}

// tab presses the tabulator until what a selector names has the focus.
func (d desk) tab(to string) {
	d.Helper()
	const most = 60
	for range most {
		d.press(kb.Tab, "body")
		if at, err := browser.Evaluate[bool](d.visit, fmt.Sprintf(`document.activeElement.matches(%q)`, to)); err != nil ||
			at {
			return
		}
	}
	shoot(d.T, d.visit, "failed")
	d.Fatalf("got %d times not at %q by the tabulator", most, to)
}

// enter goes to a control by the tabulator and presses it.
func (d desk) enter(control, want string) {
	d.Helper()
	d.tab(control)
	d.press(kb.Enter, want)
}

// search narrows the board to a text, and goes to the first of some orders.
func (d desk) search(text string, count int) {
	d.Helper()
	d.press("/", "#search:focus")
	await(d.T, d.visit, chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), "#search:focus")
	d.write(text, fmt.Sprintf(`#orders[aria-rowcount="%d"]`, count+1))
	d.press(kb.Enter, "#orders:focus .row.current")
}

// sound fails the test if something is wrong with the page.
func (d desk) sound(name string) {
	d.Helper()
	for _, problem := range d.visit.Problems(console.BoardPolicy()) {
		d.Errorf("%s: %s", name, problem)
	}
	shoot(d.T, d.visit, "desk-"+name)
}

// move returns the button of the open panel that moves the order.
func move(label string) string {
	return fmt.Sprintf(`.panel-body [role=group] button[data-to=%q]`, label)
}

// TestHourOfDesk works as a dispatcher does in an hour, by keys alone.
func TestHourOfDesk(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	other := operator.Call(
		t, "POST", "/ops/v1/couriers", []byte(`{"name":"Marc Dubé","phone":"+15145550144","vehicle":"white van"}`),
	).Must(t, http.StatusCreated).Text("courier_id")
	orders := map[string]*apptest.Answer{}
	for i := range 15 {
		name, to := fmt.Sprintf("T-%02d", i), toronto
		switch {
		case i < 3:
			name, to = fmt.Sprintf("M-%d", i+1), montreal
		case i < 5:
			name, to = fmt.Sprintf("V-%d", i-2), vancouver
		}
		orders[name] = orderTo(t, partner, name, to)
	}
	d := desk{t, openBoard(t, operator, "")}
	steps(t, d.visit, [2]string{"", `#orders[aria-rowcount="16"]`}, [2]string{"", ".connection.live"})

	d.search("montreal", 3) // finds Montréal
	d.press("JJ", `#orders [data-id]:nth-child(3)[aria-selected="true"]`)
	d.press("a", rowOf(orders["M-1"])+" .status-accepted")
	steps(t, d.visit, [2]string{"", rowOf(orders["M-2"]) + " .status-accepted"},
		[2]string{"", rowOf(orders["M-3"]) + " .status-accepted"})
	d.press("KK", `#orders [data-id]:nth-child(1)[aria-selected="true"]`)
	d.press("c", `.dialog[open] [role="option"]:nth-child(2)`)
	d.sound("assign")
	d.write("dube", `[role="option"][aria-selected="true"]:only-child`)
	for range "dube" {
		d.press(kb.Backspace, "#courier:focus")
	}
	d.write("camil", `[role="option"][aria-selected="true"]:only-child`)
	d.press(kb.Enter, rowOf(orders["M-3"])+" .status-courier_assigned")
	steps(t, d.visit, [2]string{"", rowOf(orders["M-1"]) + " .status-courier_assigned"}, [2]string{"", "#orders:focus"})

	d.search("M-1", 1)
	d.press("o", "#panel-title:focus")
	d.press("e", "#new-note:focus")
	d.write("ring twice", "#new-note:focus")
	d.enter("#new-note ~ .button", ".panel-body .long")
	d.press(kb.Escape, "#orders:focus") // closes the panel
	d.press("o", "#panel-title:focus")
	d.enter(move("picked_up"), ".panel-body > .line .status-picked_up")
	d.press("", "#panel-title:focus")
	d.enter(move("out_for_delivery"), ".panel-body > .line .status-out_for_delivery")
	d.enter(move("delivered"), "#act-method:focus")
	d.sound("collected")
	d.press(kb.Tab, "#act-amount:focus")
	d.write("x", "#act-amount:focus")
	d.enter(".dialog .button.first", "#act-amount:focus[aria-invalid]")
	d.press(kb.Backspace, "#act-amount:focus")
	d.write("49,9", "#act-amount:focus")
	d.enter(".dialog .button.first", "#act-why:focus[aria-invalid]")
	d.write("no coins", "#act-why:focus")
	d.enter(".dialog .button.first", ".panel-body > .line .status-delivered")
	d.press(kb.Escape, "#orders:focus")

	d.search("vancouver", 2)
	d.press("x", `.row.current[aria-selected="true"]`)
	d.press("J", `#orders [data-id]:nth-child(2)[aria-selected="true"]`)
	d.press("c", `.dialog[open] [role="option"]:nth-child(2)`)
	d.write("camil", `[role="option"][aria-selected="true"]:only-child`)
	d.press(kb.Enter, rowOf(orders["V-1"])+" .status-courier_assigned")
	steps(t, d.visit, [2]string{"", rowOf(orders["V-2"]) + " .status-courier_assigned"})
	d.search("V-1", 1)
	d.press("o", "#panel-title:focus")
	d.enter(move("failed"), "#act-failure:focus")
	d.sound("failed")
	d.press(kb.ArrowDown, "#act-failure:focus")
	d.press(kb.Tab, "#act-next:focus")
	d.write("01162026", "#act-next:focus")
	d.press(kb.Tab, "#act-next:focus")
	d.write("0230PM", "#act-next:focus")
	d.enter(".dialog .button.danger", ".panel-body .status-failed")
	d.press(kb.Escape, "#orders:focus")

	d.search("T-05", 1)
	d.press("o", "#panel-title:focus")
	d.enter(move("cancelled"), "#act-reason:focus")
	d.sound("cancel")
	d.write("ordered twice", "#act-reason:focus")
	d.enter(".dialog .button.danger", ".panel-body > .line .status-cancelled")
	d.press(kb.Escape, "#orders:focus")

	d.press("f", ".lists select:focus")
	d.press(kb.Escape, "#orders:focus")
	d.search("m-", 2)
	d.tab(".toggle button:last-child")
	d.press(kb.Enter, ".lanes")
	d.tab("#stop-" + orders["M-2"].Text("order_id"))
	d.press("m", `.dialog[open] [role="option"]:nth-child(2)`)
	d.sound("hand-over")
	d.write("marc", `[role="option"][aria-selected="true"]:only-child`)
	d.press(kb.Enter, `[aria-labelledby="lane-`+other+`"] #stop-`+orders["M-2"].Text("order_id"))
	says(t, d.visit, "M-2 assigned to Marc Dubé")

	d.press("gs", `a[href="/console/stock"][aria-current]`)
	await(t, d.visit, chromedp.NavigateBack(), ".lanes") // Alt and the left arrow are the browser's
	d.press("?", ".dialog[open] kbd")
	d.press(kb.Escape, ".lanes")

	record := func(name string) *apptest.Answer {
		return operator.Call(t, "GET", "/ops/v1/orders/"+orders[name].Text("order_id"), nil).Must(t, http.StatusOK)
	}
	for name, want := range map[string]string{
		"M-1": "delivered", "M-2": "courier_assigned", "V-1": "failed", "V-2": "courier_assigned", "T-05": "cancelled",
		"T-06": "pending",
	} {
		if got := record(name).Text("status"); got != want {
			t.Errorf("%s: got the status %q, want %q", name, got, want)
		}
	}
	if got := record("M-1"); !strings.Contains(string(got.Body),
		`"collected":{"amount_cents":4990,"currency":"CAD","method":"cash","notes":"no coins"}`) {
		t.Errorf("got %s, want what was collected", got.Body)
	}
	const next = `"next_attempt":"2026-01-16T22:30:00.000Z"` // 14:30 in Vancouver
	if got := operator.Call(t, "GET", "/ops/v1/jobs?courier_id="+operator.CourierID, nil).Must(t,
		http.StatusOK); !strings.Contains(string(got.Body), next) {
		t.Errorf("got %s, want %s", got.Body, next)
	}
	if got := record("M-2").Text("order", "courier", "name"); got != "Marc Dubé" {
		t.Errorf("got %q with M-2, want Marc Dubé", got)
	}
}

// TestBulkActMeetsAnotherDesk accepts three orders while another desk takes one of them.
func TestBulkActMeetsAnotherDesk(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	faster := operator.As(t, "dispatcher")
	var orders []*apptest.Answer
	for _, name := range []string{"A-1", "A-2", "A-3"} {
		orders = append(orders, orderTo(t, partner, name, toronto))
	}
	d := desk{t, openBoard(t, operator, "")}
	steps(t, d.visit, [2]string{"", `#orders[aria-rowcount="4"]`}, [2]string{"", ".connection.live"})
	d.press("jJJ", `#orders [data-id]:nth-child(3)[aria-selected="true"]`)
	faster.Move(t, orders[1].Text("order_id"), "accepted").Must(t, http.StatusOK)
	d.press("", ".bulk .changed") // says so before the act
	d.press("a", ".outcome li")
	got, err := browser.Evaluate[string](d.visit, `document.querySelector(".outcome").innerText`)
	if err != nil || !strings.Contains(got, "2 orders accepted") ||
		!strings.Contains(got, "A-2 dispatcher@example.com was faster") || strings.Contains(got, "A-1") {
		t.Errorf("got %q, %v, want A-2 refused, with who was faster, and two orders done", got, err)
	}
	for _, order := range orders {
		steps(t, d.visit, [2]string{"", rowOf(order) + " .status-accepted"})
	}
	d.sound("outcome")
}

// TestUndoMeetsAnotherDesk assigns two orders and takes that back while another desk has moved one of them: that one
// stays as it is, and is listed with who was faster.
func TestUndoMeetsAnotherDesk(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	faster := operator.As(t, "dispatcher")
	var orders []*apptest.Answer
	for _, name := range []string{"A-1", "A-2"} {
		orders = append(orders, orderTo(t, partner, name, toronto))
		operator.Move(t, orders[len(orders)-1].Text("order_id"), "accepted").Must(t, http.StatusOK)
	}
	d := desk{t, openBoard(t, operator, "")}
	steps(t, d.visit, [2]string{"", `#orders[aria-rowcount="3"]`}, [2]string{"", ".connection.live"})
	d.press("jJ", `#orders [data-id]:nth-child(2)[aria-selected="true"]`)
	d.press("c", `.dialog[open] [role="option"][aria-selected="true"]`)
	d.press(kb.Enter, ".toast .undo")
	says(t, d.visit, "2 orders assigned to Camille Tremblay")
	d.sound("toast")
	faster.Move(t, orders[1].Text("order_id"), "picked_up").Must(t, http.StatusOK)
	d.press("", rowOf(orders[1])+" .status-picked_up")
	d.press("z", ".outcome li")
	says(t, d.visit, "Undone: A-1. 1 refused.")
	got, err := browser.Evaluate[string](d.visit, `document.querySelector(".outcome").innerText`)
	if err != nil || !strings.Contains(got, "A-2 dispatcher@example.com was faster") {
		t.Errorf("got %q, %v, want A-2 refused, with who was faster", got, err)
	}
	for i, want := range []string{"accepted", "picked_up"} {
		d.press("", rowOf(orders[i])+" .status-"+want)
	}
	d.press(kb.Escape, "#orders:focus")
	d.press("", ".outcome li") // stays until it is closed
	if open, err := browser.Evaluate[bool](d.visit, `document.querySelector(".toast") !== null`); err != nil || open {
		t.Errorf("got that the toast is shown: %t, %v, want it closed by Escape", open, err)
	}
}
