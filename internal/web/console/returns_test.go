package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// back is a service with a partner whose orders come back.
type back struct {
	*apptest.Service
	desk  *apptest.Operator
	metro *apptest.Partner
}

func newBack(t *testing.T) back {
	t.Helper()
	s := apptest.Start(t)
	return back{s, s.Operate(t), s.Register(t, "metro")}
}

// carried creates an order that a courier has picked up.
func (b back) carried(t *testing.T, reference, items string) (id string) {
	t.Helper()
	id = b.metro.Create(t, testkit.OrderJSON(reference, items)).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		b.desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	return id
}

// givenUp creates an order that was cancelled after its pickup.
func (b back) givenUp(t *testing.T, reference, items string) (id string) {
	t.Helper()
	id = b.carried(t, reference, items)
	for _, status := range []string{"failed", "cancelled"} {
		b.desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	return id
}

func (b back) lamps(t *testing.T, count int) (product int, items string) {
	t.Helper()
	product = b.desk.Stock(t, b.metro.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	return product, fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, product, count)
}

func (b back) quantity(t *testing.T, product int) string {
	t.Helper()
	path := fmt.Sprintf("/ops/v1/partners/%s/products/%d", b.metro.PartnerID, product)
	return fmt.Sprint(b.desk.Call(t, "GET", path, nil).Must(t, 200).JSON("quantity"))
}

// TestReturnIsReceived scans the label of an order that comes back, and receives what is in it: sums that
// do not add up are refused beside their product, with what was typed.
func TestReturnIsReceived(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	lamp, items := b.lamps(t, 3)
	id := b.givenUp(t, "A-1", items)
	v := b.desk.As(t, "warehouse").Visit(t)
	path := "/console/returns/" + id
	v.Open(t, "/console/returns").Shows(t, 200, "A-1", "metro", "Camille Tremblay", "3 × Lamp", `href="`+path+`"`,
		`href="/console/returns" aria-current="page"`)
	for _, code := range []string{id, "https://dropyard.example/track/" + id, "A-1"} {
		v.Open(t, "/console/returns?code="+code).Leads(t, path)
	}
	v.Open(t, "/console/returns?code=B-9").Shows(t, 200, "No return matches “B-9”.", `aria-invalid="true"`, `value="B-9"`)

	b.carried(t, "A-2", "")
	v.Open(t, "/console/returns?code=A-2").Shows(t, 200, "A-2 has not been cancelled (status: Picked up).", `aria-invalid="true"`)

	name := func(state string) string { return fmt.Sprintf("%s-%d", state, lamp) }
	form := v.Open(t, path)
	form.Shows(t, 200, `name="`+name("sellable")+`" value="3"`, `name="location"`, `value="MTL-1"`)
	v.Send(t, form, path, name("sellable"), "2", name("damaged"), "2", "location", "TOR-1").
		Shows(t, 422, "Sellable, damaged and missing must add up to 3.", fmt.Sprintf(`id="fault-sum-%d"`, lamp),
			`name="`+name("damaged")+`" value="2"`, `value="TOR-1"`, `aria-invalid="true"`)
	v.Send(t, v.Open(t, path), path, name("sellable"), "", name("damaged"), "0").
		Shows(t, 422, "Sellable, damaged and missing must add up to 3.")
	v.Send(t, v.Open(t, path), path, name("missing"), "one").Shows(t, 422, `id="fault-`+name("missing")+`"`)
	v.Send(t, v.Open(t, path), path, "location", "").Shows(t, 422, `id="fault-location"`)
	if got := b.quantity(t, lamp); got != "2" {
		t.Errorf("got %s lamps after refusals, want 2", got)
	}

	late := v.Open(t, path)
	form = v.Send(t, v.Open(t, path), path, name("sellable"), "1", name("damaged"), "1", "location", "TOR-1").Must(t, 422)
	for _, said := range []string{"The return of A-1 is received.", ""} { // the second one is a double click
		v.Send(t, form, path, name("missing"), "1").Leads(t, "/console/returns")
		v.Open(t, "/console/returns").Shows(t, 200, said, "No returns are due.")
	}
	if got := b.quantity(t, lamp); got != "3" {
		t.Errorf("got %s lamps, want 3: one came back unharmed", got)
	}
	v.Send(t, late, path).Leads(t, path)
	v.Open(t, path).
		Shows(t, 200, "Nothing was changed: this return has been received already.", "1 × Lamp · damaged", "TOR-1")
	v.Open(t, "/console/returns?state=received").Shows(t, 200, "A-1", "1 × Lamp · missing", "TOR-1")
	b.desk.Visit(t).Open(t, "/console/orders/"+id).
		Shows(t, 200, "Parcels received:", "1 × Lamp · sellable", "Who had the parcels")
}

// TestReturnByBarcode finds the parcel of an order that has ended by what its partner prints on it.
func TestReturnByBarcode(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	v := b.desk.As(t, "warehouse").Visit(t)
	ids := []string{b.givenUp(t, "A-1", ""), b.givenUp(t, "A-2", "")}
	parcel := b.desk.Call(t, "GET", "/ops/v1/orders/"+ids[0], nil).Must(t, 200).
		Text("order", "parcels", 0, "parcel_id")
	v.Open(t, "/console/returns?code="+parcel).Shows(t, 200, "2 orders have this code.", "A-1", "A-2")
	v.Open(t, "/console/returns?code=%00").Must(t, 400)
	v.Open(t, "/console/returns?code="+strings.Repeat("x", 4000)).Must(t, 200)
	v.Open(t, "/console/returns/ord_none").Must(t, http.StatusNotFound)
	v.Open(t, "/console/returns/"+b.carried(t, "A-3", "")).Must(t, http.StatusNotFound)
}

// TestReturnWithoutItems receives parcels at a location, and at their sender with a picture.
func TestReturnWithoutItems(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	v := b.desk.Visit(t)
	id := b.givenUp(t, "A-1", "")
	path := "/console/returns/" + id
	v.Fill(t, path, "location", "").Shows(t, 422, `id="fault-location"`, "first add a picture")
	order := v.Open(t, "/console/orders/"+id)
	order.Shows(t, 200, `action="/console/orders/`+id+`/proofs"`, "Parcels due back:", `href="`+path+`"`)
	v.Fill(t, path, "location", "HUB-1").Leads(t, "/console/returns")
	v.Open(t, path).Shows(t, 200, "HUB-1")
}

// TestReturnsHaveRoles leads dispatchers to the orders of returns, and the warehouse to the returns.
func TestReturnsHaveRoles(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	id := b.givenUp(t, "A-1", "")
	for role, shows := range map[string]string{
		"admin": "/console/orders/" + id, "dispatcher": "/console/orders/" + id, "warehouse": "/console/returns/" + id,
	} {
		v := b.desk.As(t, role).Visit(t)
		v.Open(t, "/console/returns").Shows(t, 200, `class="mono clip" href="`+shows+`"`)
		v.Open(t, "/console/returns/"+id).Must(t, 200)
	}
	b.desk.As(t, "courier").Visit(t).Open(t, "/console/returns").Must(t, http.StatusForbidden)
}

// TestParcelsAreHandedOver hands parcels over to a location and back to a courier on the order's page.
func TestParcelsAreHandedOver(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	v := b.desk.As(t, "dispatcher").Visit(t)
	id := b.metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	path := "/console/orders/" + id
	if body := string(v.Open(t, path).Body); strings.Contains(body, "/transfer") {
		t.Errorf("got %s, want no transfer of parcels that the sender has", body)
	}
	v.Open(t, path+"/transfer").Leads(t, path)
	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		b.desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	v.Open(t, path).Shows(t, 200, "Hand over…", path+`/transfer"`, "Who had the parcels", "Camille Tremblay")
	v.Fill(t, path+"/transfer").Shows(t, 422, "Choose a courier or enter a location, not both.", `id="fault-courier_id"`)
	v.Fill(t, path+"/transfer", "location", strings.Repeat("x", 65)).Shows(t, 422, `id="fault-location"`)

	b.Clock.Advance(time.Second) // the audit log tells who was faster by time
	form, stale := v.Open(t, path+"/transfer"), b.desk.Visit(t)
	seen := stale.Open(t, path+"/transfer")
	for _, said := range []string{"The parcels of A-1 are handed over: HUB-1.", ""} { // the second one is a double click
		v.Send(t, form, path+"/transfer", "location", "HUB-1").Leads(t, path)
		v.Open(t, path).Shows(t, 200, said)
	}
	stale.Send(t, seen, path+"/transfer", "location", "HUB-2").Leads(t, path)
	stale.Open(t, path).Shows(t, 200, "Nothing was changed: dispatcher@example.com was faster.")
	v.Fill(t, path+"/transfer", "location", "HUB-1").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "Nothing was changed: the parcels are there already (HUB-1).")
	v.Open(t, path+"/transfer").Shows(t, 200, `<option value="HUB-1">`)
	v.Fill(t, path+"/transfer", "courier_id", b.desk.CourierID).Leads(t, path)

	b.desk.Move(t, id, "failed").Must(t, 200)
	v.Fill(t, path+"/transfer", "location", "HUB-1").Leads(t, path)
	v.Open(t, path+"/moves/cancelled").Shows(t, 200, "Its parcels are due back.")
	b.desk.Move(t, id, "cancelled").Must(t, 200)
	v.Fill(t, path+"/transfer", "location", "MTL-1").Leads(t, path)
	b.desk.Call(t, "POST", "/ops/v1/orders/"+id+"/scans", []byte(`{"code":"P-1 <b>"}`)).Must(t, 201)
	v.Open(t, path).Shows(t, 200, "Parcels due back:", "MTL-1", "Scanned labels", "P-1 &lt;b&gt;")
}

