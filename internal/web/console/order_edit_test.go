package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestEditAtTheDesk edits an order with a reason: the page of the order says who edited what, and
// why, and to whom the order is assigned. A form that is stale keeps what was typed.
func TestEditAtTheDesk(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	v, other := admin.As(t, "dispatcher").Visit(t), admin.Visit(t)
	metro := s.Register(t, "metro")
	id := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	at := "/console/orders/" + id
	path := at + "/edit"
	admin.Move(t, id, "accepted").Must(t, http.StatusOK)
	admin.Move(t, id, "courier_assigned").Must(t, http.StatusOK)
	v.Open(t, at).Shows(t, 200, `href="`+path+`"`, "Assigned to <bdi>Camille Tremblay</bdi>")

	shown := v.Open(t, path).Must(t, http.StatusOK)
	shown.Shows(t, 200, `name="dropoff.address.city"`, `name="reason"`, "Nothing is changed yet.")
	if body := string(shown.Body); strings.Contains(body, `name="service_level"`) {
		t.Errorf("got an input for the service level, which cannot be edited now:\n%s", body)
	}
	before := s.Content(t)
	v.Send(t, shown, path, "dropoff.name", "Sam").Shows(t, 422, "One field needs a change",
		`id="fault-reason"`, `value="Sam"`)
	s.Unchanged(t, before)
	stale := shown
	v.Send(t, shown, path, "dropoff.name", "Sam", "reason", "By <phone>").Leads(t, at)
	v.Open(t, at).Shows(t, 200, "Order A-1 is saved.", "Edited", "· dispatcher@example.com", "Dropoff · Name",
		"By &lt;phone&gt;")

	again := other.Send(t, stale, path, "dropoff.name", "Alex", "reason", "By mail")
	again.Shows(t, 409, "The order has changed since",
		"dispatcher@example.com: Dropoff · Name", `value="Alex"`, "By mail</textarea>")
	other.Send(t, again, path).Leads(t, at)
	read := metro.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, http.StatusOK)
	if read.Text("dropoff", "name") != "Alex" || strings.Contains(string(read.Body), "By mail") {
		t.Errorf("got %s, want the edit of the second operator, and no reason for the partner", read.Body)
	}
	warehouse := admin.As(t, "warehouse").Visit(t)
	warehouse.Open(t, path).Must(t, http.StatusForbidden)
}
