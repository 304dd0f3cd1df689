package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// paths holds the events on the shortest path to each event.
var paths = map[string][]string{
	"order.accepted":         {"order.accepted"},
	"courier.assigned":       {"order.accepted", "courier.assigned"},
	"order.picked_up":        {"order.accepted", "courier.assigned", "order.picked_up"},
	"order.in_transit":       {"order.accepted", "courier.assigned", "order.picked_up", "order.in_transit"},
	"order.out_for_delivery": {"order.accepted", "courier.assigned", "order.picked_up", "order.out_for_delivery"},
	"order.delivered": {
		"order.accepted", "courier.assigned", "order.picked_up", "order.out_for_delivery", "order.delivered",
	},
	"order.failed":                {"order.accepted", "courier.assigned", "order.failed"},
	"order.cancelled":             {"order.cancelled"},
	"order.updated":               {"order.updated"},
	"order.cancellation_declined": {"order.accepted", "courier.assigned", "order.cancellation_declined"},
	"courier.changed":             {"order.accepted", "courier.assigned", "order.picked_up", "courier.changed"},
	"return.due": {
		"order.accepted", "courier.assigned", "order.picked_up", "order.failed", "order.cancelled", "return.due",
	},
	"return.received": {
		"order.accepted", "courier.assigned", "order.picked_up", "order.failed", "order.cancelled", "return.due",
		"return.received",
	},
}

var triggered = regexp.MustCompile(`^order (ord_\w+) created\n((?:\w+ +causes \S+\n)+)track it at (http://\S+)\n$`)

// TestTriggerAndListen causes each event of orders, and expects a receiver to get
// exactly the events on the shortest path, in order.
func TestTriggerAndListen(t *testing.T) {
	t.Parallel()
	if len(paths) != len(delivery.OrderEvents) {
		t.Fatalf("the test knows %d events, want all %d", len(paths), len(delivery.OrderEvents))
	}
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	from, h := r.as(s.Register(t, "metro"), s.URL), receiveEvents(t)
	l := from.with("DROPYARD_WEBHOOK_SECRET="+webhookSecret).listen(t, "--forward-to", h.URL)
	var want []string
	for _, event := range delivery.OrderEvents {
		got := from.do(t, "trigger", string(event))
		found := triggered.FindStringSubmatch(got.stdout)
		if got.code != 0 || got.stderr != "" || found == nil {
			t.Fatalf("trigger %s: got %+v, want exit code 0 and the steps", event, got)
		}
		path := paths[string(event)]
		for i, line := range strings.Split(strings.TrimSpace(found[2]), "\n") {
			if i >= len(path) || !strings.HasSuffix(line, " causes "+path[i]) {
				t.Errorf("trigger %s: got step %d %q, want the path %v", event, i, line, path)
			}
		}
		if found[3] != s.URL+"/track/"+found[1] {
			t.Errorf("trigger %s: got tracking URL %s, want that of %s", event, found[3], found[1])
		}
		for i, name := range path {
			want = append(want, fmt.Sprintf("%s %s %d", found[1], name, i+1))
		}
	}
	var got []string
	for range want {
		event := h.next(t)
		got = append(got, fmt.Sprintf("%s %s %d", event.OrderID(), event.Type, event.Sequence))
		if line := next(t, l.stdout); !strings.Contains(line, event.ID+"  → 200 OK (") {
			t.Errorf("got line %q, want event %s and 200 OK", line, event.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if stdout, stderr := l.stop(t); len(stdout) != 0 || len(stderr) != 0 || len(h.events) != 0 {
		t.Errorf("after the last event: got %q, %q and %d events, want nothing", stdout, stderr, len(h.events))
	}
	checkCouriers(t, s.Service)
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 || strings.Contains(log, "ERROR") {
		t.Errorf("SIGTERM: got exit code %d and log %s, want 0 and no error", code, log)
	}
}

// checkCouriers expects that one courier was added.
func checkCouriers(t *testing.T, s *apptest.Service) {
	t.Helper()
	token := s.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, apptest.OperatorEmail, apptest.OperatorPassword)).Must(t,
		201).Text("token")
	couriers := s.Do(t, "GET", "/ops/v1/couriers", nil, "Authorization", "Bearer "+token).Must(t, 200)
	if couriers.Len("couriers") != 1 || couriers.Text("couriers", 0, "name") != "Sandbox" {
		t.Errorf("got couriers %s, want only Sandbox", couriers.Body)
	}
}

// TestTriggerWithToken expects that no password is needed, and that an existing
// courier is used.
func TestTriggerWithToken(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner, operator := s.Register(t, "metro"), s.Operate(t)
	alone := (run{}).as(partner, s.URL)
	got := alone.with("DROPYARD_OPERATOR_TOKEN="+operator.Token).do(t, "trigger", "courier.assigned")
	if got.code != 0 {
		t.Fatalf("got %+v, want exit code 0", got)
	}
	order := partner.Call(t, "GET", "/v1/orders/"+strings.Fields(got.stdout)[1], nil).Must(t, 200)
	if order.Text("courier", "name") != "Camille Tremblay" {
		t.Errorf("got order %s, want it assigned to Camille Tremblay", order.Body)
	}
}

// TestTriggerErrors expects one line, and that no order is created.
func TestTriggerErrors(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	from := (run{}).as(partner, s.URL)
	for name, c := range map[string]struct {
		env  []string
		args string
		want result
	}{
		"wrong token": {[]string{
			"DROPYARD_OPERATOR_TOKEN=hushhush",
		}, "order.failed", result{exitRefused, "", "find a courier: refused with 401"}},
		"wrong operator": {[]string{
			"DROPYARD_OPERATOR_EMAIL=unknown@example.com", "DROPYARD_OPERATOR_PASSWORD=hushhu",
		}, "order.failed", result{exitRefused, "", "log the operator in: refused with 401"}},
		"wrong password": {[]string{
			"DROPYARD_OPERATOR_EMAIL=" + apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD=hushhush",
		}, "order.failed", result{exitRefused, "", "401"}},
		"no service": {[]string{"DROPYARD_OPERATOR_TOKEN=hushhush"}, "order.failed --server http://127.0.0.1:1", result{
			exitNoAnswer, "", "find a courier: no response from http://127.0.0.1:1",
		}},
		"no endpoint": {nil, "webhook.test", result{exitRefused, "", "refused with 422 webhook_not_configured"}},
	} {
		got := from.with(c.env...).do(t, append([]string{"trigger"}, strings.Fields(c.args)...)...)
		if got.code != c.want.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, c.want.stderr) || strings.Contains(got.stderr, "hush") {
			t.Errorf("%s: got %+v, want %+v on one line", name, got, c.want)
		}
	}
	if orders := partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200); orders.Len("orders") != 0 {
		t.Errorf("got orders %s, want none", orders.Body)
	}
}

