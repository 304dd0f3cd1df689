package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// createAs creates an order under the given key.
func createAs(t *testing.T, p *apptest.Partner, key string, body []byte) *apptest.Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key)
}

// cancelAs cancels an order under the given key.
func cancelAs(t *testing.T, p *apptest.Partner, key, orderID, body string) *apptest.Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders/"+orderID+"/cancel", []byte(body), "Idempotency-Key", key)
}

// replayed fails the test unless second is a replay of first.
func replayed(t *testing.T, first, second *apptest.Answer) {
	t.Helper()
	if second.Status != first.Status || string(second.Body) != string(first.Body) {
		t.Errorf("got %d %s\nwant %d %s", second.Status, second.Body, first.Status, first.Body)
	}
	if first.Header.Get("Idempotent-Replayed") != "" || second.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got Idempotent-Replayed %q, then %q, want none, then true", first.Header.Get("Idempotent-Replayed"),
			second.Header.Get("Idempotent-Replayed"))
	}
}

// TestFiftyEqualRequests sends one request 50 times concurrently. It creates one order,
// sells its items once, and all responses are equal.
func TestFiftyEqualRequests(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	lamp := service.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 100})
	key, body := uuid.NewString(), testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp))
	bodies, replays := map[string]bool{}, 0
	for _, got := range apptest.Together(50, func(int) *apptest.Answer { return createAs(t, partner, key, body) }) {
		bodies[string(got.Must(t, 201).Body)] = true
		if got.Header.Get("Idempotent-Replayed") == "true" {
			replays++
		}
	}
	if len(bodies) != 1 || replays != 49 {
		t.Errorf("got %d different bodies and %d replays, want 1 and 49", len(bodies), replays)
	}
	if stored := service.Query(t,
		"SELECT (SELECT count(*) FROM orders), (SELECT sum(quantity) FROM products)"); stored[0] != "1 97" {
		t.Errorf("orders and units left: got %s, want 1 97", stored[0])
	}
	service.Audit(t)
}

// TestTwoBodiesUnderOneKey sends two orders under one key 25 times each, concurrently.
// Only one of the two is created.
func TestTwoBodiesUnderOneKey(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, key := service.Register(t, "metro"), uuid.NewString()
	won := map[string]int{}
	for _, got := range apptest.Together(50, func(i int) *apptest.Answer {
		return createAs(t, partner, key, testkit.OrderJSON(fmt.Sprintf("A-%d", i%2), ""))
	}) {
		if got.Status != 201 {
			got.Refused(t, 422, "idempotency_key_reused")
		}
		won[got.Text("partner_order_id")]++
	}
	if won[""] != 25 || len(won) != 2 {
		t.Errorf("responses by reference: got %v, want 25 errors and 25 of one order", won)
	}
	service.Audit(t)
}

func TestReusedKeyIsRefused(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, key := service.Register(t, "metro"), uuid.NewString()
	body := testkit.OrderJSON("A-1", "")
	order := createAs(t, partner, key, body).Must(t, 201)
	cancelled := cancelAs(t, partner, key, order.Text("order_id"), `{"reason":"x"}`).Must(t, 200)
	before := service.Content(t)
	for name, other := range map[string][]byte{
		"another order":       testkit.OrderJSON("A-2", ""),
		"one more space":      append(body[:len(body):len(body)], ' '),
		"an invalid order":    []byte(`{}`),
		"an order of nothing": testkit.OrderJSON("A-1", `[{"product_id":99,"quantity":1}]`),
	} {
		t.Log(name)
		createAs(t, partner, key, other).Refused(t, 422, "idempotency_key_reused")
	}
	for _, other := range []string{``, `{}`, `{"reason":"y"}`, `{"reason": "x"}`, `{"reason":1}`} {
		cancelAs(t, partner, key, order.Text("order_id"), other).Refused(t, 422, "idempotency_key_reused")
	}
	service.Unchanged(t, before)
	replayed(t, order, createAs(t, partner, key, body))
	replayed(t, cancelled, cancelAs(t, partner, key, order.Text("order_id"), `{"reason":"x"}`))
}

