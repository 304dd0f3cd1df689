package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// dayOfProduct follows one product through a day: where all its units are, after each step.
type dayOfProduct struct {
	floor
	lamp  int
	goods int // that came from outside, less what went out by hand
	ids   []string
	table strings.Builder
}

// whereabouts counts the units of a product by where they are.
type whereabouts struct {
	shelf, taken, custody, delivered, writtenOff, missing int
}

func (w whereabouts) sum() int {
	return w.shelf + w.taken + w.custody + w.delivered + w.writtenOff + w.missing
}

// order creates an order of lamps.
func (d *dayOfProduct) order(t *testing.T, reference string, quantity int) (id string) {
	t.Helper()
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, d.lamp, quantity)
	id = d.partner.Create(t, testkit.OrderJSON(reference, items)).Must(t, 201).Text("order_id")
	d.ids = append(d.ids, id)
	return id
}

func (d *dayOfProduct) moves(t *testing.T, id string, statuses ...string) {
	t.Helper()
	for _, status := range statuses {
		d.operator.Move(t, id, status).Must(t, 200)
	}
}

// receive receives what comes back: sellable, damaged and missing lamps.
func (d *dayOfProduct) receive(t *testing.T, id string, sellable, damaged, missing int) {
	t.Helper()
	var lines []string
	for i, quantity := range []int{sellable, damaged, missing} {
		if quantity > 0 {
			lines = append(lines, fmt.Sprintf(`{"product_id":%d,"quantity":%d,"disposition":%q}`, d.lamp, quantity,
				delivery.Dispositions[i]))
		}
	}
	receive(t, d.operator, id, `{"location":"MTL-1","lines":[`+strings.Join(lines, ",")+`]}`).Must(t, 200)
}

// find counts where the lamps are: on the shelf by the stock, the others by their orders alone.
func (d *dayOfProduct) find(t *testing.T) (w whereabouts) {
	t.Helper()
	w.shelf = d.number(t, d.operator.Call(t, "GET",
		fmt.Sprintf("/ops/v1/partners/%s/products/%d", d.partner.PartnerID, d.lamp), nil).Must(t, 200).JSON("quantity"))
	for _, id := range d.ids {
		record := d.read(t, id)
		quantity := d.number(t, record.JSON("items", 0, "quantity"))
		pickedUp := slices.ContainsFunc(statusesOf(record), func(s string) bool { return s == "picked_up" })
		isReturn := record.Text("return_of") != ""
		if isReturn && pickedUp { // they have left the recipient
			w.delivered -= quantity
		}
		switch state := record.Text("return", "state"); {
		case state == "received":
			for i := range record.Len("return", "lines") {
				n := d.number(t, record.JSON("return", "lines", i, "quantity"))
				switch record.Text("return", "lines", i, "disposition") {
				case "damaged":
					w.writtenOff += n
				case "missing":
					w.missing += n
				}
			}
		case state == "due", pickedUp && record.Text("status") != "delivered":
			w.custody += quantity
		case record.Text("status") == "delivered":
			w.delivered += quantity
		case record.Text("status") == "cancelled", isReturn: // nothing was taken, or it is back
		default:
			w.taken += quantity
		}
	}
	return w
}

func (d *dayOfProduct) number(t *testing.T, value any) int {
	t.Helper()
	n, ok := value.(float64)
	if !ok {
		t.Fatalf("got %v, want a number", value)
	}
	return int(n)
}

func statusesOf(record *apptest.Answer) (statuses []string) {
	for i := range record.Len("status_history") {
		statuses = append(statuses, record.Text("status_history", i, "status"))
	}
	return statuses
}

// step notes where the lamps are after a step, and fails the test unless none is lost or doubled, and
// the journal of the stock adds up to what is on the shelf.
func (d *dayOfProduct) step(t *testing.T, what string, want whereabouts) {
	t.Helper()
	got := d.find(t)
	journal := d.Query(t, fmt.Sprintf("SELECT sum(CASE type WHEN 'OUT' THEN -quantity ELSE quantity END) "+
		"FROM stock_movements WHERE product_id = %d", d.lamp))[0]
	fmt.Fprintf(&d.table, "%-44s %4d %6d %6d %8d %10d %11d %8d %8s\n", what, d.goods, got.shelf, got.taken, got.custody,
		got.delivered, got.writtenOff, got.missing, journal)
	if got != want || got.sum() != d.goods || journal != fmt.Sprint(got.shelf) {
		t.Errorf("%s: got %+v of %d lamps, journal %s; want %+v", what, got, d.goods, journal, want)
	}
}