// TestTriggerTest expects the endpoint's response to be printed.
func TestTriggerTest(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: append(operatorEnv, "DROPYARD_WEBHOOK_ALLOW_INSECURE=true")}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	endpoint := receive(t, 200, "")
	put := func(url string) {
		t.Helper()
		if got := partner.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, url)); got.Status/100 != 2 {
			t.Fatalf("set the endpoint: got %d %s, want success", got.Status, got.Body)
		}
	}
	put(endpoint.URL)
	if got := r.as(partner, s.URL).do(t, "trigger", "webhook.test"); got.code != 0 ||
		!strings.HasPrefix(got.stdout, "the endpoint accepted webhook.test ") || !strings.Contains(got.stdout, ": 200 OK (") {
		t.Errorf("endpoint that accepts: got %+v, want exit code 0 and 200 OK", got)
	}
	if request := <-endpoint.requests; !strings.Contains(request.body, `"type":"webhook.test"`) {
		t.Errorf("got body %s, want a webhook.test", request.body)
	}
	failing := receive(t, 500, "")
	put(failing.URL)
	if got := r.as(partner, s.URL).do(t, "trigger", "webhook.test"); got.code != 1 || got.stdout != "" ||
		!strings.Contains(got.stderr, "500 Internal Server Error") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("endpoint that fails: got %+v, want exit code 1 and one line with the status", got)
	}
}

// TestStepsToFollowsTransitions expects a path to every event, whose moves the service
// may make.
func TestStepsToFollowsTransitions(t *testing.T) {
	t.Parallel()
	for _, event := range delivery.OrderEvents {
		steps, ok := stepsTo(event)
		if !ok {
			t.Errorf("stepsTo(%s): got no path", event)
			continue
		}
		at := delivery.StatusPending
		for _, to := range steps {
			if !delivery.MayMove(at, to, delivery.ActorService) {
				t.Errorf("stepsTo(%s): got a move from %s to %s, which the service may not make", event, at, to)
			}
			at = to
		}
		caused, _ := delivery.EventFor(at)
		if other, ok := otherEvents[event]; ok {
			caused = other.acts[len(other.acts)-1].event
		}
		if caused != event {
			t.Errorf("stepsTo(%s): got a path to %s", event, caused)
		}
	}
	for _, event := range []delivery.EventType{"", "order.eaten", testEvent} {
		if steps, ok := stepsTo(event); ok {
			t.Errorf("stepsTo(%q): got %v, want no path", event, steps)
		}
	}
}

