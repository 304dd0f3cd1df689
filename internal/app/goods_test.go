package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
)

// givenUp returns an order of three lamps of five that has failed on its way, and was cancelled.
func (f floor) givenUp(t *testing.T, by *apptest.Operator) (id string, lamp int) {
	t.Helper()
	const reference = "A-1"
	lamp = f.operator.Stock(t, f.partner.PartnerID, "Lamp "+reference, map[string]int{"MTL-1": 5})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp)
	id = f.partner.Create(t, testkit.OrderJSON(reference, items)).Must(t, 201).Text("order_id")
	f.operator.Move(t, id, "accepted").Must(t, 200)
	move(t, f.operator, id, `{"status":"courier_assigned","courier_id":"`+by.CourierID+`"}`).Must(t, 200)
	for _, status := range []string{"picked_up", "failed", "cancelled"} {
		f.operator.Move(t, id, status).Must(t, 200)
	}
	return id, lamp
}

func (f floor) quantity(t *testing.T, product int) string {
	t.Helper()
	path := fmt.Sprintf("/ops/v1/partners/%s/products/%d", f.partner.PartnerID, product)
	return fmt.Sprint(f.operator.Call(t, "GET", path, nil).Must(t, 200).JSON("quantity"))
}

func receive(t *testing.T, by *apptest.Operator, orderID, body string) *apptest.Answer {
	t.Helper()
	return by.Call(t, "POST", "/ops/v1/orders/"+orderID+"/return/receive", []byte(body))
}

func transfer(t *testing.T, by *apptest.Operator, orderID, body string) *apptest.Answer {
	t.Helper()
	return by.Call(t, "POST", "/ops/v1/orders/"+orderID+"/transfer", []byte(body))
}

// eventsOf returns the types of an order's events, in their sequence.
func (f floor) eventsOf(t *testing.T, id string) (kinds []string) {
	t.Helper()
	found := f.partner.Call(t, "GET", "/v1/webhooks/events?limit=50&order_id="+id, nil).Must(t, 200)
	kinds = make([]string, found.Len("events"))
	for i := range kinds {
		sequence, _ := found.JSON("events", i, "sequence").(float64)
		kinds[int(sequence)-1] = found.Text("events", i, "type")
	}
	return kinds
}

// TestGoodsComeBack gives an order up after its pickup. Its items are in stock again when the warehouse
// has received them, and not before.
func TestGoodsComeBack(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor := f.rider(t, "noor")
	warehouse := f.operator.As(t, "warehouse")
	id, lamp := f.givenUp(t, noor)
	if got := f.quantity(t, lamp); got != "2" {
		t.Errorf("got %s lamps after the cancellation, want 2: the others are in the van", got)
	}
	if read := f.read(t, id); read.Text("return", "state") != "due" || read.Len("return", "lines") != 0 {
		t.Errorf("got %s, want a return that is due", read.Body)
	}
	due := warehouse.Call(t, "GET", "/ops/v1/returns", nil).Must(t, 200)
	if due.Len("returns") != 1 || due.Text("returns", 0, "order_id") != id ||
		due.Text("returns", 0, "holder", "id") != noor.CourierID || due.JSON("returns", 0, "items", 0, "quantity") != 3.0 {
		t.Errorf("got %s, want the order with its courier", due.Body)
	}
	line := func(quantity int, disposition string) string {
		return fmt.Sprintf(`{"product_id":%d,"quantity":%d,"disposition":%q}`, lamp, quantity, disposition)
	}
	for field, body := range map[string]string{
		"location":          `{"lines":[` + line(3, "sellable") + `]}`,
		"lines":             `{"location":"TOR-1","lines":[]}`,
		"lines[1].quantity": `{"location":"TOR-1","lines":[` + line(3, "sellable") + "," + line(1, "missing") + `]}`,
		"lines[1].product_id": `{"location":"TOR-1","lines":[` + line(3, "sellable") +
			`,{"product_id":999,"quantity":1,"disposition":"sellable"}]}`,
		"lines[0].disposition": `{"location":"TOR-1","lines":[` + line(3, "wet") + `]}`,
	} {
		refused := receive(t, warehouse, id, body).Refused(t, 422, "validation_error")
		if got := refused.Text("error", "details", "field"); got != field {
			t.Errorf("%s: got field %s, want %s", body, got, field)
		}
	}
	lines := line(1, "sellable") + "," + line(1, "damaged") + "," + line(1, "missing")
	body := `{"location":"TOR-1","lines":[` + lines + `]}`
	received := receive(t, warehouse, id, body).Must(t, 200)
	if received.Text("return", "state") != "received" || received.Len("return", "lines") != 3 ||
		received.Text("return", "received_at") == "" {
		t.Errorf("got %s, want the lines received", received.Body)
	}
	if got := f.quantity(t, lamp); got != "3" {
		t.Errorf("got %s lamps, want 3: one came back unharmed", got)
	}
	journal := f.operator.Call(t, "GET", fmt.Sprintf("/ops/v1/partners/%s/movements?location=TOR-1", f.partner.PartnerID),
		nil).Must(t, 200)
	var booked []string
	for i := range journal.Len("movements") {
		booked = append(booked, fmt.Sprint(journal.JSON("movements", i, "type"), journal.JSON("movements", i, "quantity")))
		if journal.Text("movements", i, "order_id") != id {
			t.Errorf("got %s, want movements of the order", journal.Body)
		}
	}
	if slices.Sort(booked); !slices.Equal(booked, []string{"ADJUSTMENT-1", "IN1", "IN1"}) {
		t.Errorf("got movements %v, want two in and the damaged one out", booked)
	}
	receive(t, warehouse, id, body).Refused(t, 409, "conflict")
	events := f.eventsOf(t, id)
	if want := []string{"order.cancelled", "return.due", "return.received"}; !slices.Equal(events[len(events)-3:], want) {
		t.Errorf("got events %v, want them to end with %v", events, want)
	}
	done := warehouse.Call(t, "GET", "/ops/v1/returns?state=received", nil).Must(t, 200)
	left := warehouse.Call(t, "GET", "/ops/v1/returns", nil).Must(t, 200)
	if done.Len("returns") != 1 || done.Text("returns", 0, "holder", "id") != "TOR-1" || left.Len("returns") != 0 {
		t.Errorf("got %s received and %s due, want the order among the received", done.Body, left.Body)
	}
	receive(t, noor, id, body).Refused(t, 422, "validation_error")
}