// TestRetryAfterQuoteExpired repeats the request of an order whose quote has expired
// since. The request would be refused as a new one, but is replayed.
func TestRetryAfterQuoteExpired(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, key := service.Register(t, "metro"), uuid.NewString()
	quote := partner.Call(t, "POST", "/v1/rates/quote", testkit.OrderJSON("ignored", "")).Must(t, 200).Text("quote_id")
	quoted := func(reference string) []byte {
		return []byte(strings.Replace(string(testkit.OrderJSON(reference, "")), "{", fmt.Sprintf(`{"quote_id":%q,`, quote),
			1))
	}
	first := createAs(t, partner, key, quoted("A-1")).Must(t, 201)
	service.Clock.Advance(25 * time.Hour)
	refused := createAs(t, partner, uuid.NewString(), quoted("A-2")).Refused(t, 422, "validation_error")
	if refused.Text("error", "details", "field") != "quote_id" {
		t.Errorf("expired quote: got %s, want an error of quote_id", refused.Body)
	}
	replayed(t, first, createAs(t, partner, key, quoted("A-1")))
	service.Clock.Advance(46*time.Hour + 59*time.Minute) // 71 h 59 min in all; 72 h are guaranteed
	replayed(t, first, createAs(t, partner, key, quoted("A-1")))
}

// TestErrorsAreNotReplayed repeats a request that was refused because stock was short.
// It succeeds when there is enough.
func TestErrorsAreNotReplayed(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 1})
	key, body := uuid.NewString(), testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, lamp))
	before := service.Content(t)
	for range 2 {
		createAs(t, partner, key, body).Refused(t, 422, "insufficient_stock")
	}
	service.Unchanged(t, before)
	createAs(t, partner, key, []byte(`{}`)).Refused(t, 422, "validation_error")
	operator.Call(t, "POST", "/ops/v1/partners/"+partner.PartnerID+"/movements",
		fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":1,"location":"MTL-1"}`, lamp)).Must(t, 201)
	first := createAs(t, partner, key, body).Must(t, 201)
	replayed(t, first, createAs(t, partner, key, body))
	service.Audit(t)
}

// TestCancelIsReplayed repeats a cancellation. The response is replayed byte for byte,
// whatever has happened since, and no stock is returned again.
func TestCancelIsReplayed(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	body, createKey, cancelKey := testkit.OrderJSON("A-1",
		fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, lamp)), uuid.NewString(), uuid.NewString()
	order := createAs(t, partner, createKey, body).Must(t, 201)
	id := order.Text("order_id")
	operator.Move(t, id, "accepted").Must(t, 200)
	replayed(t, order, createAs(t, partner, createKey, body)) // pending, as in the first response

	cancelled := cancelAs(t, partner, cancelKey, id, "").Must(t, 200)
	before := service.Content(t)
	service.Clock.Advance(time.Hour)
	replayed(t, cancelled, cancelAs(t, partner, cancelKey, id, ""))
	replayed(t, order, createAs(t, partner, createKey, body))
	refused := cancelAs(t, partner, uuid.NewString(), id, "").Refused(t, 409, "order_not_cancellable")
	if refused.Text("error", "details", "status") != "cancelled" {
		t.Errorf("another key: got %s, want status cancelled", refused.Body)
	}
	service.Unchanged(t, before)
	service.Audit(t)
}

// TestFiftyCancellations cancels an order 50 times concurrently, under two keys. It is
// cancelled once, and its items return once.
func TestFiftyCancellations(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	lamp := service.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	id := partner.Create(t, testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, lamp))).Must(t,
		201).Text("order_id")
	keys, outcomes := []string{uuid.NewString(), uuid.NewString()}, map[string]int{}
	for _, got := range apptest.Together(50,
		func(i int) *apptest.Answer { return cancelAs(t, partner, keys[i%2], id, "") }) {
		outcomes[fmt.Sprint(got.Status, got.Header.Get("Idempotent-Replayed"), got.Code())]++
	}
	if outcomes["200"] != 1 || outcomes["200true"] != 24 || outcomes["409order_not_cancellable"] != 25 {
		t.Errorf("got %v, want one cancellation, 24 replays and 25 conflicts", outcomes)
	}
	if left := service.Query(t, "SELECT sum(quantity) FROM products"); left[0] != "5" {
		t.Errorf("got %s units left, want 5", left[0])
	}
	service.Audit(t)
}

