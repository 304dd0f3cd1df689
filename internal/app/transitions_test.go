package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// waysTo are the moves that lead from pending to each status.
var waysTo = map[delivery.Status][]string{
	delivery.StatusPending:         {},
	delivery.StatusAccepted:        {"accepted"},
	delivery.StatusCourierAssigned: {"accepted", "courier_assigned"},
	delivery.StatusPickedUp:        {"accepted", "courier_assigned", "picked_up"},
	delivery.StatusInTransit:       {"accepted", "courier_assigned", "picked_up", "in_transit"},
	delivery.StatusOutForDelivery:  {"accepted", "courier_assigned", "picked_up", "out_for_delivery"},
	delivery.StatusDelivered:       {"accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered"},
	delivery.StatusFailed:          {"accepted", "courier_assigned", "failed"},
	delivery.StatusCancelled:       {"cancelled"},
}

// floor is a service with a partner and an operator.
type floor struct {
	*apptest.Service
	partner  *apptest.Partner
	operator *apptest.Operator
}

// newFloor starts a service.
func newFloor(t *testing.T, options ...apptest.Option) floor {
	t.Helper()
	service := apptest.Start(t, options...)
	return floor{service, service.Register(t, "metro"), service.Operate(t)}
}

// orderIn creates an order and moves it to a status.
func (f floor) orderIn(t *testing.T, reference string, state delivery.Status) (id string) {
	t.Helper()
	id = f.partner.Create(t, testkit.OrderJSON(reference, "")).Must(t, 201).Text("order_id")
	for _, step := range waysTo[state] {
		f.operator.Move(t, id, step).Must(t, 200)
	}
	return id
}

// read returns an order as its partner sees it.
func (f floor) read(t *testing.T, id string) *apptest.Answer {
	t.Helper()
	return f.partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
}

// TestEveryTransition moves orders from each status to each. What the table of
// transitions allows succeeds; all else is refused and changes nothing.
func TestEveryTransition(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for _, from := range delivery.Statuses {
		for _, to := range delivery.Statuses {
			id := f.orderIn(t, fmt.Sprintf("%s-%s", from, to), from)
			before := f.read(t, id)
			got := f.operator.Move(t, id, string(to))
			if slices.Contains(delivery.NextStatuses(from), to) {
				moved(t, before, got.Must(t, 200), to)
				continue
			}
			got.Refused(t, 409, "invalid_transition")
			if got.Text("error", "details", "status") != string(from) ||
				got.Len("error", "details", "allowed") != len(delivery.NextStatuses(from)) {
				t.Errorf("%s to %s: got %s, want the status and what is allowed", from, to, got.Body)
			}
			if after := f.read(t, id); string(after.Body) != string(before.Body) {
				t.Errorf("%s to %s: got %s\nwant it unchanged %s", from, to, after.Body, before.Body)
			}
		}
	}
	f.Audit(t)
}

// moved checks the record of an order that was moved.
func moved(t *testing.T, before, after *apptest.Answer, to delivery.Status) {
	t.Helper()
	entries := before.Len("status_history")
	if after.Text("status") != string(to) || after.Len("status_history") != entries+1 ||
		after.Text("status_history", entries, "status") != string(to) {
		t.Errorf("move to %s: got %s, want the status and an entry in the history", to, after.Body)
	}
	for _, fixed := range []string{
		"order_id", "created_at", "rate_cents", "pickup", "dropoff", "parcels", "metadata", "tracking_url",
	} {
		if fmt.Sprint(before.JSON(fixed)) != fmt.Sprint(after.JSON(fixed)) {
			t.Errorf("move to %s: got another %s, want it unchanged: %s", to, fixed, after.Body)
		}
	}
}

// TestCancelByStatus cancels orders in every status as their partner. It succeeds
// until a courier is assigned.
func TestCancelByStatus(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for _, from := range delivery.Statuses {
		id := f.orderIn(t, string(from), from)
		got := f.partner.Cancel(t, id, "changed my mind")
		if from == delivery.StatusPending || from == delivery.StatusAccepted {
			if got.Must(t, 200).Text("status") != "cancelled" || got.Text("cancellation_reason") != "changed my mind" {
				t.Errorf("%s: got %s, want status cancelled and the reason", from, got.Body)
			}
			continue
		}
		if got.Refused(t, 409, "order_not_cancellable"); got.Text("error", "details", "status") != string(from) {
			t.Errorf("%s: got %s, want the status in the error", from, got.Body)
		}
		if after := f.read(t, id); after.Text("status") != string(from) {
			t.Errorf("%s: got %s, want it unchanged", from, after.Body)
		}
	}
	f.Audit(t)
}

// TestConcurrentMoves makes the same move eight times concurrently. One succeeds.
func TestConcurrentMoves(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for round := range 10 {
		id := f.orderIn(t, fmt.Sprint("A-", round), delivery.StatusPending)
		won := 0
		for _, got := range apptest.Together(8, func(int) *apptest.Answer { return f.operator.Move(t, id, "accepted") }) {
			if got.Status == 200 {
				won++
			} else {
				got.Refused(t, 409, "invalid_transition")
			}
		}
		if won != 1 || f.read(t, id).Len("status_history") != 2 {
			t.Errorf("got %d of 8 moves done, want 1: %s", won, f.read(t, id).Body)
		}
	}
	f.Audit(t)
}