// bringing lists what a courier brings back, as "A-1 to warehouse MTL-1".
func bringing(t *testing.T, by *apptest.Operator) (all []string) {
	t.Helper()
	listed := by.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	for i := range listed.Len("returns") {
		text := func(member string) string { return listed.Text("returns", i, member) }
		all = append(all, strings.TrimSpace(text("partner_order_id")+" to "+text("to")+" "+text("location")))
	}
	return all
}

// TestCourierBringsBack hands what was in stock in at the warehouse, and gives other parcels back to their
// sender with a picture, after the phone had no connection.
func TestCourierBringsBack(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor, camille := f.rider(t, "noor"), f.rider(t, "camille")
	f.operator.Call(t, "PUT", "/ops/v1/locations/MTL-1", []byte(depot)).Must(t, 200)
	lamps, lamp := f.givenUp(t, noor)
	f.Clock.Advance(time.Minute)
	books := f.carried(t, noor, "A-2", delivery.StatusPickedUp)
	for _, status := range []string{"failed", "cancelled"} {
		f.operator.Move(t, books, status).Must(t, 200)
	}
	want := []string{"A-1 to warehouse MTL-1", "A-2 to sender"}
	if got := bringing(t, noor); !slices.Equal(got, want) || bringing(t, camille) != nil {
		t.Errorf("got %v, want %v", got, want)
	}
	listed := noor.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	if listed.Text("returns", 0, "place", "name") != "Dépôt Nord" ||
		listed.Text("returns", 1, "place", "address", "city") != "Montréal" || listed.Len("returns", 1, "parcels") == 0 {
		t.Errorf("got %s, want the addresses of both", listed.Body)
	}
	for by, want := range map[*apptest.Operator]int{noor: 2, camille: 404} { // both orders have a parcel with this barcode
		found := by.Call(t, "GET", "/ops/v1/scan?code=LAMP-2", nil)
		if found.Status != want && (found.Status != 200 || found.Len("matches") != want) {
			t.Errorf("got %s, want %d", found.Body, want)
		}
	}
	f.Clock.Advance(time.Minute)
	tapped := f.Clock.Now().UTC().Format(time.RFC3339)
	f.Clock.Advance(time.Hour)

	receive(t, noor, lamps, `{}`).Refused(t, 409, "conflict")
	receive(t, noor, lamps, fmt.Sprintf(`{"lines":[{"product_id":%d,"quantity":3,"disposition":"sellable"}]}`, lamp)).
		Refused(t, 409, "conflict")
	transfer(t, noor, lamps, `{"location":"MTL-1","occurred_at":"`+tapped+`"}`).Must(t, 200)
	receive(t, noor, books, `{"occurred_at":"`+tapped+`"}`).Refused(t, 409, "conflict") // without a picture
	prove(t, noor, books, "photo", picture(7)).Must(t, 201)
	receive(t, camille, books, `{}`).Refused(t, 404, "not_found")
	early := f.Clock.Now().Add(-2 * time.Hour).UTC().Format(time.RFC3339)
	receive(t, noor, books, `{"occurred_at":"`+early+`"}`).Refused(t, 409, "conflict")
	back := receive(t, noor, books, `{"occurred_at":"`+tapped+`"}`).Must(t, 200)
	if at := back.Text("return", "received_at"); !strings.HasPrefix(at, strings.TrimSuffix(tapped, "Z")) {
		t.Errorf("got the time %s, want that of the tap, %s", at, tapped)
	}
	if got := bringing(t, noor); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
	due := f.operator.Call(t, "GET", "/ops/v1/returns", nil).Must(t, 200)
	if due.Len("returns") != 1 || due.Text("returns", 0, "holder", "id") != "MTL-1" {
		t.Errorf("got %s, want the lamps at the warehouse, to be received", due.Body)
	}
	f.Audit(t)
}

