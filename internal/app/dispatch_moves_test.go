package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestAttention lets time pass over orders in several statuses. Each needs attention
// for the expected reasons.
func TestAttention(t *testing.T) {
	t.Parallel()
	f := newFloor(t) // 10:00 in Montréal; pickups from 13:00 to 16:00, dropoffs the next day from 9:00 to 17:00
	f.orderIn(t, "waiting", delivery.StatusAccepted)
	f.orderIn(t, "assigned", delivery.StatusCourierAssigned)
	f.orderIn(t, "carried", delivery.StatusInTransit)
	twice := f.orderIn(t, "twice", delivery.StatusOutForDelivery)
	for _, status := range []string{"failed", "out_for_delivery", "failed"} {
		f.operator.Move(t, twice, status).Must(t, 200)
	}
	f.orderIn(t, "done", delivery.StatusDelivered)
	soon := f.orderIn(t, "soon", delivery.StatusInTransit)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+soon+"/status",
		[]byte(`{"status":"out_for_delivery","eta":"2026-01-14T23:00:00Z"}`)).Must(t, 200)
	steps := []struct {
		until time.Duration
		want  map[string]string
	}{
		{0, map[string]string{"failed_twice": "twice", "any": "twice"}},
		{3 * time.Hour, map[string]string{"no_courier": "waiting", "failed_twice": "twice", "any": "waiting twice"}},
		{7 * time.Hour, map[string]string{
			"no_courier": "waiting", "window_missed": "waiting assigned", "failed_twice": "twice",
			"any": "waiting assigned twice",
		}},
		{9 * time.Hour, map[string]string{"late": "soon", "any": "waiting assigned twice soon"}},
		{400 * time.Hour, map[string]string{
			"late": "waiting assigned carried twice soon", "window_missed": "waiting assigned carried twice soon",
			"no_courier": "waiting",
		}},
	}
	begun := f.Clock.Now()
	for _, step := range steps {
		f.Clock.Advance(begun.Add(step.until).Sub(f.Clock.Now()))
		operator := f.login(t, apptest.OperatorEmail) // the token may have expired
		f := floor{f.Service, f.partner, operator}
		counts := operator.Call(t, "GET", "/ops/v1/attention", nil).Must(t, 200)
		for reason, want := range step.want {
			got := f.board(t, "attention="+reason)
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(strings.Fields(want)))) {
				t.Errorf("after %v: %s: got %v, want %s", step.until, reason, got, want)
			}
			counted := counts.JSON("reasons", reason)
			if reason == "any" {
				counted = counts.JSON("attention")
			}
			if counted != float64(len(got)) {
				t.Errorf("after %v: %s: got a count of %v, want %d", step.until, reason, counted, len(got))
			}
		}
		if counts.JSON("open") != 5.0 || counts.JSON("statuses", "in_transit") != 1.0 ||
			counts.JSON("statuses", "pending") != 0.0 {
			t.Errorf("after %v: got %s, want 5 open orders, 1 in transit, none pending", step.until, counts.Body)
		}
		// The reasons in a row agree with the filter.
		all := operator.Call(t, "GET", "/ops/v1/orders", nil).Must(t, 200)
		for i := range all.Len("orders") {
			reasons, _ := all.JSON("orders", i, "attention").([]any)
			for _, reason := range []string{"late", "failed_twice", "window_missed", "no_courier"} {
				listed := slices.Contains(f.board(t, "attention="+reason), all.Text("orders", i, "partner_order_id"))
				if named := slices.Contains(reasons, any(reason)); named != listed {
					t.Errorf("after %v: %s: got it in the row: %t, want %t: %s", step.until, reason, named, listed, all.Body)
				}
			}
		}
	}
}

