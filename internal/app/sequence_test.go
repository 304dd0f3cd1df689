package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
)

// setSequence puts a courier's orders in order.
func (f floor) setSequence(t *testing.T, courierID string, version int, ids ...string) *apptest.Answer {
	t.Helper()
	list, err := json.Marshal(append([]string{}, ids...)) // never null
	if err != nil {
		t.Fatal(err)
	}
	return f.operator.Call(t, "PUT", "/ops/v1/couriers/"+courierID+"/sequence",
		fmt.Appendf(nil, `{"order_ids":%s,"version":%d}`, list, version))
}

// sequence returns the sequence of a courier, as the orders' references, and its version.
func sequence(t *testing.T, by *apptest.Operator, courierID string, names map[string]string) string {
	t.Helper()
	got := by.Call(t, "GET", "/ops/v1/couriers/"+courierID+"/sequence", nil).Must(t, 200)
	var references []string
	for i := range got.Len("order_ids") {
		references = append(references, names[got.Text("order_ids", i)])
	}
	return fmt.Sprintf("%s v%v", strings.Join(references, " "), got.JSON("version"))
}

// round is a courier with orders, which are known by their references.
type round struct {
	floor
	rider *apptest.Operator
	ids   map[string]string // by reference
	names map[string]string // by id
}

// newRound gives a courier three pickups, p1 to p3, and two dropoffs, d1 and d2.
func newRound(t *testing.T, f floor) round {
	t.Helper()
	r := round{f, f.rider(t, "noor"), map[string]string{}, map[string]string{}}
	for _, reference := range []string{"p1", "p2", "p3", "d1", "d2"} {
		state := delivery.StatusCourierAssigned
		if reference[0] == 'd' {
			state = delivery.StatusPickedUp
		}
		f.Clock.Advance(time.Second) // so that equally urgent jobs are in this order
		id := f.carried(t, r.rider, reference, state)
		r.ids[reference], r.names[id] = id, reference
	}
	return r
}

// set puts orders in order by their references.
func (r round) set(t *testing.T, version int, references ...string) *apptest.Answer {
	t.Helper()
	var ids []string
	for _, reference := range references {
		ids = append(ids, r.ids[reference])
	}
	return r.setSequence(t, r.rider.CourierID, version, ids...)
}

func TestSequenceOrdersJobs(t *testing.T) {
	t.Parallel()
	r := newRound(t, newFloor(t))
	wantJobs := func(want string) {
		t.Helper()
		if got := strings.Join(jobs(t, r.rider), " "); got != want {
			t.Errorf("got jobs %s, want %s", got, want)
		}
	}
	wantJobs("p1 p2 p3 d1 d2")
	r.set(t, 0, "d2", "p3", "p1").Must(t, 200)
	wantJobs("d2 p3 p1 p2 d1")
	if got, want := sequence(t, r.rider, r.rider.CourierID, r.names), "d2 p3 p1 v1"; got != want {
		t.Errorf("got sequence %s, want %s", got, want)
	}

	// A pickup that is done has no place; nor has an order that has ended.
	move(t, r.rider, r.ids["p3"], `{"status":"picked_up"}`).Must(t, 200)
	wantJobs("d2 p1 p2 p3 d1")
	for _, status := range []string{"out_for_delivery", "delivered"} {
		move(t, r.rider, r.ids["d2"], fmt.Sprintf(`{"status":%q}`, status)).Must(t, 200)
	}
	wantJobs("p1 p2 p3 d1")
	if got, want := sequence(t, r.operator, r.rider.CourierID, r.names), "p1 v1"; got != want {
		t.Errorf("got sequence %s, want %s", got, want)
	}

	// An order that ended after the desk has read it is left out.
	r.set(t, 1, "d2", "p3", "p1").Must(t, 200)
	wantJobs("p3 p1 p2 d1")
	if got, want := sequence(t, r.operator, r.rider.CourierID, r.names), "p3 p1 v2"; got != want {
		t.Errorf("got sequence %s, want %s", got, want)
	}
	r.set(t, 2).Must(t, 200)
	wantJobs("p1 p2 p3 d1")
}

