package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// deskEdit edits an order at the desk.
func (f floor) deskEdit(t *testing.T, id, patch string) {
	t.Helper()
	f.operator.Call(t, "PATCH", "/ops/v1/orders/"+id, []byte(`{"reason":"by phone",`+patch[1:])).Must(t, 200)
}

// confirm confirms the edits of an order up to a version.
func confirm(t *testing.T, by *apptest.Operator, id string, version any, members ...string) *apptest.Answer {
	t.Helper()
	return by.Call(t, "POST", "/ops/v1/orders/"+id+"/confirm",
		fmt.Appendf(nil, `{"version":%v%s}`, version, strings.Join(members, "")))
}

// changed returns what a courier has to confirm of the only job.
func changed(t *testing.T, by *apptest.Operator) any {
	t.Helper()
	return by.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200).JSON("jobs", 0, "changes")
}

// TestConfirmationOfEdits edits an order that a courier carries: the courier sees what changed,
// with what it was when the courier last knew the order, until it is confirmed.
func TestConfirmationOfEdits(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r, other := f.rider(t, "noor"), f.rider(t, "camille")
	id := f.carried(t, r, "A-1", delivery.StatusPickedUp)
	if got := changed(t, r); got != nil {
		t.Errorf("before any edit: got %v, want nothing to confirm", got)
	}
	edit(t, f.partner, id, `{"metadata":{"a":1},"reference":"R","dropoff":{"email":"new@example.com"}}`).Must(t, 200)
	if got := changed(t, r); got != nil {
		t.Errorf("after an edit of what couriers do not see: got %v, want nothing to confirm", got)
	}
	first := f.read(t, id)
	edit(t, f.partner, id, `{"dropoff":{"phone":"+14165550198"}}`).Must(t, 200)
	f.Clock.Advance(time.Minute)
	f.deskEdit(t, id, `{"dropoff":{"phone":"+14165550199"},"cod":{"amount_cents":700,"currency":"CAD"}}`)
	job := r.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	version := int(job.JSON("jobs", 0, "version").(float64))
	want := []any{
		map[string]any{"field": "dropoff.phone", "was": first.Text("dropoff", "phone"), "now": "+14165550199"},
		map[string]any{
			"field": "cod", "was": first.JSON("cod"), "now": map[string]any{"amount_cents": 700.0, "currency": "CAD"},
		},
	}
	if job.Text("jobs", 0, "changes", "by") != "service" ||
		job.JSON("jobs", 0, "changes", "version") != float64(version) ||
		!equalJSON(job.JSON("jobs", 0, "changes", "fields"), want) {
		t.Errorf("got %s\nwant the fields %v", job.Body, want)
	}
	if text := string(f.read(t, id).Body); strings.Contains(text, "confirmed") {
		t.Errorf("the partner's record: got %s, want nothing of confirmations", text)
	}

	confirm(t, other, id, version).Refused(t, 404, "not_found")
	confirm(t, r, id, version+1).Refused(t, 409, "conflict")
	confirm(t, r, id, `"one"`).Refused(t, 422, "validation_error")
	confirm(t, r, id, version, `,"occurred_at":"2001-01-01T00:00:00Z"`).Refused(t, 422, "validation_error")
	f.Operate(t).As(t, "warehouse").Call(t, "POST", "/ops/v1/orders/"+id+"/confirm", []byte(`{"version":1}`)).
		Refused(t, 403, "forbidden")

	// The first of the two edits only, as a phone does that has not read the second.
	half := confirm(t, r, id, version-1).Must(t, 200)
	if half.JSON("changes", 1, "confirmed") != true || half.JSON("changes", 2, "confirmed") != false ||
		half.JSON("changes", 0, "confirmed") != nil || half.JSON("version") != float64(version+1) {
		t.Errorf("got %s, want the first of two edits confirmed", half.Body)
	}
	seen := f.Clock.Now().Add(-30 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z")
	key := uuid.NewString()
	body := fmt.Appendf(nil, `{"version":%d,"occurred_at":%q}`, version, seen)
	all := r.Do(t, "POST", "/ops/v1/orders/"+id+"/confirm", body,
		"Authorization", "Bearer "+r.Token, "Idempotency-Key", key).Must(t, 200)
	if all.JSON("changes", 2, "confirmed") != true || all.Text("changes", 2, "confirmed_by") != r.OperatorID ||
		all.Text("changes", 2, "courier_id") != r.CourierID || all.Text("changes", 2, "confirmed_at") == "" {
		t.Errorf("got %s, want all confirmed", all.Body)
	}
	if got := changed(t, r); got != nil {
		t.Errorf("after the confirmation: got %v, want nothing to confirm", got)
	}
	again := r.Do(t, "POST", "/ops/v1/orders/"+id+"/confirm", body,
		"Authorization", "Bearer "+r.Token, "Idempotency-Key", key).Must(t, 200)
	if string(again.Body) != string(all.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again: got %s, want the first answer %s", again.Body, all.Body)
	}
	if idle := confirm(t, r, id, version).Must(t, 200); idle.JSON("version") != all.JSON("version") {
		t.Errorf("nothing left to confirm: got %s, want version %v", idle.Body, all.JSON("version"))
	}
	record := f.row(t, id)
	if record.Text("couriers", r.CourierID) != "noor" || record.Text("operators", r.OperatorID) != "noor@riders.example" {
		t.Errorf("got %s, want the names of who confirmed", record.Body)
	}
	if read := f.read(t, id); read.Text("updated_at") != f.row(t, id).Text("order", "updated_at") ||
		read.JSON("version") != all.JSON("version") {
		t.Errorf("got %s, want the version of the confirmation", read.Body)
	}
	audited := f.operator.Call(t, "GET", "/ops/v1/audit?action=order.confirmed&object_id="+id, nil).Must(t, 200)
	if audited.Len("entries") != 2 || audited.Text("entries", 0, "operator_id") != r.OperatorID {
		t.Errorf("got %s, want an entry for each confirmation", audited.Body)
	}
	f.Audit(t)
}

// TestChangedBack edits an order and takes that back: there is something to confirm, because the
// courier may have seen it, and no field.
func TestChangedBack(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	id := f.carried(t, r, "A-1", delivery.StatusPickedUp)
	before := f.read(t, id).Text("dropoff", "phone")
	edit(t, f.partner, id, `{"dropoff":{"phone":"+14165550198"}}`).Must(t, 200)
	edit(t, f.partner, id, `{"dropoff":{"phone":"`+before+`"}}`).Must(t, 200)
	if got := changed(t, r).(map[string]any)["fields"]; !equalJSON(got, []any{}) {
		t.Errorf("got the fields %v, want none", got)
	}
}

// TestEditedAfterPickupUntilConfirmed sends a pickup that happened before an edit: the order needs
// attention until the courier knows the edit, on the board as well.
func TestEditedAfterPickupUntilConfirmed(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	id := f.carried(t, r, "A-1", delivery.StatusCourierAssigned)
	f.Clock.Advance(time.Minute)
	picked := f.Clock.Now().UTC().Format(time.RFC3339)
	f.Clock.Advance(time.Minute)
	f.deskEdit(t, id, `{"dropoff":{"address":{"line1":"12 Bay Street"}}}`)
	move(t, r, id, `{"status":"picked_up","occurred_at":"`+picked+`"}`).Must(t, 200)
	f.expect(t, "attention=edited_after_pickup", "A-1")
	before := f.row(t, id)
	version := changed(t, r).(map[string]any)["version"]
	confirm(t, f.operator, id, version).Must(t, 200) // the desk has spoken with the courier
	f.expect(t, "attention=edited_after_pickup")
	after := f.row(t, id)
	if after.JSON("flags") != nil || after.JSON("version").(float64) <= before.JSON("version").(float64) ||
		after.Text("order", "changes", 0, "confirmed_by") != f.operator.OperatorID ||
		after.JSON("order", "changes", 0, "courier_id") != nil {
		t.Errorf("got %s, want no flag, in a higher version than %s", after.Body, before.Body)
	}
}

// TestConfirmationAfterTheEnd confirms an edit of an order that was delivered meanwhile, which
// stays delivered once.
func TestConfirmationAfterTheEnd(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	id := f.carried(t, r, "A-1", delivery.StatusOutForDelivery)
	edit(t, f.partner, id, `{"instructions":"Ring twice"}`).Must(t, 200)
	version := changed(t, r).(map[string]any)["version"]
	move(t, r, id, `{"status":"delivered"}`).Must(t, 200)
	confirm(t, r, id, version).Must(t, 200)
	if got := r.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200); got.JSON("delivered", "count") != 1.0 {
		t.Errorf("got %s, want one delivery", got.Body)
	}
	f.Audit(t)
}

