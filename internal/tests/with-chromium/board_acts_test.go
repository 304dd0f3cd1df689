package chromium_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
)

// strike presses keys one after the other, and waits for what must be visible then. The
// keys write nothing: browsers write no character for a key that a page has handled.
func strike(t *testing.T, visit *browser.Visit, keys, want string) {
	t.Helper()
	await(t, visit, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, key := range keys {
			for _, event := range kb.Encode(key) {
				if event.Type == kb.KeyChar && key != '\r' {
					continue
				}
				if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	}), want)
}

// await does something, and waits for what must be visible then.
func await(t *testing.T, visit *browser.Visit, do chromedp.Action[chromedp.Void], want string) {
	t.Helper()
	if err := visit.Do(do, chromedp.WaitVisible(want)); err != nil {
		shoot(t, visit, "failed")
		t.Fatalf("wait for %q: %v", want, err)
	}
}

// TestDeskWorksByKeys takes orders through a desk's work without a pointer: it selects,
// accepts, assigns, writes a note and cancels.
func TestDeskWorksByKeys(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	var orders []*apptest.Answer
	for _, name := range []string{"A-1", "A-2", "A-3"} {
		orders = append(orders, partner.Create(t, testkit.OrderJSON(name, "")).Must(t, 201))
	}
	visit := openBoard(t, operator, "")
	steps(t, visit, [2]string{"", rowOf(orders[2])}, [2]string{"", ".connection.live"})
	strike(t, visit, "jx", `.row.current[aria-selected="true"]`)
	strike(t, visit, "JJ", `#orders [data-id]:nth-child(3)[aria-selected="true"]`)
	strike(t, visit, "a", rowOf(orders[0])+" .status-accepted")
	for _, order := range orders[1:] {
		steps(t, visit, [2]string{"", rowOf(order) + " .status-accepted"})
	}
	strike(t, visit, "x", ".bulk")
	strike(t, visit, "c", `.dialog[open] [role="option"][aria-selected="true"]`)
	await(t, visit, chromedp.KeyEvent("camil"), `[role="option"][aria-selected="true"]`)
	strike(t, visit, kb.Enter, ".row.current .status-courier_assigned")
	strike(t, visit, "o", ".panel-body .timeline")
	steps(t, visit, [2]string{"", `.panel-body a[href="/console/couriers/` + operator.CourierID + `"]`})
	strike(t, visit, "e", "#new-note:focus")
	await(t, visit, chromedp.KeyEvent("ring twice"), "#new-note:focus")
	await(t, visit, chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)), ".panel-body .long")
	for _, problem := range visit.Problems(console.BoardPolicy()) {
		t.Errorf("with the panel: %s", problem)
	}
	shoot(t, visit, "panel")
	strike(t, visit, kb.Escape, "#orders")
	strike(t, visit, kb.Escape, "#orders:focus")
	strike(t, visit, "?", ".dialog[open] kbd")
	for _, problem := range visit.Problems(console.BoardPolicy()) {
		t.Errorf("with the keys: %s", problem)
	}
	shoot(t, visit, "keys")
	strike(t, visit, kb.Escape, "#orders:focus")
	assigned := operator.Call(t, "GET", "/ops/v1/orders?courier_id="+operator.CourierID, nil).Must(t, 200)
	if assigned.Len("orders") != 1 || assigned.JSON("orders", 0, "version") != 3.0 {
		t.Errorf("got %s, want one order, moved twice", assigned.Body)
	}
}

// TestKeysActOnAllSelected presses the box that selects all orders, which keeps the focus, and then a key.
func TestKeysActOnAllSelected(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	order := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	elsewhere := strings.Replace(string(testkit.OrderJSON("A-2", "")), `"city":"Toronto"`, `"city":"York"`, 1)
	partner.Create(t, []byte(elsewhere)).Must(t, 201)
	visit := openBoard(t, operator, "")
	steps(t, visit, [2]string{"", rowOf(order)}, [2]string{"", ".connection.live"})
	await(t, visit, chromedp.Click("#orders .head input"), ".bulk")
	strike(t, visit, "a", rowOf(order)+" .status-accepted")
	await(t, visit, chromedp.Click("#orders .head input"), ".bulk")
	strike(t, visit, "c", ".dialog[open] [data-cities]") // the orders go to two cities
}

// TestPanelLeadsToReturn opens an order that was cancelled after its pickup: the panel says who has the parcels, and
// leads to the form that receives them.
func TestPanelLeadsToReturn(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "failed", "cancelled"} {
		operator.Move(t, id, status).Must(t, 200)
	}
	visit := openBoard(t, operator, "?order="+id)
	steps(t, visit, [2]string{"", `.panel-body [data-back] a[href="/console/returns/` + id + `"]`})
}

// shoot keeps a picture of the page in the folder that DROPYARD_PICTURES names.
func shoot(t *testing.T, visit *browser.Visit, name string) {
	t.Helper()
	if dir := os.Getenv("DROPYARD_PICTURES"); dir != "" {
		picture, err := visit.Screenshot()
		if err == nil {
			err = os.WriteFile(dir+"/"+name+".png", picture, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPanelShowsWhatAnOrderWasCharged opens the panel of a delivered order as an admin.
func TestPanelShowsWhatAnOrderWasCharged(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	operator.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for _, status := range []string{
		"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered",
	} {
		operator.Move(t, id, status).Must(t, 200)
	}
	visit := openBoard(t, operator, "?order="+id)
	steps(t, visit, [2]string{"", `.panel-order .charged a[href="/console/orders/` + id + `"]`})
	text, err := browser.Evaluate[string](visit, `document.querySelector(".charged").textContent`)
	if err != nil || text != "Charged: $65.34" {
		t.Errorf("got %q, %v, want what the order was charged", text, err)
	}
	shoot(t, visit, "charged")
}