func TestSequenceRefusals(t *testing.T) {
	t.Parallel()
	r := newRound(t, newFloor(t))
	other := r.floor.rider(t, "alex")
	theirs := r.carried(t, other, "theirs", delivery.StatusPickedUp)
	target := "/ops/v1/couriers/" + r.rider.CourierID + "/sequence"
	for _, body := range []string{
		`{}`, `{"order_ids":[]}`, `{"version":0}`, `{"order_ids":null,"version":0}`, `{"order_ids":[7],"version":0}`,
		`{"order_ids":[],"version":-1}`, fmt.Sprintf(`{"order_ids":[%q,%q],"version":0}`, r.ids["p1"], r.ids["p1"]),
		fmt.Sprintf(`{"order_ids":[%q,%q],"version":0}`, r.ids["p1"], theirs),
		`{"order_ids":["ord_none"],"version":0}`,
		`{"order_ids":["` + strings.Repeat(`x","`, 200) + `y"],"version":0}`,
	} {
		r.operator.Call(t, "PUT", target, []byte(body)).Refused(t, 422, "validation_error")
	}
	r.set(t, 1, "p1").Refused(t, 409, "conflict")
	r.set(t, 0, "p1").Must(t, 200)
	r.set(t, 0, "p2").Refused(t, 409, "conflict")
	r.setSequence(t, "cou_none", 0).Refused(t, 404, "not_found")
	for _, target := range []string{"/ops/v1/couriers/cou_none/sequence", "/ops/v1/couriers/" + r.rider.CourierID +
		"/sequence"} {
		other.Call(t, "GET", target, nil).Refused(t, 404, "not_found")
	}
	r.operator.Call(t, "GET", "/ops/v1/couriers/cou_none/sequence", nil).Refused(t, 404, "not_found")
	r.operator.Call(t, "POST", "/ops/v1/couriers/cou_none/sequence/proposal", nil).Refused(t, 404, "not_found")
	r.rider.Call(t, "PUT", target, []byte(`{"order_ids":[],"version":1}`)).Refused(t, 403, "forbidden")
	r.rider.Call(t, "POST", target+"/proposal", nil).Refused(t, 403, "forbidden")

	log := r.operator.Call(t, "GET", "/ops/v1/audit?action=courier.sequence_changed", nil).Must(t, 200)
	if log.Len("entries") != 1 || log.Text("entries", 0, "object_id") != r.rider.CourierID ||
		log.Len("entries", 0, "after", "order_ids") != 1 {
		t.Errorf("got audit log %s, want the one change", log.Body)
	}
	r.set(t, 1, "p1").Must(t, 200) // unchanged
	if again := r.operator.Call(t, "GET", "/ops/v1/audit?action=courier.sequence_changed", nil).Must(t,
		200); again.Len("entries") != 1 {
		t.Errorf("got audit log %s, want no entry for an unchanged sequence", again.Body)
	}
}

// TestHandOverKeepsSequence hands orders over alone and together.
func TestHandOverKeepsSequence(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := newRound(t, f)
	other := f.rider(t, "alex")
	own := f.carried(t, other, "own", delivery.StatusCourierAssigned)
	r.names[own] = "own"
	r.set(t, 0, "p3", "d1", "p2", "p1").Must(t, 200)
	f.setSequence(t, other.CourierID, 0, own).Must(t, 200)
	want := func(giver, receiver string) {
		t.Helper()
		if got := sequence(t, f.operator, r.rider.CourierID, r.names); got != giver {
			t.Errorf("got the giver's sequence %s, want %s", got, giver)
		}
		if got := sequence(t, f.operator, other.CourierID, r.names); got != receiver {
			t.Errorf("got the receiver's sequence %s, want %s", got, receiver)
		}
	}
	assign := fmt.Sprintf(`{"status":"courier_assigned","courier_id":%q`, other.CourierID)
	moved := f.operator.Call(t, "POST", "/ops/v1/orders/status",
		// d2 is picked up: refused
		fmt.Appendf(nil, `%s,"order_ids":[%q,%q,%q]}`, assign, r.ids["p1"], r.ids["p3"], r.ids["d2"])).Must(t, 200)
	if moved.JSON("results", 2, "ok") != false {
		t.Fatalf("got %s, want the third order refused", moved.Body)
	}
	want("d1 p2 v2", "own p3 p1 v2")
	f.operator.Call(t, "POST", "/ops/v1/orders/"+r.ids["p2"]+"/status", []byte(assign+"}")).Must(t, 200)
	want("d1 v3", "own p3 p1 p2 v3")

	// Orders without a place get none, and those that come back get the last one.
	unplaced := f.carried(t, r.rider, "unplaced", delivery.StatusCourierAssigned)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+unplaced+"/status", []byte(assign+"}")).Must(t, 200)
	back := fmt.Sprintf(`{"status":"courier_assigned","courier_id":%q}`, r.rider.CourierID)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+r.ids["p3"]+"/status", []byte(back)).Must(t, 200)
	want("d1 p3 v4", "own p1 p2 v4")
}

// TestProposal proposes a sequence, which is stored when the desk puts it.
func TestProposal(t *testing.T) {
	t.Parallel()
	r := newRound(t, newFloor(t))
	target := "/ops/v1/couriers/" + r.rider.CourierID + "/sequence"
	proposal := r.operator.Call(t, "POST", target+"/proposal", nil).Must(t, 200)
	if proposal.Len("order_ids") != 5 || proposal.Len("stops") != 5 {
		t.Fatalf("got %s, want all 5 orders", proposal.Body)
	}
	for i := range 5 {
		if id := proposal.Text("order_ids", i); r.names[id] == "" || proposal.Text("stops", i, "order_id") != id ||
			proposal.JSON("stops", i, "late_minutes") != 0.0 {
			t.Errorf("got stop %d of %s, want an order of the courier on time", i, proposal.Body)
		}
	}
	if got, want := sequence(t, r.rider, r.rider.CourierID, r.names), " v0"; got != want {
		t.Errorf("got sequence %q, want %q: a proposal stores nothing", got, want)
	}
	list, err := json.Marshal(proposal.JSON("order_ids"))
	if err != nil {
		t.Fatal(err)
	}
	r.operator.Call(t, "PUT", target, fmt.Appendf(nil, `{"order_ids":%s,"version":0}`, list)).Must(t, 200)
	got := r.rider.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	for i := range 5 {
		if got.Text("jobs", i, "order_id") != proposal.Text("order_ids", i) {
			t.Errorf("got jobs %s, want the order of the proposal %s", got.Body, list)
		}
	}
}
