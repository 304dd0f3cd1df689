package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// batchOf returns the body of a batch.
func batchOf(orders ...[]byte) []byte {
	return fmt.Appendf(nil, `{"orders":[%s]}`, bytes.Join(orders, []byte(",")))
}

// batchAs creates a batch under the given idempotency key.
func batchAs(t testing.TB, p *apptest.Partner, key string, body []byte) *apptest.Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders/batch", body, "Idempotency-Key", key)
}

// outcomes returns the results of a batch in one line: for each order the code of
// its error, "new", or "again" for one that an earlier request has created.
func outcomes(answer *apptest.Answer) string {
	var all []string
	for i := range answer.Len("results") {
		word := answer.Text("results", i, "error", "code")
		switch answer.JSON("results", i, "replayed") {
		case true:
			word = "again"
		case false:
			word = "new"
		}
		if answer.JSON("results", i, "index") != float64(i) {
			word += " misplaced"
		}
		all = append(all, word)
	}
	return strings.Join(all, ", ")
}

// records returns the orders of a batch byte for byte.
func records(t testing.TB, answer *apptest.Answer) (all []string) {
	t.Helper()
	var read struct {
		Results []struct{ Order json.RawMessage }
	}
	if err := json.Unmarshal(answer.Body, &read); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	for _, result := range read.Results {
		all = append(all, string(result.Order))
	}
	return all
}

// TestBatchWithErrors sends a batch of good and bad orders. The good ones are created,
// the first ones get the stock, and each bad one gets its error. A retry replays what
// was created and tries the rest again.
func TestBatchWithErrors(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	f.partner.Create(t, testkit.OrderJSON("OLD", "")).Must(t, 201)
	key, body := uuid.NewString(), batchOf(
		testkit.OrderJSON("A-0", buying(lamp, 3)), testkit.OrderJSON("A-1", buying(lamp, 3)),
		testkit.OrderJSON("A-2", buying(lamp, 2)), testkit.OrderJSON("A-3", buying(lamp, 1)), testkit.OrderJSON("OLD", ""),
		testkit.OrderJSON("A-0", ""), []byte(`{"partner_order_id":"A-6"}`), []byte(`null`), []byte(`[]`),
		testkit.OrderJSON("A-9", buying(99, 1)), testkit.OrderJSON("A-10", ""))
	first := batchAs(t, f.partner, key, body).Must(t, 200)
	const want = "new, insufficient_stock, new, insufficient_stock, conflict, conflict, validation_error, validation_error, validation_error, validation_error, new"
	if got := outcomes(first); got != want || first.JSON("created") != 3.0 || first.JSON("refused") != 8.0 {
		t.Errorf("got  %s\nwant %s: %s", got, want, first.Body)
	}
	if field := first.Text("results", 9, "error", "details", "field"); field != "items[0].product_id" {
		t.Errorf("order 9: got field %s, want items[0].product_id", field)
	}
	if short := first.JSON("results", 1, "error", "details", "items", 0, "available"); short != 2.0 {
		t.Errorf("order 1: got %v units available, want 2", short)
	}
	before := f.Content(t)
	second := batchAs(t, f.partner, key, body).Must(t, 200)
	if got := outcomes(second); got != strings.ReplaceAll(want, "new", "again") || f.Content(t) != before {
		t.Errorf("again: got %s, want no new orders", got)
	}
	f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/movements",
		fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":3,"location":"MTL-1"}`, lamp)).Must(t, 201)
	third := batchAs(t, f.partner, key, body).Must(t, 200)
	const mended = "again, new, again, insufficient_stock, conflict, conflict, validation_error, validation_error, validation_error, validation_error, again"
	if got := outcomes(third); got != mended {
		t.Errorf("got  %s\nwant %s", got, mended)
	}
	for i, record := range records(t, first) {
		if again := records(t, third)[i]; record != "" && again != record {
			t.Errorf("order %d: got %s\nwant %s", i, again, record)
		}
		if read := f.partner.Call(t, "GET", "/v1/orders/"+third.Text("results", i, "order", "order_id"),
			nil); third.JSON("results", i, "status") == 201.0 && read.Status != 200 {
			t.Errorf("order %d: got status %d, want 200: %s", i, read.Status, read.Body)
		}
	}
	f.Audit(t)
}