// TestBulk moves many orders with one request. Each succeeds or fails by itself.
func TestBulk(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	other := f.Register(t, "port")
	ids := []string{f.orderIn(t, "A-0", delivery.StatusDelivered), "ord_00000000000000000000000000000000", "nonsense"}
	for i := range 60 {
		maker := f.partner
		if i%2 == 1 {
			maker = other
		}
		ids = append(ids, maker.Create(t, testkit.OrderJSON(fmt.Sprint("B-", i), "")).Must(t, 201).Text("order_id"))
	}
	send := func(body map[string]any) *apptest.Answer {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return f.operator.Call(t, "POST", "/ops/v1/orders/status", text)
	}
	got := send(map[string]any{"order_ids": ids, "status": "accepted", "notes": "all of them"}).Must(t, 200)
	for i, id := range ids {
		result := func(path ...any) any { return got.JSON(append([]any{"results", i}, path...)...) }
		code, want := result("error", "code"), any(nil)
		switch i {
		case 0:
			want = "invalid_transition"
			if result("error", "details", "status") != "delivered" ||
				result("error", "details", "changed_by", "email") != apptest.OperatorEmail {
				t.Errorf("got %s, want the status and who changed it", got.Body)
			}
		case 1, 2:
			want = "not_found"
		default:
			if result("status") != "accepted" || result("version") != 2.0 {
				t.Errorf("%d: got %v, want status accepted and version 2", i, result())
			}
		}
		if code != want || result("ok") != (want == nil) || result("order_id") != id {
			t.Errorf("%d: got %v, want %s and error %v", i, result(), id, want)
		}
	}
	// Two orders have changed since their versions were read.
	ids = ids[3:]
	f.operator.Move(t, ids[0], "courier_assigned").Must(t, 200)
	other.Cancel(t, ids[1], "").Must(t, 200)
	versions := make([]int, len(ids))
	for i := range versions {
		versions[i] = 2
	}
	got = send(map[string]any{
		"order_ids": ids, "versions": versions, "status": "courier_assigned", "courier_id": f.operator.CourierID,
	}).Must(t, 200)
	for i := range ids {
		if ok := got.JSON("results", i, "ok"); ok != (i > 1) {
			t.Errorf("%d: got %v, want ok: %t", i, got.JSON("results", i), i > 1)
		}
	}
	for _, refused := range []struct {
		body  map[string]any
		field string
	}{
		{map[string]any{"status": "accepted"}, "order_ids"},
		{map[string]any{"status": "accepted", "order_ids": []string{}}, "order_ids"},
		{map[string]any{"status": "accepted", "order_ids": slices.Repeat([]string{"x"}, 201)}, "order_ids"},
		{map[string]any{"status": "accepted", "order_ids": []string{"x", "x"}}, "order_ids"},
		{map[string]any{"status": "accepted", "order_ids": []any{"x", 5}}, "order_ids[1]"},
		{map[string]any{"status": "accepted", "order_ids": []string{"x", "y"}, "versions": []int{1}}, "versions"},
		{map[string]any{"status": "accepted", "order_ids": []string{"x"}, "versions": []any{0}}, "versions[0]"},
		{map[string]any{"status": "lost", "order_ids": []string{"x"}}, "status"},
		{map[string]any{"status": "courier_assigned", "order_ids": []string{"x"}}, "courier_id"},
		{map[string]any{"status": "courier_assigned", "order_ids": []string{"x"}, "courier_id": "cou_none"}, "courier_id"},
	} {
		got := send(refused.body).Refused(t, 422, "validation_error")
		if got.Text("error", "details", "field") != refused.field {
			t.Errorf("%v: got %s, want an error of %s", refused.body, got.Body, refused.field)
		}
	}
	f.Audit(t)
}