// TestStockOfAnOrderNotPickedUp: an order that fails before its pickup returns its stock at once.
func TestStockOfAnOrderNotPickedUp(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp)
	id := f.partner.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201).Text("order_id")
	f.operator.Move(t, id, "accepted").Must(t, 200)
	move(t, f.operator, id, `{"status":"courier_assigned","courier_id":"`+f.rider(t, "noor").CourierID+`"}`).Must(t, 200)
	f.operator.Move(t, id, "failed").Must(t, 200)
	if gone := f.operator.Move(t, id, "cancelled").Must(t, 200); gone.JSON("return") != nil {
		t.Errorf("got %s, want no return", gone.Body)
	}
	if got := f.quantity(t, lamp); got != "5" {
		t.Errorf("got %s lamps, want 5", got)
	}
	receive(t, f.operator, id, `{"location":"MTL-1","lines":[]}`).Refused(t, 409, "conflict")
}

// TestReceiveTwiceAtOnce lets two people receive the same parcels: one of them does.
func TestReceiveTwiceAtOnce(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id, lamp := f.givenUp(t, f.rider(t, "noor"))
	body := fmt.Sprintf(`{"location":"MTL-1","lines":[{"product_id":%d,"quantity":3,"disposition":"sellable"}]}`, lamp)
	var statuses [4]int
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() { statuses[i] = receive(t, f.operator, id, body).Status })
	}
	all.Wait()
	if slices.Sort(statuses[:]); statuses != [4]int{200, 409, 409, 409} {
		t.Errorf("got statuses %v, want one 200", statuses)
	}
	if got := f.quantity(t, lamp); got != "5" {
		t.Errorf("got %s lamps, want 5", got)
	}
}

