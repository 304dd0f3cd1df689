package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// testsOnly makes a service move test orders at the simulation's pace, but no live
// ones.
func (s *simulation) testsOnly() apptest.Option {
	watched := s.option()
	return func(c *config.Config, world *app.Surroundings) {
		watched(c, world)
		c.Simulate = false
	}
}

func TestTestKeys(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	live := s.Register(t, "metro")
	test := live.InTest(t)
	for _, p := range []*apptest.Partner{live, test} {
		infix := strings.Repeat("test_", map[bool]int{p == test: 1}[true])
		if !strings.HasPrefix(p.PublicKey, "pk_"+infix) || !strings.HasPrefix(p.SecretKey, "sk_"+infix) ||
			strings.HasPrefix(p.PublicKey, "pk_test_") != (p == test) {
			t.Errorf("got keys %s and %.8s…, want them to begin with pk_%s and sk_%s", p.PublicKey, p.SecretKey, infix, infix)
		}
	}
	listed := s.Do(t, "GET", "/v1/auth/api-keys", nil, live.Login()...).Must(t, 200)
	for i := range listed.Len("api_keys") {
		want := map[string]string{live.KeyID: "live", test.KeyID: "test"}[listed.Text("api_keys", i, "key_id")]
		if got := listed.Text("api_keys", i, "mode"); got != want ||
			listed.JSON("api_keys", i, "livemode") != (want == "live") {
			t.Errorf("key %d: got %s, want mode %s", i, listed.Body, want)
		}
	}
	refused := s.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"mode":"sandbox"}`), live.Login()...).Refused(t, 422,
		"validation_error")
	if got := refused.Text("error", "details", "field"); got != "mode" {
		t.Errorf("an unknown mode: got a fault of %s, want of mode", got)
	}
	s.Do(t, "DELETE", "/v1/auth/api-keys/"+test.KeyID, nil, live.Login()...).Must(t, 200)
	test.Call(t, "GET", "/v1/orders", nil).Refused(t, 401, "unauthorized")
	live.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// TestTestCatalogue expects three products with ample stock in test mode, once,
// however many test keys there are, and none in live mode.
func TestTestCatalogue(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	live := s.Register(t, "metro")
	live.InTest(t)
	test := live.InTest(t)
	products := test.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	if products.Len("products") != 3 {
		t.Fatalf("got %s, want three products", products.Body)
	}
	for i := range 3 {
		if quantity, _ := products.JSON("products", i, "quantity").(float64); quantity < 100_000 ||
			products.JSON("products", i, "is_available") != true {
			t.Errorf("got %s, want ample stock of each product", products.Body)
		}
	}
	if got := live.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200); got.Len("products") != 0 {
		t.Errorf("live mode: got %s, want no products", got.Body)
	}
	test.Create(t, testkit.OrderJSON("A-1", `[{"product_id":3,"quantity":2}]`)).Must(t, 201)
	test.Create(t, testkit.OrderJSON("A-2", `[{"product_id":3,"quantity":1000000}]`)).Refused(t, 422, "insufficient_stock")
	live.Create(t, testkit.OrderJSON("A-1", `[{"product_id":3,"quantity":2}]`)).Refused(t, 422, "validation_error")
	s.Audit(t)
}

// TestSessionsChooseMode sets an endpoint for each mode in one session.
func TestSessionsChooseMode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.Webhooks())
	live := s.Register(t, "metro")
	test, owner := live.InTest(t), live.Owner(t)
	owner.Call(t, "PUT", "/v1/webhooks/endpoint?mode=test", []byte(`{"url":"https://test.example/hooks"}`)).Must(t, 201)
	live.Call(t, "GET", "/v1/webhooks/endpoint", nil).Refused(t, 404, "not_found")
	owner.Call(t, "GET", "/v1/webhooks/endpoint?mode=live", nil).Refused(t, 404, "not_found")
	owner.Call(t, "PUT", "/v1/webhooks/endpoint", []byte(`{"url":"https://live.example/hooks"}`)).Must(t, 201)
	for target, call := range map[string]func(testing.TB, string, string, []byte, ...string) *apptest.Answer{
		"https://live.example/hooks": live.Call, "https://test.example/hooks": test.Call,
	} {
		// The mode of a signed request is that of its key.
		if got := call(t, "GET", "/v1/webhooks/endpoint?mode=live", nil).Must(t, 200); got.Text("url") != target ||
			got.JSON("livemode") != strings.Contains(target, "live") {
			t.Errorf("got endpoint %s, want %s", got.Body, target)
		}
	}
	for _, answer := range []*apptest.Answer{
		owner.Call(t, "GET", "/v1/webhooks/events?mode=sandbox", nil),
		test.Call(t, "GET", "/v1/webhooks/events?mode=sandbox", nil),
	} {
		if got := answer.Refused(t, 422, "validation_error").Text("error", "details", "field"); got != "mode" {
			t.Errorf("an unknown mode: got a fault of %s, want of mode", got)
		}
	}
}

// TestTestOrders moves orders with every magic reference in test mode, beside a live
// order, and then looks for traces of them wherever only live orders may be.
func TestTestOrders(t *testing.T) {
	t.Parallel()
	simulation := newSimulation()
	s := apptest.Start(t, simulation.testsOnly(), apptest.Webhooks())
	live, admin := s.Register(t, "metro"), s.Operate(t)
	floor{s, live, admin}.keepBooks(t)
	test := live.InTest(t)
	liveReceiver, testReceiver := apptest.NewReceiver(t), apptest.NewReceiver(t)
	live.SetEndpoint(t, liveReceiver.URL)
	secret := test.SetEndpoint(t, testReceiver.URL)

	const assigned = "order.accepted courier.assigned order.picked_up order.in_transit order.out_for_delivery "
	events := map[string]string{
		"sim:deliver": assigned + "order.delivered",
		"sim:fail": assigned +
			"order.failed order.out_for_delivery order.failed order.out_for_delivery order.failed order.cancelled " +
			"return.due return.received",
		"sim:fail-twice": assigned +
			"order.failed order.out_for_delivery order.failed order.out_for_delivery order.delivered",
		"sim:cancel": "order.accepted order.cancelled",
	}
	expected, ids, references := 0, []string{}, map[string]string{}
	for reference, types := range events {
		created := test.Create(t, withReference(reference, reference, `[{"product_id":1,"quantity":2}]`)).Must(t, 201)
		if created.JSON("livemode") != false {
			t.Errorf("%s: got %s, want livemode false", reference, created.Body)
		}
		expected += len(strings.Fields(types))
		ids = append(ids, created.Text("order_id"))
		references[created.Text("order_id")] = reference
	}
	// The slow order is under way to the end, so that the simulation does not rest.
	ids = append(ids, test.Create(t, withReference("slow", "sim:slow", "")).Must(t, 201).Text("order_id"))
	order := live.Create(t, withReference("sim:deliver", "sim:deliver", "")).Must(t, 201)
	if order.JSON("livemode") != true {
		t.Errorf("got %s, want livemode true", order.Body)
	}
	simulation.pass(t, s, "SELECT count(*) FROM orders WHERE status IN ('delivered', 'cancelled')", "4")

	received, seen := map[string][]string{}, map[string]bool{}
	for len(seen) < expected {
		hook := testReceiver.Next(t)
		id, reference := hook.Text("id"), references[hook.Text("data", "order_id")]
		if reference != "" && !seen[id] { // an event may arrive twice
			seen[id], received[reference] = true, append(received[reference], hook.Text("type"))
		}
		if hook.JSON("livemode") != false || !hook.Verifies(secret) {
			t.Errorf("got %s, want livemode false, signed with the secret of the test endpoint", hook.Body)
		}
	}
	for reference, want := range events {
		if got := strings.Join(received[reference], " "); got != want {
			t.Errorf("%s: got events %s, want %s", reference, got, want)
		}
	}
	liveReceiver.NoneLeft(t)
	if got := live.Call(t, "GET", "/v1/orders/"+order.Text("order_id"), nil).Must(t,
		200); got.Text("status") != "pending" {
		t.Errorf("the live order: got %s, want it pending", got.Body)
	}
	tracked := s.Do(t, "GET", "/track/"+ids[0], nil).Must(t, 200)
	if tracked.JSON("livemode") != false {
		t.Errorf("tracking: got %s, want livemode false", tracked.Body)
	}
	noTraces(t, admin, live, ids)
	s.Audit(t)
}

// noTraces fails the test if test orders show in anything that operators see, or that
// is exported.
func noTraces(t *testing.T, admin *apptest.Operator, live *apptest.Partner, ids []string) {
	t.Helper()
	testID := delivery.TestAccount(live.PartnerID)
	for _, target := range []string{
		"/ops/v1/orders", "/ops/v1/orders?q=sim:cancel", "/ops/v1/orders?q=" + ids[0], "/ops/v1/orders?partner_id=" + testID,
		"/ops/v1/couriers", "/ops/v1/partners", "/ops/v1/low-stock", "/ops/v1/audit", "/ops/v1/audit?partner_id=" + testID,
		"/ops/v1/partners/" + live.PartnerID, "/ops/v1/partners/" + live.PartnerID + "/products",
	} {
		body := string(admin.Call(t, "GET", target, nil).Must(t, 200).Body)
		for _, trace := range append(ids, testID, "Simulated ") {
			if strings.Contains(body, trace) {
				t.Errorf("GET %s: got %s in %s, want no trace of test orders", target, trace, body)
			}
		}
	}
	if got, _ := admin.Call(t, "GET", "/ops/v1/attention", nil).Must(t, 200).JSON("open").(float64); got != 1 {
		t.Errorf("open orders: got %v, want the live one only", got)
	}
	export := string(admin.Call(t, "POST", "/ops/v1/partners/"+live.PartnerID+"/export", nil).Must(t, 200).Body)
	if strings.Contains(export, testID[4:]) || strings.Contains(export, "Maple syrup") ||
		strings.Contains(export, `"livemode":false`) {
		t.Errorf("got an export with test data: %s", export)
	}
	admin.Call(t, "GET", "/ops/v1/scan?code="+ids[0], nil).Refused(t, 404, "not_found")
	moved := admin.Call(t, "POST", "/ops/v1/orders/status",
		fmt.Appendf(nil, `{"order_ids":[%q],"status":"accepted"}`, ids[0])).Must(t, 200)
	if got := moved.Text("results", 0, "error", "code"); got != "not_found" {
		t.Errorf("a move in bulk: got %s, want not_found", moved.Body)
	}
	missing := strings.NewReplacer("{order_id}", ids[0], "{partner_id}", testID, "{product_id}", "1")
	for _, route := range api.Routes() {
		if target := missing.Replace(route.Pattern); route.Access == httpd.AccessOperator && target != route.Pattern {
			admin.Call(t, route.Method, target, []byte(`{}`)).Refused(t, 404, "not_found")
		}
	}
}

// TestTestDataIsRemoved expects test orders and their events to be removed after 30
// days, although live ones are kept for ever.
func TestTestDataIsRemoved(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	live := s.Register(t, "metro")
	test := live.InTest(t)
	for _, p := range []*apptest.Partner{live, test} {
		p.Cancel(t, p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id"), "").Must(t, 200)
	}
	s.Clock.Advance(retention.TestsKept - time.Hour)
	if got := s.Sweep(t, retention.Policy{}); got.Orders != 0 || got.Events != 0 {
		t.Errorf("before %v: got %+v removed, want no orders and events", retention.TestsKept, got)
	}
	s.Clock.Advance(2 * time.Hour)
	if got := s.Sweep(t, retention.Policy{}); got.Orders != 1 {
		t.Errorf("after %v: got %+v removed, want one order", retention.TestsKept, got)
	}
	for p, want := range map[*apptest.Partner]int{live: 1, test: 0} {
		for _, target := range []string{"/v1/orders", "/v1/webhooks/events"} {
			answer := p.Call(t, "GET", target, nil).Must(t, 200)
			if got := answer.Len(target[strings.LastIndex(target, "/")+1:]); got != want {
				t.Errorf("%s of %s: got %s, want %d", target, p.PartnerID, answer.Body, want)
			}
		}
	}
	s.Audit(t)
}

// TestErasureIncludesTestOrders erases a recipient in both modes, in test mode also in
// an order under way.
func TestErasureIncludesTestOrders(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	live, admin := s.Register(t, "metro"), s.Operate(t)
	test := live.InTest(t)
	var ids []string
	for _, p := range []*apptest.Partner{live, test} {
		ids = append(ids, p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id"))
	}
	live.Cancel(t, ids[0], "").Must(t, 200)
	erasures := "/ops/v1/partners/" + live.PartnerID + "/erasures"
	if got := admin.Call(t, "POST", erasures, []byte(`{"recipient":"alex@example.com"}`)).Must(t,
		200); got.JSON("orders_erased") != 2.0 {
		t.Errorf("got %s, want two orders erased", got.Body)
	}
	for i, p := range []*apptest.Partner{live, test} {
		got := p.Call(t, "GET", "/v1/orders/"+ids[i], nil).Must(t, 200)
		if got.Text("dropoff", "name") != retention.ErasedText || got.JSON("livemode") != (p == live) {
			t.Errorf("got %s, want an erased recipient, and livemode %t", got.Body, p == live)
		}
	}
	admin.Call(t, "POST", erasures, fmt.Appendf(nil, `{"order_ids":[%q]}`, ids[1])).Refused(t, 404, "not_found")
	s.Audit(t)
}

// TestLimitsOfTestMode expects a suspended partner's test keys to be refused, and the
// rate of each mode to be counted by itself.
func TestLimitsOfTestMode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.RateLimit(5))
	live, admin := s.Register(t, "metro"), s.Operate(t)
	test := live.InTest(t)
	for range 5 {
		live.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	}
	live.Call(t, "GET", "/v1/orders", nil).Refused(t, 429, "rate_limited")
	test.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	admin.Call(t, "PATCH", "/ops/v1/partners/"+live.PartnerID, []byte(`{"suspended":true}`)).Must(t, 200)
	test.Call(t, "GET", "/v1/orders", nil).Refused(t, 403, "forbidden")
}

// modeModel is what one mode of a partner must hold.
type modeModel struct {
	*apptest.Partner
	livemode bool
	orders   map[string]string // order ids by partner_order_id
	ended    int               // orders that were cancelled
}

// TestModesAreApart makes random calls in both modes of one partner, with the same
// names and ids in both. Each mode behaves as if the other did not exist.
func TestModesAreApart(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	partners := 0
	repeatable.Check(t, func(draw *rapid.T) {
		partners++
		live := s.Register(t, fmt.Sprint("shop", partners))
		models := []*modeModel{
			{Partner: live, livemode: true, orders: map[string]string{}}, {Partner: live.InTest(t), orders: map[string]string{}},
		}
		keys := []string{uuid.NewString(), uuid.NewString(), uuid.NewString()}
		for range rapid.IntRange(1, 25).Draw(draw, "calls") {
			turn := rapid.IntRange(0, 1).Draw(draw, "mode")
			m, other := models[turn], models[1-turn]
			name := rapid.SampledFrom([]string{"A", "B", "C"}).Draw(draw, "name")
			switch rapid.SampledFrom([]string{"create", "cancel", "read", "list"}).Draw(draw, "call") {
			case "create":
				m.create(t, name, keys[name[0]-'A'])
			case "cancel":
				m.cancel(t, name)
			case "read":
				m.read(t, name)
				if id := other.orders[name]; id != "" {
					m.Call(t, "GET", "/v1/orders/"+id, nil).Refused(t, 404, "not_found")
					m.Call(t, "GET", "/v1/orders/"+id+"/label", nil).Refused(t, 404, "not_found")
					m.Cancel(t, id, "").Refused(t, 404, "not_found")
				}
			case "list":
				m.list(t)
			}
		}
		for _, m := range models {
			m.list(t)
		}
	})
	s.Audit(t)
}

// create repeats a creation under the same key and name in both modes.
func (m *modeModel) create(t *testing.T, name, key string) {
	answer := m.Call(t, "POST", "/v1/orders", testkit.OrderJSON(name, ""), "Idempotency-Key", key).Must(t, 201)
	known, replayed := m.orders[name]
	if id := answer.Text("order_id"); answer.JSON("livemode") != m.livemode || replayed && id != known ||
		replayed != (answer.Header.Get("Idempotent-Replayed") == "true") {
		t.Errorf("livemode %t: got %s, want a new order or %q again", m.livemode, answer.Body, known)
	}
	m.orders[name] = answer.Text("order_id")
}

func (m *modeModel) cancel(t *testing.T, name string) {
	if id := m.orders[name]; id != "" {
		if m.Cancel(t, id, "").Status == 200 {
			m.ended++
		}
	}
}

func (m *modeModel) read(t *testing.T, name string) {
	id := m.orders[name]
	if id == "" {
		return
	}
	answer := m.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	if answer.JSON("livemode") != m.livemode || delivery.IsTestOrder(id) == m.livemode {
		t.Errorf("order %s: got %s, want livemode %t", id, answer.Body, m.livemode)
	}
}

// list compares all lists of the mode with the model.
func (m *modeModel) list(t *testing.T) {
	orders := m.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	events := m.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200)
	if orders.Len("orders") != len(m.orders) || events.Len("events") != m.ended {
		t.Errorf("livemode %t: got %s and %s, want %d orders and %d events", m.livemode, orders.Body, events.Body,
			len(m.orders), m.ended)
	}
	for i := range orders.Len("orders") {
		if name := orders.Text("orders", i, "partner_order_id"); m.orders[name] != orders.Text("orders", i, "order_id") {
			t.Errorf("livemode %t: got %s, want the orders %v", m.livemode, orders.Body, m.orders)
		}
	}
	for i := range events.Len("events") {
		if events.JSON("events", i, "livemode") != m.livemode ||
			delivery.IsTestOrder(events.Text("events", i, "order_id")) == m.livemode {
			t.Errorf("livemode %t: got %s, want its own events", m.livemode, events.Body)
		}
	}
}