// TestNextCourierHasNothingToConfirm gives an edited order to another courier, who sees it as it
// is now.
func TestNextCourierHasNothingToConfirm(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r, next := f.rider(t, "noor"), f.rider(t, "camille")
	for i, by := range []*apptest.Operator{next, r} {
		id := f.carried(t, r, fmt.Sprint("A-", i), delivery.StatusCourierAssigned)
		edit(t, f.partner, id, `{"instructions":"Ring twice"}`).Must(t, 200)
		move(t, f.operator, id, `{"status":"courier_assigned","courier_id":"`+by.CourierID+`"}`).Must(t, 200)
		if got := changed(t, by); (got == nil) != (by == next) {
			t.Errorf("%d: got %v, want the edit for the same courier only", i, got)
		}
	}
}

// TestErasureOfUnseenEdits erases what an edit has replaced, which the courier still has to see.
func TestErasureOfUnseenEdits(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	id := f.carried(t, r, "A-1", delivery.StatusPickedUp)
	edit(t, f.partner, id, `{"dropoff":{"name":"Sam Singular"}}`).Must(t, 200)
	edit(t, f.partner, id, `{"dropoff":{"name":"Sam Second"}}`).Must(t, 200)
	f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
		fmt.Appendf(nil, `{"order_ids":[%q],"force":true}`, id)).Must(t, 200)
	got := r.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	created := string(testkit.OrderJSON("A-1", ""))
	name := "Alex Martin"
	if !strings.Contains(created, name) {
		t.Fatalf("got %s, want the recipient %s", created, name)
	}
	for _, text := range []string{name, "Sam"} {
		if strings.Contains(string(got.Body), text) {
			t.Errorf("got %s, want nothing of %s", got.Body, text)
		}
	}
}