// TestTriggerInTestMode causes each event with a test key, without an
// operator, and expects listen to show them.
func TestTriggerInTestMode(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: append([]string{"DROPYARD_SIMULATE_PACE=10ms", "DROPYARD_RATE_LIMIT=0"},
		operatorEnv...)}
	s := r.serve(t)
	from := (run{}).as(s.Register(t, "metro").InTest(t), s.URL)
	l := from.listen(t)
	for _, event := range delivery.OrderEvents {
		got := from.do(t, "trigger", string(event))
		if found := triggered.FindStringSubmatch(got.stdout); got.code != 0 || got.stderr != "" || found == nil ||
			!strings.HasSuffix(found[2], " causes "+string(event)+"\n") {
			t.Fatalf("trigger %s: got %+v, want exit code 0, and the steps until it", event, got)
		}
		for line := ""; !strings.Contains(line, " "+string(event)+" "); {
			line = next(t, l.stdout)
		}
	}
	l.stop(t)
}

// TestTriggerStock causes the events of stock, live and with a test key. Afterwards the stock is as it was.
func TestTriggerStock(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: append(operatorEnv, "DROPYARD_WEBHOOK_ALLOW_INSECURE=true")}
	s := r.serve(t)
	partner, operator := s.Register(t, "metro"), s.Operate(t)
	name := func(p *apptest.Partner) {
		p.Call(t, "PUT", "/v1/webhooks/endpoint",
			[]byte(`{"url":"http://127.0.0.1:1/","events":["stock.low","stock.changed"]}`)).Must(t, 201)
	}
	caused := func(p *apptest.Partner, event string, want ...string) {
		t.Helper()
		got := (run{env: operatorEnv}).as(p, s.URL).do(t, "trigger", event)
		if got.code != 0 || strings.Count(got.stdout, "causes ") != len(want) {
			t.Errorf("trigger %s: got %+v, want exit code 0 and %d events", event, got, len(want))
		}
		events := p.Call(t, "GET", "/v1/webhooks/events?limit=500", nil).Must(t, 200)
		var types []string
		for i := range events.Len("events") {
			types = append(types, events.Text("events", i, "type"))
		}
		slices.Reverse(types)
		if len(types) < len(want) || !slices.Equal(types[len(types)-len(want):], want) {
			t.Errorf("trigger %s: got the events %v, want %v at the end", event, types, want)
		}
	}
	from := (run{env: operatorEnv}).as(partner, s.URL)
	if got := from.do(t, "trigger", "stock.low"); got.code == 0 ||
		!strings.Contains(got.stderr, "book some in first") {
		t.Errorf("without a product: got %+v, want an error that says what to do", got)
	}
	operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 8}) // its stock_min is 5
	if got := from.do(t, "trigger", "stock.changed"); got.code != exitFailed || strings.Contains(got.stdout, "causes") ||
		!strings.Contains(got.stderr, "dropyard webhooks add URL --events stock.changed") {
		t.Errorf("without an endpoint that names it: got %+v, want an error that says what to do", got)
	}
	name(partner)
	caused(partner, "stock.changed", "stock.changed", "order.cancelled", "stock.changed")
	caused(partner, "stock.low", "stock.changed", "stock.low", "order.cancelled", "stock.changed")
	product := partner.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	if product.JSON("products", 0, "quantity") != 8.0 || product.JSON("products", 0, "stock_min") != 5.0 ||
		product.JSON("products", 0, "stock_max") != 100.0 {
		t.Errorf("got %s, want the stock and its bounds as before", product.Body)
	}
	test := partner.InTest(t)
	name(test)
	caused(test, "stock.changed", "stock.changed", "order.cancelled", "stock.changed")
	if got := (run{}).as(test, s.URL).do(t, "trigger", "stock.low"); got.code != exitUsage ||
		!strings.Contains(got.stderr, "live key") {
		t.Errorf("stock.low in test mode: got %+v, want a usage error", got)
	}
}
