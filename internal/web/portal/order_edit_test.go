package portal_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// previewEdit sends the form on a page as a button does that changes nothing.
func (d desk) previewEdit(t *testing.T, shown *apptest.Answer, path, act string, values ...string) *apptest.Answer {
	t.Helper()
	return d.Do(t, "POST", path+"/preview", shown.Form(t, path, append(values, "_act", act)...), "Cookie", d.Cookie,
		"Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded").Must(t, http.StatusOK)
}

// changedFields returns what the latest edit of an order has changed.
func changedFields(t *testing.T, p *apptest.Partner, orderID string) (fields []string, version any) {
	t.Helper()
	read := p.Call(t, "GET", "/v1/orders/"+orderID, nil).Must(t, http.StatusOK)
	if read.JSON("changes") == nil {
		return nil, read.JSON("version")
	}
	text, _ := json.Marshal(read.JSON("changes", read.Len("changes")-1, "fields"))
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return fields, read.JSON("version")
}

// TestEditOrder edits an order on its page: the preview says what an edit does to the price and
// writes nothing, an edit is saved only after its price was shown, and the page of the order
// says what was changed.
func TestEditOrder(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk := desk{metro.As(t, "clerk")}
	id := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	at, path := "/portal/orders/"+id, "/portal/orders/"+id+"/edit"
	contains(t, clerk.Open(t, at+"?lang=en"), `href="`+path+`"`)
	shown := clerk.Open(t, path).Must(t, http.StatusOK)
	contains(t, shown, "Nothing is changed yet.", `name="dropoff.address.city"`, `name="parcels[0].weight_kg"`)

	before := s.Content(t)
	heavy := []string{"parcels[0].weight_kg", "40,5", "dropoff.phone", "(416) 555-0199", "cod.amount_cents", "12.50"}
	previewed := clerk.previewEdit(t, shown, path, "price", heavy...)
	contains(t, previewed, "To be changed: <strong>Dropoff · Phone, Parcels, Cash on delivery</strong>",
		`<s class="soft">$`)
	contains(t, clerk.previewEdit(t, shown, path, "price", "dropoff.phone", "call me"), `id="fault-dropoff.phone"`)
	contains(t, clerk.previewEdit(t, shown, path, "add", heavy...), `name="parcels[1].parcel_id"`)
	contains(t, clerk.Send(t, shown, path, heavy...).Must(t, http.StatusConflict), "Nothing was saved yet", "40,5")
	s.Unchanged(t, before)

	for range 2 { // a double click
		clerk.Send(t, previewed, path).Leads(t, at)
	}
	fields, version := changedFields(t, metro, id)
	if want := []string{"cod", "dropoff.phone", "parcels"}; !slices.Equal(fields, want) || version != 2.0 {
		t.Errorf("got the fields %q and version %v, want %q and 2", fields, version, want)
	}
	contains(t, clerk.Open(t, at), "Edited", "your account", "Cash on delivery, Dropoff · Phone, Parcels")
	clerk.Send(t, clerk.Open(t, path), path, "cod.amount_cents", "", "reference", "R-2").Must(t, http.StatusConflict)
	contains(t, clerk.Open(t, path+"?lang=fr"), "Rien n’est encore modifié.")

	reader := desk{metro.As(t, "reader")}
	reader.Open(t, path).Must(t, http.StatusForbidden)
	if body := string(reader.Open(t, at).Must(t, http.StatusOK).Body); strings.Contains(body, path) {
		t.Errorf("got a page that leads to the form, of a person who may not edit:\n%s", body)
	}
	clerk.Open(t, "/portal/orders/ord_none/edit").Must(t, http.StatusNotFound)
}

// TestStaleEditOrder sends a form after the order has changed: the page says what happened, keeps
// what was typed and what others have changed, and saves both.
func TestStaleEditOrder(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk, operator := desk{metro.As(t, "clerk")}, s.Operate(t)
	id := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	path := "/portal/orders/" + id + "/edit"
	shown := clerk.Open(t, path+"?lang=en").Must(t, http.StatusOK)
	metro.Call(t, "PATCH", "/v1/orders/"+id, []byte(`{"reference":"theirs"}`), "Idempotency-Key",
		uuid.NewString()).Must(t, 200)
	operator.Move(t, id, "accepted").Must(t, 200)
	operator.Move(t, id, "courier_assigned").Must(t, 200)
	stale := clerk.Send(t, shown, path, "dropoff.name", "Sam", "dropoff.address.city", "Ottawa").
		Must(t, http.StatusConflict)
	contains(t, stale, "The order has changed since", "your account: Reference", "the status is now “Assigned”",
		"No longer editable at the status “Assigned”: Dropoff · City", `value="Sam"`, `value="theirs"`)
	clerk.Send(t, stale, path).Leads(t, "/portal/orders/"+id)
	if fields, _ := changedFields(t, metro, id); !slices.Equal(fields, []string{"dropoff.name"}) {
		t.Errorf("got the fields %q, want only the name", fields)
	}
	if got := metro.Call(t, "GET", "/v1/orders/"+id, nil).Text("reference"); got != "theirs" {
		t.Errorf("got the reference %q, want that of the other edit", got)
	}
}