// TestCancelDuringAssignment cancels an order while a courier is assigned. Only one
// of the two succeeds.
func TestCancelDuringAssignment(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for round := range 10 {
		id := f.orderIn(t, fmt.Sprint("A-", round), delivery.StatusAccepted)
		both := apptest.Together(2, func(i int) *apptest.Answer {
			if i == 0 {
				return f.partner.Cancel(t, id, "")
			}
			return f.operator.Move(t, id, "courier_assigned")
		})
		status := f.read(t, id).Text("status")
		switch {
		case both[0].Status == 200:
			both[1].Refused(t, 409, "invalid_transition")
		case both[1].Status == 200:
			both[0].Refused(t, 409, "order_not_cancellable")
		}
		if (both[0].Status == 200) != (status == "cancelled") || (both[1].Status == 200) != (status == "courier_assigned") {
			t.Errorf("got status %d of the cancellation, %d of the assignment, and the order %s", both[0].Status, both[1].Status,
				status)
		}
	}
	f.Audit(t)
}

// TestCourierIsShown checks when the partner and the public see the courier: while
// one is assigned. The public sees the first name and the vehicle only.
func TestCourierIsShown(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusAccepted)
	shown := func() (partner, public bool) {
		tracked := f.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
		return f.read(t, id).JSON("courier") != nil, tracked.JSON("courier") != nil
	}
	for _, step := range []struct {
		to   string
		want bool
	}{
		{"", false}, {"courier_assigned", true}, {"accepted", false}, {"courier_assigned", true}, {"courier_assigned", true},
		{"picked_up", true}, {"out_for_delivery", true}, {"delivered", true},
	} {
		if step.to != "" {
			f.operator.Move(t, id, step.to).Must(t, 200)
		}
		if partner, public := shown(); partner != step.want || public != step.want {
			t.Errorf("after %q: got it shown to the partner: %t, to the public: %t, want %t", step.to, partner, public,
				step.want)
		}
	}
	if keys := f.read(t, id).Keys("courier"); !slices.Equal(keys, []string{"name", "phone", "vehicle"}) {
		t.Errorf("courier: got %v, want name, phone, vehicle", keys)
	}
	if keys := f.Do(t, "GET", "/track/"+id, nil).Keys("courier"); !slices.Equal(keys, []string{"first_name", "vehicle"}) {
		t.Errorf("public courier: got %v, want first_name, vehicle", keys)
	}
}

// TestInactiveCourier assigns couriers that are inactive or do not exist.
func TestInactiveCourier(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusAccepted)
	retired := f.operator.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"R","phone":"+15145550199","vehicle":"van","active":false}`)).Must(t, 201)
	before := f.Content(t)
	for _, courier := range []string{"null", `""`, `"cou_unknown"`, "5", fmt.Sprintf("%q", retired.Text("courier_id"))} {
		got := f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status",
			[]byte(`{"status":"courier_assigned","courier_id":`+courier+`}`))
		if got.Refused(t, 422, "validation_error").Text("error", "details", "field") != "courier_id" {
			t.Errorf("%s: got %s, want an error of courier_id", courier, got.Body)
		}
	}
	f.Unchanged(t, before)
}

// TestTrackingIsNotPersonal tracks an order after operators have written notes and
// reasons. In JSON and on the page, in both languages, nothing is personal.
func TestTrackingIsNotPersonal(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	private := []string{
		"Épicerie Métro", "5145550100", "shop@example.com", "4000 Rue", "H2W", "2M5", "Alex", "Martin", "4165550123",
		"alex@example.com", "100 Queen", "Unit 4", "M5H", "2N2", "Ring twice", "Books", "Lamp", "LAMP-2", "P-1", "4500",
		"12000", "PO 77", "Leave at", "shop", "métro", "rate_cents", "currency", "metadata", "Tremblay",
		"5145550177", "by test", "par_", "secret notes", "secret reason", "cou_",
	}
	body := `{"status":"failed","notes":"secret notes","failure_reason":"secret reason"}`
	id := f.orderIn(t, "A-private", delivery.StatusOutForDelivery)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status", []byte(body)).Must(t, 200)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status",
		[]byte(`{"status":"cancelled","notes":"secret notes","reason":"secret reason"}`)).Must(t, 200)
	tracked := f.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
	if tracked.Text("status") != "cancelled" || tracked.JSON("parcel_count") != 2.0 ||
		tracked.Text("origin", "city") != "Montréal" || tracked.Len("status_history") != 7 {
		t.Errorf("got %s, want the status, the number of parcels, the city and the history", tracked.Body)
	}
	for name, page := range map[string]*apptest.Answer{
		"JSON":    tracked,
		"English": f.Do(t, "GET", "/track/"+id+"/html?lang=en", nil).Must(t, 200),
		"French":  f.Do(t, "GET", "/track/"+id+"/html?lang=fr", nil).Must(t, 200),
	} {
		for _, text := range private {
			if strings.Contains(string(page.Body), text) {
				t.Errorf("%s: got %q, want it left out", name, text)
			}
		}
		if got := strings.Contains(string(page.Body), "A-private"); got != (name != "JSON") {
			t.Errorf("%s: got the sender's number of the order: %v, want it on the page only", name, got)
		}
		if page.Header.Get("Cache-Control") != "no-store" || page.Header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s: got headers %v, want no-store and noindex", name, page.Header)
		}
	}
}