// TestConservation is a day of one product: after each step, what has come in is on the shelf, taken,
// with a courier or at a hub, delivered and not given back, written off, or missing.
func TestConservation(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 20})
	d := dayOfProduct{floor: f, lamp: lamp, goods: 20}
	fmt.Fprintf(&d.table, "%-44s %4s %6s %6s %8s %10s %11s %8s %8s\n", "step", "in", "shelf", "taken", "custody",
		"delivered", "written off", "missing", "journal")
	d.step(t, "20 come in", whereabouts{shelf: 20})
	f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/movements",
		fmt.Appendf(nil, `{"type":"OUT","product_id":%d,"quantity":1,"location":"MTL-1"}`, d.lamp)).Must(t, 201)
	d.goods--
	d.step(t, "1 goes out by hand", whereabouts{shelf: 19})

	a := d.order(t, "A", 5)
	d.step(t, "A orders 5", whereabouts{shelf: 14, taken: 5})
	d.partner.Call(t, "PATCH", "/v1/orders/"+a, fmt.Appendf(nil, `{"items":[{"product_id":%d,"quantity":4}]}`, d.lamp),
		"Idempotency-Key", uuid.NewString()).Must(t, 200)
	d.step(t, "A is edited to 4", whereabouts{shelf: 15, taken: 4})
	d.moves(t, a, "accepted", "courier_assigned", "picked_up")
	d.step(t, "A is picked up", whereabouts{shelf: 15, custody: 4})
	transfer(t, d.operator, a, `{"location":"HUB-1"}`).Must(t, 200)
	d.step(t, "A is handed over at a hub", whereabouts{shelf: 15, custody: 4})
	transfer(t, d.operator, a, fmt.Sprintf(`{"courier_id":%q}`, d.rider(t, "noor").CourierID)).Must(t, 200)
	d.moves(t, a, "out_for_delivery", "delivered")
	d.step(t, "A is delivered by another courier", whereabouts{shelf: 15, delivered: 4})

	b := d.order(t, "B", 3)
	d.moves(t, b, "accepted", "courier_assigned", "picked_up", "failed", "cancelled")
	d.step(t, "B fails after its pickup and is given up", whereabouts{shelf: 12, custody: 3, delivered: 4})
	d.receive(t, b, 1, 1, 1)
	d.step(t, "B is received: 1 fine, 1 broken, 1 missing",
		whereabouts{shelf: 13, delivered: 4, writtenOff: 1, missing: 1})

	c := d.order(t, "C", 2)
	d.moves(t, c, "accepted", "courier_assigned")
	d.partner.Call(t, "POST", "/v1/orders/"+c+"/cancellation-request", []byte(`{"reason":"sold"}`),
		"Idempotency-Key", uuid.NewString()).Must(t, 202)
	d.operator.Call(t, "POST", "/ops/v1/orders/"+c+"/cancellation-request/answer", []byte(`{"grant":true}`)).Must(t, 200)
	d.step(t, "C is cancelled on request before its pickup",
		whereabouts{shelf: 13, delivered: 4, writtenOff: 1, missing: 1})

	d.operator.Call(t, "PUT", "/ops/v1/locations/MTL-1", []byte(depot)).Must(t, 200)
	back := giveBack(t, d.partner, a, lampsBack(d.lamp, 3, "warehouse")).Must(t, 201).Text("order_id")
	d.ids = append(d.ids, back)
	d.step(t, "a return of 3 of A is created", whereabouts{shelf: 13, delivered: 4, writtenOff: 1, missing: 1})
	d.moves(t, back, "accepted", "courier_assigned", "picked_up")
	d.step(t, "the return is picked up", whereabouts{shelf: 13, custody: 3, delivered: 1, writtenOff: 1, missing: 1})
	d.moves(t, back, "out_for_delivery", "delivered")
	d.step(t, "the return is at the warehouse",
		whereabouts{shelf: 13, custody: 3, delivered: 1, writtenOff: 1, missing: 1})
	d.receive(t, back, 2, 1, 0)
	d.step(t, "the return is received: 2 fine, 1 broken",
		whereabouts{shelf: 15, delivered: 1, writtenOff: 2, missing: 1})
	t.Logf("one day of a product:\n%s", d.table.String())
}
