package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

const (
	returnWindow = `"pickup":{"time_window":{"start":"2026-01-19T09:00:00-05:00","end":"2026-01-19T17:00:00-05:00"}}`
	depot        = `{"name":"Dépôt Nord","phone":"+15145550199","email":"depot@example.com",
 "address":{"line1":"9000 Boulevard Saint-Laurent","city":"Montréal","province":"QC","postal_code":"H2N 1M5","country":"CA"}}`
)

// deliveredLamps returns an order of three lamps of five that was delivered.
func (f floor) deliveredLamps(t *testing.T, reference string) (id string, lamp int) {
	t.Helper()
	lamp = f.operator.Stock(t, f.partner.PartnerID, "Lamp "+reference, map[string]int{"MTL-1": 5})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp)
	id = f.partner.Create(t, testkit.OrderJSON(reference, items)).Must(t, 201).Text("order_id")
	f.deliver(t, id)
	return id, lamp
}

func (f floor) deliver(t *testing.T, id string) {
	t.Helper()
	for _, step := range waysTo["delivered"] {
		f.operator.Move(t, id, step).Must(t, 200)
	}
}

// giveBack requests a return under a fresh idempotency key, or the one in headers.
func giveBack(t *testing.T, by *apptest.Partner, orderID, body string, headers ...string) *apptest.Answer {
	t.Helper()
	if len(headers) == 0 {
		headers = []string{"Idempotency-Key", uuid.NewString()}
	}
	return by.Call(t, "POST", "/v1/orders/"+orderID+"/returns", []byte(body), headers...)
}

func lampsBack(lamp, quantity int, to string) string {
	return fmt.Sprintf(`{"reason":"too dark","to":%q,"items":[{"product_id":%d,"quantity":%d}],%s}`, to, lamp, quantity,
		returnWindow)
}