// TestBatchKeyWithAnotherBody refuses a whole batch whose key was used for another.
func TestBatchKeyWithAnotherBody(t *testing.T) {
	t.Parallel()
	f, key := newFloor(t), uuid.NewString()
	refused := batchOf([]byte(`{}`))
	batchAs(t, f.partner, key, refused).Must(t, 200) // created nothing, so the key is free
	batchAs(t, f.partner, key, batchOf([]byte(`{}`), testkit.OrderJSON("A-1", ""))).Must(t, 200)
	before := f.Content(t)
	for _, other := range [][]byte{
		refused, batchOf(testkit.OrderJSON("A-1",
			"")), batchOf(testkit.OrderJSON("B-1", ""), testkit.OrderJSON("B-2", ""), testkit.OrderJSON("B-3", "")),
	} {
		batchAs(t, f.partner, key, other).Refused(t, 422, "idempotency_key_reused")
	}
	f.Unchanged(t, before)
	createAs(t, f.partner, key, testkit.OrderJSON("C-1", "")).Must(t, 201) // another path
	f.Audit(t)
}

// TestConcurrentBatches sends equal batches concurrently, which create each order
// once, and different batches under one key, of which one is created.
func TestConcurrentBatches(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 7})
	nodes := []*apptest.Partner{f.partner, f.partner}
	if f.Database != "" {
		there := *f.partner
		there.Service = f.Beside(t)
		nodes[1] = &there
	}
	for round := range 5 {
		name := func(i int) string { return fmt.Sprintf("R%d-%d", round, i) }
		body := batchOf(testkit.OrderJSON(name(0), buying(lamp, 1)), []byte(`{}`), testkit.OrderJSON(name(2), ""),
			testkit.OrderJSON(name(2), ""))
		seen := map[string]int{}
		key := uuid.NewString()
		for _, got := range apptest.Together(4, func(i int) *apptest.Answer { return batchAs(t, nodes[i%2], key, body) }) {
			seen[outcomes(got.Must(t, 200))]++
			seen[strings.Join(records(t, got), "\n")]++
		}
		if seen["new, validation_error, new, conflict"] != 1 || seen["again, validation_error, again, conflict"] != 3 ||
			len(seen) != 3 {
			t.Errorf("equal batches: got %v, want one new batch and three replays", seen)
		}
		key = uuid.NewString()
		won := map[string]int{}
		for _, got := range apptest.Together(4, func(i int) *apptest.Answer {
			return batchAs(t, nodes[i%2], key,
				batchOf(testkit.OrderJSON(fmt.Sprintf("%s-%d", name(7), i), ""), testkit.OrderJSON(name(8), "")))
		}) {
			if got.Status != 200 {
				got.Refused(t, 422, "idempotency_key_reused")
			}
			won[fmt.Sprint(got.Status)]++
		}
		if won["200"] != 1 || won["422"] != 3 {
			t.Errorf("different batches: got statuses %v, want 200 once", won)
		}
	}
	f.Audit(t)
}

// TestBatchSize accepts 500 orders and 4 MiB, and refuses more.
func TestBatchSize(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 450})
	var orders [][]byte
	for i := range 501 {
		orders = append(orders, testkit.OrderJSON(fmt.Sprintf("A-%d", i), buying(lamp, 1)))
	}
	before := f.Content(t)
	refused := batchAs(t, f.partner, uuid.NewString(), batchOf(orders...)).Refused(t, 422, "validation_error")
	if refused.Text("error", "details", "field") != "orders" || f.Content(t) != before {
		t.Errorf("501 orders: got %s, want an error of orders, and nothing stored", refused.Body)
	}
	key := uuid.NewString()
	full := batchOf(orders[:500]...)
	got := batchAs(t, f.partner, key, full).Must(t, 200)
	if want := strings.Repeat("new, ",
		450) + strings.Repeat("insufficient_stock, ", 49) + "insufficient_stock"; outcomes(got) != want {
		t.Errorf("500 orders: got %s, want %s", outcomes(got), want)
	}
	if again := batchAs(t, f.partner, key, full).Must(t,
		200); strings.Join(records(t, again), "") != strings.Join(records(t, got), "") {
		t.Error("500 orders again: got others, want the same")
	}
	many := paddedBatch(t, 4<<20)
	if got := batchAs(t, f.partner, uuid.NewString(), many).Must(t, 200); got.JSON("created") != 1.0 {
		t.Errorf("4 MiB: got %s, want 1 order created", outcomes(got))
	}
	before = f.Content(t)
	batchAs(t, f.partner, uuid.NewString(), append(many, ' ')).Refused(t, 413, "payload_too_large")
	batchAs(t, f.partner, "", batchOf(orders[500])).Refused(t, 400, "bad_request")
	f.Unchanged(t, before)
	f.Audit(t)
}

// paddedBatch returns a batch of the given size with more JSON values than a single
// order may have.
func paddedBatch(t testing.TB, size int) []byte {
	t.Helper()
	values := strings.Repeat("0,", 150_000) + "0"
	body := batchOf(testkit.OrderJSON("PAD", ""), []byte("["+values+"]"))
	return append(body, bytes.Repeat([]byte(" "), size-len(body))...)
}