// TestNotes adds notes to orders, which only operators see.
func TestNotes(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusAccepted)
	note := func(order, body string) *apptest.Answer {
		f.Clock.Advance(time.Second)
		return f.operator.Call(t, "POST", "/ops/v1/orders/"+order+"/notes", []byte(body))
	}
	first := note(id, `{"text":"the dog bites"}`).Must(t, 201)
	if first.Text("text") != "the dog bites" || first.Text("operator_id") == "" || first.Text("at") == "" {
		t.Errorf("note: got %s, want text, operator_id and at", first.Body)
	}
	note(id, `{"text":"bring biscuits"}`).Must(t, 201)
	seen := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
	if seen.Len("notes") != 2 || seen.Text("notes", 0, "text") != "bring biscuits" ||
		seen.Text("notes", 1, "note_id") != first.Text("note_id") {
		t.Errorf("notes: got %s, want two, the newest first", seen.Body)
	}
	author, mover := seen.Text("notes", 0, "operator_id"), seen.Text("moves", 0, "operator_id")
	if author != mover || seen.JSON("moves", 0, "version") != 2.0 ||
		seen.Text("operators", author) != apptest.OperatorEmail {
		t.Errorf("moves: got %s, want that to version 2, with the address of its operator", seen.Body)
	}
	for _, where := range []*apptest.Answer{f.read(t,
		id), f.partner.Call(t, "GET", "/v1/orders", nil), f.Do(t, "GET", "/track/"+id, nil),
		f.operator.Call(t, "GET", "/ops/v1/audit", nil)} {
		if where.Must(t, 200); strings.Contains(string(where.Body), "biscuits") {
			t.Errorf("got %s, want no notes", where.Body)
		}
	}
	log := f.operator.Call(t, "GET", "/ops/v1/audit?action=order.noted", nil).Must(t, 200)
	if log.Len("entries") != 2 || log.Text("entries", 0, "object_id") != id {
		t.Errorf("audit log: got %s, want two entries of the order", log.Body)
	}
	for _, body := range []string{`{}`, `{"text":""}`, `{"text":5}`, `{"text":"` + strings.Repeat("x", 2001) + `"}`} {
		note(id, body).Refused(t, 422, "validation_error")
	}
	for _, unknown := range []string{"ord_none", "ord_00000000000000000000000000000000"} {
		note(unknown, `{"text":"x"}`).Refused(t, 404, "not_found")
	}
}

// TestOperatorsOrderRecord compares an operator's view of an order with the partner's.
func TestOperatorsOrderRecord(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	product := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-01": 5})
	id := f.partner.Create(t, testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product))).Must(t,
		201).Text("order_id")
	got := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
	// Only operators see when a status was recorded, and the order's version then.
	recorded := fmt.Sprintf(`,"recorded_at":%q,"version":1,"notes":""}]`, got.Text("created_at"))
	partners := strings.Replace(string(f.read(t, id).Body), `,"notes":""}]`, recorded, 1)
	if want := `"order":` + partners + `}`; !strings.HasSuffix(string(got.Body), want) {
		t.Errorf("got %s\nwant it to end with %s", got.Body, want)
	}
	if got.JSON("allocation", 0, "location") != "MTL-01" || got.JSON("allocation", 0, "quantity") != 2.0 ||
		got.Text("partner_name") != "metro" {
		t.Errorf("got %s, want the allocation and the partner's name", got.Body)
	}
}