// TestReturnOrder brings goods back to a warehouse: at most what was delivered, and in stock again when
// they are received.
func TestReturnOrder(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id, lamp := f.deliveredLamps(t, "A-1")
	refused := giveBack(t, f.partner, id, lampsBack(lamp, 2, "warehouse")).Refused(t, 422, "validation_error")
	if got := refused.Text("error", "details", "field"); got != "to" {
		t.Errorf("got field %s, want to: the location has no address", got)
	}
	f.operator.As(t, "warehouse").Call(t, "PUT", "/ops/v1/locations/MTL-1", []byte(depot)).Must(t, 200)

	key := []string{"Idempotency-Key", uuid.NewString()}
	back := giveBack(t, f.partner, id, lampsBack(lamp, 2, "warehouse"), key...).Must(t, 201)
	backID := back.Text("order_id")
	for path, want := range map[string]string{
		"return_of": id, "return_reason": "too dark", "partner_order_id": backID, "service_level": "standard",
		"status": "pending",
	} {
		if got := back.Text(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if back.Text("pickup", "name") != "Alex Martin" || back.Text("dropoff", "name") != "Dépôt Nord" ||
		back.Text("dropoff", "time_window", "start") != "2026-01-19T09:00:00.000-05:00" ||
		back.Text("items", 0, "name") != "Lamp A-1" {
		t.Errorf("got %s, want a return from Alex Martin to the depot", back.Body)
	}
	again := giveBack(t, f.partner, id, lampsBack(lamp, 2, "warehouse"), key...).Must(t, 201)
	if !bytes.Equal(again.Body, back.Body) {
		t.Errorf("got %s, want the first answer %s", again.Body, back.Body)
	}
	if got := f.quantity(t, lamp); got != "2" {
		t.Errorf("got %s lamps, want 2: a return takes none", got)
	}
	refused = giveBack(t, f.partner, id, lampsBack(lamp, 2, "warehouse")).Refused(t, 422, "validation_error")
	if got := refused.Text("error", "details", "field"); got != "items" {
		t.Errorf("got field %s, want items: one lamp is left", got)
	}
	f.partner.Call(t, "PATCH", "/v1/orders/"+backID, fmt.Appendf(nil, `{"items":[{"product_id":%d,"quantity":3}]}`, lamp),
		"Idempotency-Key", uuid.NewString()).Refused(t, 409, "order_not_editable")

	f.partner.Cancel(t, backID, "kept").Must(t, 200)
	if got := f.quantity(t, lamp); got != "2" {
		t.Errorf("got %s lamps after the cancellation, want 2", got)
	}
	if read := f.read(t, id); read.JSON("returns") != nil {
		t.Errorf("got %s, want no return", read.Body)
	}
	second := giveBack(t, f.partner, id, `{"reason":"all of it","to":"warehouse",`+returnWindow+`}`).Must(t, 201)
	secondID := second.Text("order_id")
	if second.JSON("items", 0, "quantity") != 3.0 || f.read(t, id).Text("returns", 0) != secondID {
		t.Errorf("got %s, want all three lamps", second.Body)
	}
	if tracked := f.Do(t, "GET", "/track/"+secondID, nil).Must(t, 200); tracked.JSON("is_return") != true {
		t.Errorf("got %s, want a return", tracked.Body)
	}
	if page := f.Do(t, "GET", "/track/"+secondID+"/html?lang=en", nil).Must(t, 200); !strings.Contains(string(page.Body),
		"This is a return.") {
		t.Errorf("got %s, want the page of a return", page.Body)
	}
	f.deliver(t, secondID)
	if read := f.read(t, secondID); read.Text("return", "state") != "due" {
		t.Errorf("got %s, want a return that is due", read.Body)
	}
	if got := f.eventsOf(t, secondID); got[len(got)-1] != "return.due" {
		t.Errorf("got events %v, want return.due at the end", got)
	}
	lines := fmt.Sprintf(`{"location":"MTL-1","lines":[{"product_id":%d,"quantity":2,"disposition":"sellable"},
		{"product_id":%d,"quantity":1,"disposition":"damaged"}]}`, lamp, lamp)
	receive(t, f.operator, secondID, lines).Must(t, 200)
	if got := f.quantity(t, lamp); got != "4" {
		t.Errorf("got %s lamps, want 4: two came back unharmed", got)
	}
	record := f.operator.Call(t, "GET", "/ops/v1/orders/"+secondID, nil).Must(t, 200)
	var holders []string
	for i := range record.Len("custody") {
		holders = append(holders, record.Text("custody", i, "holder", "kind"))
	}
	if got := fmt.Sprint(holders); got != "[recipient courier location location]" {
		t.Errorf("got holders %s", got)
	}
	giveBack(t, f.partner, secondID, lampsBack(lamp, 1, "sender")).Refused(t, 409, "conflict")
	pending := f.orderIn(t, "A-2", "pending")
	giveBack(t, f.partner, pending, `{"reason":"x","to":"sender",`+returnWindow+`}`).Refused(t, 409, "conflict")
	f.Register(t, "other").Call(t, "POST", "/v1/orders/"+id+"/returns", []byte(lampsBack(lamp, 1, "sender")),
		"Idempotency-Key", uuid.NewString()).Refused(t, 404, "not_found")
	f.Audit(t)
}

// TestReturnOfParcels brings an order without items back to its sender.
func TestReturnOfParcels(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", "delivered")
	back := giveBack(t, f.partner, id, `{"reason":"wrong colour","to":"sender","partner_order_id":"R-1",`+
		`"service_level":"express",`+returnWindow+`}`).Must(t, 201)
	if back.Text("dropoff", "name") != "Épicerie Métro" || back.Text("partner_order_id") != "R-1" ||
		back.Len("parcels") != 2 {
		t.Errorf("got %s, want both parcels back at the shop", back.Body)
	}
	refused := giveBack(t, f.partner, id, `{"reason":"again","to":"sender",`+returnWindow+`}`)
	if got := refused.Refused(t, 422, "validation_error").Text("error", "details", "field"); got != "parcels" {
		t.Errorf("got field %s, want parcels", got)
	}
	f.deliver(t, back.Text("order_id"))
	if read := f.read(t, back.Text("order_id")); read.JSON("return") != nil {
		t.Errorf("got %s, want nothing due: the sender has the parcels", read.Body)
	}
}

// TestReturnsAtOnce requests more returns at once than there are goods.
func TestReturnsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id, lamp := f.deliveredLamps(t, "A-1")
	answers := make([]*apptest.Answer, 8)
	var running sync.WaitGroup
	for i := range answers {
		running.Go(func() { answers[i] = giveBack(t, f.partner, id, lampsBack(lamp, 1, "sender")) })
	}
	running.Wait()
	created := 0
	for _, answer := range answers {
		if answer.Status == 201 {
			created++
			continue
		}
		answer.Refused(t, 422, "validation_error")
	}
	if created != 3 || f.read(t, id).Len("returns") != 3 {
		t.Errorf("got %d returns, want 3: as many lamps were delivered", created)
	}
}

// TestNoReturnOfAnErasedOrder refuses to send a courier to an address that was erased.
func TestNoReturnOfAnErasedOrder(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", "delivered")
	if _, err := f.erase(t, []string{id}, "", false); err != nil {
		t.Fatal(err)
	}
	refused := giveBack(t, f.partner, id, `{"reason":"x","to":"sender",`+returnWindow+`}`).Refused(t, 409, "conflict")
	if got := refused.Text("error", "details", "status"); got != "delivered" {
		t.Errorf("got the status %q in the details, want delivered", got)
	}
	if read := f.read(t, id); read.JSON("returns") != nil {
		t.Errorf("got %s, want no return", read.Body)
	}
}
