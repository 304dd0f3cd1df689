package app_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// setQuota changes settings of a partner and returns the answer.
func setQuota(t *testing.T, f floor, settings string) *apptest.Answer {
	t.Helper()
	return f.operator.Call(t, "PATCH", "/ops/v1/partners/"+f.partner.PartnerID, []byte(settings))
}

// usage returns what the partner has used: orders today and stored bytes.
func usage(t *testing.T, f floor) (orders, bytes int) {
	t.Helper()
	got := f.operator.Call(t, "GET", "/ops/v1/partners/"+f.partner.PartnerID, nil).Must(t, 200)
	return int(got.JSON("usage", "orders_today").(float64)), int(got.JSON("usage", "stored_bytes").(float64))
}

// storedBytes returns the size of what is stored of the partner's orders.
func storedBytes(t *testing.T, f floor) string {
	t.Helper()
	bytes := 0
	for _, document := range f.Documents(t, f.partner.PartnerID) {
		bytes += len(document)
	}
	return strconv.Itoa(bytes)
}

// TestOrdersPerDay refuses orders beyond the quota until the day ends, also those of
// batches and dry runs, and answers retries of orders that exist.
func TestOrdersPerDay(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201) // before there is a quota
	setQuota(t, f, `{"orders_per_day": 3}`).Must(t, 200)
	key := uuid.NewString()
	createAs(t, f.partner, key, testkit.OrderJSON("A-2", "")).Must(t, 201)
	batch := batchAs(t, f.partner, uuid.NewString(), batchOf(ordersNamed("B-", 3)...)).Must(t, 200)
	if got := outcomes(batch); got != "new, quota_exceeded, quota_exceeded" ||
		batch.JSON("results", 1, "status") != 429.0 {
		t.Errorf("batch: got %s, want one order created: %s", got, batch.Body)
	}
	before := f.Content(t)
	refused := f.partner.Create(t, testkit.OrderJSON("A-3", "")).Refused(t, 429, "quota_exceeded")
	left := 24*time.Hour - f.Clock.Now().UTC().Sub(f.Clock.Now().UTC().Truncate(24*time.Hour))
	if got, want := refused.Header.Get("Retry-After"), fmt.Sprint(int(left.Seconds())); got != want {
		t.Errorf("got Retry-After %s, want %s, the end of the day", got, want)
	}
	if refused.Text("error", "details", "quota") != "orders_per_day" || refused.JSON("error", "details", "used") != 3.0 {
		t.Errorf("got details %s, want orders_per_day, 3 used", refused.Body)
	}
	dry := f.partner.Call(t, "POST", "/v1/orders/validate", testkit.OrderJSON("A-3", "")).Must(t, 200)
	if dry.JSON("status") != 429.0 {
		t.Errorf("dry run: got %s, want status 429", dry.Body)
	}
	createAs(t, f.partner, key, testkit.OrderJSON("A-2", "")).Must(t, 201)
	f.Unchanged(t, before)
	f.Clock.Advance(left)
	f.partner.Create(t, testkit.OrderJSON("A-3", "")).Must(t, 201)
	if orders, _ := usage(t, f); orders != 1 {
		t.Errorf("got %d orders on the next day, want 1", orders)
	}
	setQuota(t, f, `{"orders_per_day": 0}`).Must(t, 200)
	batchAs(t, f.partner, uuid.NewString(), batchOf(ordersNamed("C-", 5)...)).Must(t, 200)
	setQuota(t, f, `{"orders_per_day": 6}`).Must(t, 200)
	f.partner.Create(t, testkit.OrderJSON("A-4", "")).Refused(t, 429, "quota_exceeded")
	setQuota(t, f, `{"orders_per_day": null}`).Must(t, 200)
	f.partner.Create(t, testkit.OrderJSON("A-4", "")).Must(t, 201)
	if orders, bytes := usage(t, f); orders != 7 || fmt.Sprint(bytes) != storedBytes(t, f) {
		t.Errorf("got %d orders and %d bytes, want 7 and %s", orders, bytes, storedBytes(t, f))
	}
	f.Audit(t)
}

// TestStoredBytes refuses an order whose record does not fit, and leaves its stock
// alone.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	first := f.partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 1))).Must(t, 201)
	_, used := usage(t, f)
	if used != len(first.Body) {
		t.Errorf("got %d bytes used, want %d", used, len(first.Body))
	}
	setQuota(t, f, fmt.Sprintf(`{"stored_bytes": %d}`, 2*used+used/2)).Must(t, 200)
	f.partner.Create(t, testkit.OrderJSON("A-2", buying(lamp, 1))).Must(t, 201)
	before := f.Content(t)
	refused := f.partner.Create(t, testkit.OrderJSON("A-3", buying(lamp, 1))).Refused(t, 429, "quota_exceeded")
	if refused.Header.Get("Retry-After") != "3600" || refused.Text("error", "details", "quota") != "stored_bytes" {
		t.Errorf("got Retry-After %s and %s, want 3600 and stored_bytes", refused.Header.Get("Retry-After"), refused.Body)
	}
	f.Unchanged(t, before)
	f.Audit(t)
}

// TestQuotaHoldsForConcurrentRequests sends more orders at the same time than a
// quota allows, to two nodes where the engine has them.
func TestQuotaHoldsForConcurrentRequests(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	nodes := []*apptest.Partner{f.partner, f.partner}
	if f.Database != "" {
		there := *f.partner
		there.Service = f.Beside(t)
		nodes[1] = &there
	}
	setQuota(t, f, `{"orders_per_day": 20}`).Must(t, 200)
	created := 0
	for i, answer := range apptest.Together(40, func(i int) *apptest.Answer {
		return nodes[i%2].Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), ""))
	}) {
		if answer.Status == 201 {
			created++
			continue
		}
		if answer.Status != 429 {
			t.Errorf("order %d: got status %d, want 201 or 429: %s", i, answer.Status, answer.Body)
		}
	}
	if orders, bytes := usage(t, f); created != 20 || orders != 20 || fmt.Sprint(bytes) != storedBytes(t, f) {
		t.Errorf("got %d orders created, %d counted, and %d bytes; want 20, 20 and %s", created, orders, bytes,
			storedBytes(t, f))
	}
	f.Audit(t)
}