// TestLocations sets the address of a location, changes it, and keeps what was typed if it is refused.
func TestLocations(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	v := b.desk.As(t, "warehouse").Visit(t)
	v.Open(t, "/console/returns").Shows(t, 200, `href="/console/locations"`)
	v.Open(t, "/console/locations").Shows(t, 200, "No location has an address yet.", `href="/console/locations/edit"`)
	typed := []string{
		"code", " MTL-1 ", "name", "Dépôt Nord", "phone", "+15145550199", "email", "depot@example.com",
		"address.line1", "9000 Boulevard Saint-Laurent", "address.city", "Montréal", "address.province", "QC",
		"address.postal_code", "H2N 1M5",
	}
	form := v.Open(t, "/console/locations/edit").Must(t, 200)
	v.Send(t, form, "/console/locations/edit", append(typed, "phone", "none")...).
		Shows(t, 422, `id="fault-phone"`, `value="Dépôt Nord"`, `<option value="QC" selected`)
	v.Send(t, form, "/console/locations/edit", typed...).Leads(t, "/console/locations")
	v.Open(t, "/console/locations").
		Shows(t, 200, "The address of MTL-1 is saved.", "Dépôt Nord", `href="/console/locations/edit?code=MTL-1"`)
	form = v.Open(t, "/console/locations/edit?code=MTL-1")
	form.Shows(t, 200, "Location MTL-1", `value="9000 Boulevard Saint-Laurent"`)
	v.Send(t, form, "/console/locations/edit", "name", "Dépôt Sud").Leads(t, "/console/locations")
	found := b.desk.Call(t, "GET", "/ops/v1/locations", nil).Must(t, 200)
	if found.Len("locations") != 1 || found.Text("locations", 0, "name") != "Dépôt Sud" ||
		found.Text("locations", 0, "address", "postal_code") != "H2N 1M5" {
		t.Errorf("got %s, want the other name only", found.Body)
	}
	b.desk.As(t, "courier").Visit(t).Open(t, "/console/locations").Must(t, http.StatusForbidden)
}