// TestParcelsChangeHands hands parcels over to a hub and to another courier, while the status stays.
func TestParcelsChangeHands(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor, ali := f.rider(t, "noor"), f.rider(t, "ali")
	id := f.carried(t, noor, "A-1", delivery.StatusPickedUp)
	f.Clock.Advance(time.Hour)
	transfer(t, ali, id, `{"location":"HUB-1"}`).Refused(t, 404, "not_found")
	transfer(t, noor, id, `{"location":"HUB-1","courier_id":"`+ali.CourierID+`"}`).Refused(t, 422, "validation_error")
	atHub := transfer(t, noor, id, `{"location":"HUB-1"}`).Must(t, 200)
	if atHub.Text("status") != "picked_up" || atHub.JSON("courier") != nil {
		t.Errorf("got %s, want the same status and no courier", atHub.Body)
	}
	if got := jobs(t, noor); len(got) != 0 {
		t.Errorf("got jobs %v of the courier before, want none", got)
	}
	if got := f.board(t, "courier_id=none"); !slices.Equal(got, []string{"A-1"}) {
		t.Errorf("got %v without a courier, want the order", got)
	}
	f.operator.Move(t, id, "out_for_delivery").Refused(t, 409, "invalid_transition")
	f.Clock.Advance(time.Hour)
	late := timestamp.Format(f.Clock.Now().Add(-90 * time.Minute))
	told := transfer(t, f.operator, id, fmt.Sprintf(`{"courier_id":%q,"occurred_at":%q}`, ali.CourierID, late)).
		Refused(t, 409, "conflict")
	if told.Text("error", "details", "changed_by", "operator_id") != noor.OperatorID {
		t.Errorf("got %s, want who handed the parcels over since", told.Body)
	}
	happened := timestamp.Format(f.Clock.Now().Add(-30 * time.Minute))
	transfer(t, f.operator, id, fmt.Sprintf(`{"courier_id":%q,"occurred_at":%q}`, ali.CourierID, happened)).Must(t, 200)
	if got := jobs(t, ali); !slices.Equal(got, []string{"A-1"}) {
		t.Errorf("got jobs %v of the new courier, want the order", got)
	}
	for _, status := range []string{"failed", "out_for_delivery"} {
		move(t, ali, id, `{"status":"`+status+`","failure_reason":"not_home","next_attempt":"2026-01-15T15:00:00Z"}`).
			Must(t, 200)
	}
	move(t, ali, id, `{"status":"failed","failure_reason":"not_home","next_attempt":"2026-01-16T15:00:00Z"}`).Must(t, 200)
	transfer(t, ali, id, `{"courier_id":"`+noor.CourierID+`"}`).Must(t, 200)
	if got := noor.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200); got.JSON("jobs", 0, "next_attempt") == nil {
		t.Errorf("got %s, want the next attempt also after the parcels were handed over", got.Body)
	}
	f.operator.Move(t, id, "out_for_delivery").Must(t, 200)
	f.operator.Move(t, id, "delivered").Must(t, 200)
	transfer(t, f.operator, id, `{"location":"HUB-1"}`).Refused(t, 409, "conflict")
	read := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
	var holders []string
	for i := range read.Len("custody") {
		holders = append(holders, read.Text("custody", i, "holder", "kind"))
		if i > 0 && read.Text("custody", i, "from") != read.Text("custody", i-1, "until") {
			t.Errorf("got %s, want no gap before holder %d", read.Body, i)
		}
	}
	if got := strings.Join(holders, " "); got != "sender courier location courier courier recipient" ||
		read.Text("custody", 3, "from") != happened {
		t.Errorf("got custody %s, want the holders with the times of the acts: %s", got, read.Body)
	}
	changed := 0
	for _, kind := range f.eventsOf(t, id) {
		if kind == "courier.changed" {
			changed++
		}
	}
	if changed != 3 {
		t.Errorf("got %d events courier.changed, want 3", changed)
	}
	if tracked := f.Do(t, "GET", "/track/"+id, nil, "Accept", "application/json").Must(t, 200); strings.Contains(
		string(tracked.Body), "HUB-1") {
		t.Errorf("got %s, want nothing of the hub in public tracking", tracked.Body)
	}
}

// TestReturnWithoutItems receives parcels at a location, and at their sender with a proof.
func TestReturnWithoutItems(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor := f.rider(t, "noor")
	for _, place := range []string{"HUB-1", ""} {
		id := f.carried(t, noor, "A"+place, delivery.StatusPickedUp)
		f.operator.Move(t, id, "failed").Must(t, 200)
		f.operator.Move(t, id, "cancelled").Must(t, 200)
		f.Clock.Advance(time.Minute)
		body := `{"location":"HUB-1"}`
		if place == "" {
			body = `{}`
			receive(t, f.operator, id, body).Refused(t, 409, "conflict")
			f.Do(t, "POST", "/ops/v1/orders/"+id+"/proofs?kind=photo", picture(1),
				"Authorization", "Bearer "+f.operator.Token, "Content-Type", "image/png").Must(t, 201)
		}
		receive(t, f.operator, id, body).Must(t, 200)
		read := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
		want := map[string]string{"HUB-1": "location", "": "sender"}[place]
		if got := read.Text("custody", read.Len("custody")-1, "holder", "kind"); got != want {
			t.Errorf("location %q: got holder %s, want %s", place, got, want)
		}
	}
}

// TestScansAreStored: what was read from labels is in the record of operators, until it is erased.
func TestScansAreStored(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	noor, ali := f.rider(t, "noor"), f.rider(t, "ali")
	id := f.carried(t, noor, "A-1", delivery.StatusPickedUp)
	at := timestamp.Format(f.Clock.Now().Add(-time.Minute))
	scan := []byte(fmt.Sprintf(`{"code":"P-1 of Alex","at":%q}`, at))
	ali.Call(t, "POST", "/ops/v1/orders/"+id+"/scans", scan).Refused(t, 404, "not_found")
	noor.Call(t, "POST", "/ops/v1/orders/"+id+"/scans", scan).Must(t, 201)
	read := func() *apptest.Answer { return f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200) }
	if got := read(); got.Len("scans") != 1 || got.Text("scans", 0, "code") != "P-1 of Alex" ||
		got.Text("scans", 0, "at") != at || got.Text("scans", 0, "operator_id") != noor.OperatorID {
		t.Errorf("got %s, want the scan", got.Body)
	}
	if erased, err := f.erase(t, []string{id}, "", true); erased != 1 || err != nil {
		t.Fatalf("got %d orders erased, %v", erased, err)
	}
	if got := read(); got.Text("scans", 0, "code") != "erased" {
		t.Errorf("got %s, want no code after the erasure", got.Body)
	}
}