// TestEditableOnPage shows inputs for what may be edited at the order's status, and text for the
// rest. What was not typed is not edited, even if the window of the order has seconds.
func TestEditableOnPage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk, operator := desk{metro.As(t, "clerk")}, s.Operate(t)
	body := strings.ReplaceAll(string(testkit.OrderJSON("A-1", "")), ":00:00", ":00:30")
	id := metro.Create(t, []byte(body)).Must(t, 201).Text("order_id")
	path := "/portal/orders/" + id + "/edit"
	for _, step := range []struct {
		move         string
		inputs, text []string
	}{
		{"", []string{"pickup.name", "pickup.address.city", "dropoff.time_window.start", "service_level"}, nil},
		{"accepted", []string{"parcels[0].weight_kg", "insurance.amount_cents"}, nil},
		{"courier_assigned", []string{"pickup.phone", "dropoff.address.line1", "dropoff.time_window.end", "instructions"},
			[]string{"pickup.address.line1", "dropoff.address.city", "parcels[0].weight_kg", "service_level"}},
		{"picked_up", []string{"dropoff.phone", "dropoff.address.notes", "reference"},
			[]string{"pickup.phone", "dropoff.time_window.end", "dropoff.address.line1"}},
		{"out_for_delivery", []string{"dropoff.phone"}, []string{"pickup.phone"}},
		{"delivered", []string{"reference"}, []string{"dropoff.phone", "instructions"}},
	} {
		if step.move != "" {
			operator.Move(t, id, step.move).Must(t, 200)
		}
		shown := clerk.Open(t, path+"?lang=en").Must(t, http.StatusOK)
		for _, name := range step.inputs {
			contains(t, shown, `name="`+name+`"`)
		}
		for _, name := range step.text {
			if strings.Contains(string(shown.Body), `name="`+name+`"`) {
				t.Errorf("%s: got an input for %s, want text", step.move, name)
			}
		}
		clerk.Send(t, shown, path, "reference", "after "+step.move).Leads(t, "/portal/orders/"+id)
		if fields, _ := changedFields(t, metro, id); !slices.Equal(fields, []string{"reference"}) {
			t.Errorf("%s: got the fields %q, want only the reference", step.move, fields)
		}
	}
}

// TestEditItemsOnPage changes what an order takes from stock, and takes nothing at all.
func TestEditItemsOnPage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	clerk, operator := desk{metro.Owner(t)}, s.Operate(t)
	lamp := operator.Stock(t, metro.PartnerID, "Lamp", map[string]int{"A": 3})
	vase := operator.Stock(t, metro.PartnerID, "Vase", map[string]int{"A": 3})
	id := metro.Create(t, testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp))).Must(t,
		201).Text("order_id")
	path := "/portal/orders/" + id + "/edit"
	shown := clerk.Open(t, path+"?lang=en").Must(t, http.StatusOK)
	row := func(product int) string {
		for i := range 2 {
			name := fmt.Sprintf("items[%d]", i)
			if apptest.FieldOf(t, shown, path, name+".product_id") == fmt.Sprint(product) {
				return name + ".quantity"
			}
		}
		t.Fatalf("got no row of product %d:\n%s", product, shown.Body)
		return ""
	}
	clerk.Send(t, shown, path, "reference", "R").Leads(t, "/portal/orders/"+id)
	if fields, _ := changedFields(t, metro, id); !slices.Equal(fields, []string{"reference"}) {
		t.Errorf("got the fields %q, want only the reference", fields)
	}
	shown = clerk.Open(t, path)
	contains(t, clerk.Send(t, shown, path, row(vase), "4").Must(t, http.StatusUnprocessableEntity), "Only 3 left.")
	clerk.Send(t, shown, path, row(vase), "1", row(lamp), "2").Leads(t, "/portal/orders/"+id)
	shown = clerk.Open(t, path)
	clerk.Send(t, shown, path, row(vase), "", row(lamp), "").Leads(t, "/portal/orders/"+id)
	read := metro.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	if read.JSON("items") != nil || read.JSON("version") != 4.0 {
		t.Errorf("got %s, want version 4 without items", read.Body)
	}
}