// TestOperatorsSeeTheFailedAttempt reads an order whose attempt has failed, and again when it is under way once more.
func TestOperatorsSeeTheFailedAttempt(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	attempt := func() string {
		encoded, err := json.Marshal(f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200).JSON("failed_attempt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	for _, step := range []struct{ body, want string }{
		{
			`{"status":"failed","failure_reason":"not_home","notes":"Rang twice","next_attempt":"2026-01-16T09:00:00-05:00"}`,
			`{"next_attempt":"2026-01-16T14:00:00.000Z","reason":"not_home"}`,
		},
		{`{"status":"out_for_delivery"}`, "null"},
		{`{"status":"failed","failure_reason":"dog"}`, `{"next_attempt":null,"reason":"other"}`},
	} {
		f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status", []byte(step.body)).Must(t, 200)
		if got := attempt(); got != step.want {
			t.Errorf("%s: got the failed attempt %s, want %s", step.body, got, step.want)
		}
	}
}

// TestAutomaticAcceptance switches automatic acceptance on for one of two partners, and
// off again. While it is on, pending and new orders of that partner are accepted.
func TestAutomaticAcceptance(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	other := floor{f.Service, f.Register(t, "port"), f.operator}
	waiting := f.orderIn(t, "A-1", delivery.StatusPending)
	left := other.orderIn(t, "B-1", delivery.StatusPending)
	path := "/ops/v1/partners/" + f.partner.PartnerID + "/dispatch"
	if got := f.operator.Call(t, "GET", path, nil).Must(t, 200); got.JSON("auto_accept") != false {
		t.Errorf("by default: got %s, want auto_accept false", got.Body)
	}
	f.operator.Call(t, "PUT", path, []byte(`{"auto_accept":true}`)).Must(t, 200)
	f.operator.Call(t, "PUT", path, []byte(`{"auto_accept":true}`)).Must(t, 200) // changes nothing, and is not logged
	if got := f.operator.Call(t, "GET", path, nil).Must(t, 200); got.JSON("auto_accept") != true {
		t.Errorf("switched on: got %s, want auto_accept true", got.Body)
	}
	f.awaitAccepted(t, waiting)
	ids := apptest.Together(40, func(i int) string {
		created := f.partner.Create(t, testkit.OrderJSON(fmt.Sprint("C-", i), "")).Must(t, 201)
		if created.Text("status") != "pending" {
			t.Errorf("created: got %s, want status pending", created.Body)
		}
		return created.Text("order_id")
	})
	for _, id := range ids {
		f.awaitAccepted(t, id)
	}
	if got := other.read(t, left); got.Text("status") != "pending" {
		t.Errorf("another partner: got %s, want status pending", got.Body)
	}
	f.Clock.Advance(time.Second)
	f.operator.Call(t, "PUT", path, []byte(`{"auto_accept":false}`)).Must(t, 200)
	later := f.orderIn(t, "A-2", delivery.StatusPending)
	f.awaitAcceptor(t, other)
	if got := f.read(t, later); got.Text("status") != "pending" {
		t.Errorf("switched off: got %s, want status pending", got.Body)
	}
	log := f.operator.Call(t, "GET", "/ops/v1/audit?action=partner.changed&partner_id="+f.partner.PartnerID, nil).Must(t,
		200)
	if log.Len("entries") != 2 || log.JSON("entries", 1, "after", "auto_accept") != true ||
		log.JSON("entries", 1, "before", "auto_accept") != false {
		t.Errorf("audit log: got %s, want two changes", log.Body)
	}
	for _, body := range []string{`{}`, `{"auto_accept":null}`, `{"auto_accept":1}`, `[]`} {
		f.operator.Call(t, "PUT", path, []byte(body)).Refused(t, 422, "validation_error")
	}
	f.operator.Call(t, "PUT", "/ops/v1/partners/par_00000000/dispatch", []byte(`{"auto_accept":true}`)).Refused(t, 404,
		"not_found")
	f.operator.Call(t, "GET", "/ops/v1/partners/par_00000000/dispatch", nil).Refused(t, 404, "not_found")
	f.Audit(t)
}

// awaitAcceptor waits until the automatic acceptance has looked at everything that
// was created before the call. It looks in rounds, and the second of another
// partner's orders is accepted in a later round than the first.
func (f floor) awaitAcceptor(t *testing.T, other floor) {
	t.Helper()
	f.operator.Call(t, "PUT", "/ops/v1/partners/"+other.partner.PartnerID+"/dispatch",
		[]byte(`{"auto_accept":true}`)).Must(t, 200)
	for i := range 2 {
		f.awaitAccepted(t, other.orderIn(t, fmt.Sprint("later-", i), delivery.StatusPending))
	}
}

// awaitAccepted waits until an order is accepted.
func (f floor) awaitAccepted(t *testing.T, id string) {
	t.Helper()
	f.Until(t, "SELECT status FROM orders WHERE order_id = '"+id+"'", "accepted")
}