// ordersNamed returns so many orders whose references begin with a prefix.
func ordersNamed(prefix string, count int) (orders [][]byte) {
	for i := range count {
		orders = append(orders, testkit.OrderJSON(fmt.Sprint(prefix, i), ""))
	}
	return orders
}

// TestBatchCountsAgainstRateLimit counts every ten orders begun as one request, and
// does nothing with a batch that the rate does not allow.
func TestBatchCountsAgainstRateLimit(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(10))
	partner := service.Register(t, "metro")
	send := func(prefix string, count int) *apptest.Answer {
		return batchAs(t, partner, uuid.NewString(), batchOf(ordersNamed(prefix, count)...))
	}
	for _, step := range []struct{ orders, left int }{{1, 9}, {10, 8}, {11, 6}, {30, 3}} {
		got := send(fmt.Sprintf("A%d-", step.orders), step.orders).Must(t, 200)
		if want := fmt.Sprintf(`"partner";r=%d;`, step.left); !strings.HasPrefix(got.Header.Get("RateLimit"), want) {
			t.Errorf("%d orders: got RateLimit %s, want %s", step.orders, got.Header.Get("RateLimit"), want)
		}
	}
	before := service.Content(t)
	// One of the three is used up by the request itself; of the others the batch needs three.
	if refused := send("B-", 31).Refused(t, 429, "rate_limited"); refused.Header.Get("Retry-After") != "6" {
		t.Errorf("31 orders: got Retry-After %s, want 6", refused.Header.Get("Retry-After"))
	}
	service.Unchanged(t, before)
	service.Clock.Advance(time.Minute)
	send("C-", 120).Must(t, 200) // counts as more than the whole limit, which is unused
	send("D-", 1).Refused(t, 429, "rate_limited")
}

// TestLargeBodyBeyondRateLimit refuses a large body of a partner whose rate is used
// up, and says when the next request is allowed.
func TestLargeBodyBeyondRateLimit(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(2))
	partner := service.Register(t, "metro")
	body := batchOf(ordersNamed("A-", 100)...)
	batchAs(t, partner, uuid.NewString(), body).Must(t, 200)
	before := service.Content(t)
	refused := batchAs(t, partner, uuid.NewString(), body).Refused(t, 429, "rate_limited")
	if got := refused.Header.Get("Retry-After"); got != "30" {
		t.Errorf("got Retry-After %s, want 30", got)
	}
	service.Unchanged(t, before)
}

// TestValidationMatchesCreation validates random orders. Each gets the result of the
// creation that follows, and the validation stores nothing.
func TestValidationMatchesCreation(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 60, "TOR-1": 40})
	number := 0
	repeatable.Check(t, func(r *rapid.T) {
		number++
		reference := rapid.SampledFrom([]string{"TAKEN", fmt.Sprint("N-", number)}).Draw(r, "reference")
		items := rapid.SampledFrom([]string{"", "[]", "{}", buying(lamp,
			1), buying(lamp, 9), buying(lamp, 101), buying(99, 1), buying(lamp, 0)}).Draw(r, "items")
		old := rapid.SampledFrom([]string{
			"express", "H2W 2M5", "2.5", "Montréal", "+15145550100", "2026-01-14T16:00:00-05:00",
		}).Draw(r, "old")
		fresh := rapid.SampledFrom([]string{
			"standard", "same_day", "X0A 0H0", "69", "71", "nonsense", "", "2026-01-13T16:00:00-05:00",
		}).Draw(r, "new")
		body := testkit.OrderJSON(reference, items)
		if rapid.Bool().Draw(r, "replace") {
			body = bytes.ReplaceAll(body, []byte(old), []byte(fresh))
		}
		compareDry(t, r, f, body)
	})
	f.Audit(t)
}

// compareDry compares a validation with the creation that follows.
func compareDry(t *testing.T, r *rapid.T, f floor, body []byte) {
	t.Helper()
	before := f.Content(t)
	dry := f.partner.Call(t, "POST", "/v1/orders/validate", body)
	if after := f.Content(t); after != before {
		r.Fatalf("validation: got content %s\nwant it unchanged %s", after, before)
	}
	wet := f.partner.Create(t, body)
	if wet.Status == 400 { // not JSON
		dry.Refused(t, 400, "bad_request")
		return
	}
	same := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.Fatalf("%s: got %v from validation, want %v\n%s\n%s", what, got, want, dry.Body, wet.Body)
		}
	}
	same("status", dry.JSON("status"), wet.Status)
	same("valid", dry.JSON("valid"), wet.Status == 201)
	same("error", dry.JSON("error"), wet.JSON("error"))
	for _, name := range []string{"rate_cents", "currency", "estimated_delivery"} {
		same(name, dry.JSON(name), wet.JSON(name))
	}
}