// TestKeyScope uses one key for two partners and for several paths. It means another
// request each time.
func TestKeyScope(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	metro, other, key := service.Register(t, "metro"), service.Register(t, "other"), uuid.NewString()
	first := createAs(t, metro, key, testkit.OrderJSON("A-1", "")).Must(t, 201)
	second := createAs(t, other, key, testkit.OrderJSON("A-1", "")).Must(t, 201)
	third := createAs(t, metro, uuid.NewString(), testkit.OrderJSON("A-3", "")).Must(t, 201)
	ids := map[string]bool{first.Text("order_id"): true, second.Text("order_id"): true, third.Text("order_id"): true}
	if len(ids) != 3 {
		t.Errorf("got orders %v, want 3 different ones", ids)
	}
	cancelAs(t, metro, key, first.Text("order_id"), "").Must(t, 200)
	cancelAs(t, other, key, second.Text("order_id"), "").Must(t, 200)
	cancelled := cancelAs(t, metro, key, third.Text("order_id"), "").Must(t, 200)
	if cancelled.Text("order_id") != third.Text("order_id") || cancelled.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("cancel: got %v %s, want another order cancelled", cancelled.Header, cancelled.Body)
	}
	service.Audit(t)
}

// TestKeySyntax sends keys in many forms. Only a plain UUID is accepted, of any
// version, and its case does not matter.
func TestKeySyntax(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	const key = "01890a5d-ac96-774b-bcce-b302099a8057"
	body := testkit.OrderJSON("A-1", "")
	before := service.Content(t)
	for _, form := range []string{
		"", "x", "42", "{" + key + "}", "urn:uuid:" + key, `"` + key + `"`, strings.ReplaceAll(key, "-", ""),
		key[:35], key + "0", key + "," + key, strings.Replace(key, "0", "g",
			1), strings.ReplaceAll(key, "-", "_"), "０1890a5d-ac96-774b-bcce-b302099a80",
	} {
		createAs(t, partner, form, body).Refused(t, 400, "bad_request")
	}
	none := partner.Call(t, "POST", "/v1/orders", body)
	none.Refused(t, 400, "bad_request")
	if !strings.Contains(none.Text("error", "message"), "Idempotency-Key is missing") {
		t.Errorf("without the header: got %s, want that it is missing", none.Body)
	}
	service.Unchanged(t, before)
	first := createAs(t, partner, key, body).Must(t, 201)
	replayed(t, first, createAs(t, partner, strings.ToUpper(key), body))
	for i, version := range []string{
		"00000000-0000-0000-0000-000000000000", "c232ab00-9414-11ec-b3c8-9f6bdeced846",
		"919108f7-52d1-4320-9bac-f847db4148a8", "ffffffff-ffff-ffff-ffff-ffffffffffff",
	} {
		createAs(t, partner, version, testkit.OrderJSON(fmt.Sprintf("V-%d", i), "")).Must(t, 201)
	}
}

// TestReplayAfterRestart repeats requests after a restart of the service.
func TestReplayAfterRestart(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	service := apptest.Start(t, dir)
	partner, createKey, cancelKey := service.Register(t, "metro"), uuid.NewString(), uuid.NewString()
	order := createAs(t, partner, createKey, testkit.OrderJSON("A-1", "")).Must(t, 201)
	cancelled := cancelAs(t, partner, cancelKey, order.Text("order_id"), `{"reason":"x"}`).Must(t, 200)
	service.Stop()

	partner.Service = apptest.Start(t, dir)
	replayed(t, order, createAs(t, partner, createKey, testkit.OrderJSON("A-1", "")))
	replayed(t, cancelled, cancelAs(t, partner, cancelKey, order.Text("order_id"), `{"reason":"x"}`))
	createAs(t, partner, createKey, testkit.OrderJSON("A-2", "")).Refused(t, 422, "idempotency_key_reused")
	taken := partner.Create(t, testkit.OrderJSON("A-1", "")).Refused(t, 409, "conflict")
	if id, status := taken.Text("error", "details", "order_id"),
		taken.Text("error", "details", "status"); id != order.Text("order_id") || status != "cancelled" {
		t.Errorf("got %s, want the order that has the reference", taken.Body)
	}
	partner.Audit(t)
}
