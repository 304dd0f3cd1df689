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
)

// ways is what happens on the shortest way to each event.
var ways = map[string][]string{
	"order.accepted":         {"order.accepted"},
	"courier.assigned":       {"order.accepted", "courier.assigned"},
	"order.picked_up":        {"order.accepted", "courier.assigned", "order.picked_up"},
	"order.in_transit":       {"order.accepted", "courier.assigned", "order.picked_up", "order.in_transit"},
	"order.out_for_delivery": {"order.accepted", "courier.assigned", "order.picked_up", "order.out_for_delivery"},
	"order.delivered":        {"order.accepted", "courier.assigned", "order.picked_up", "order.out_for_delivery", "order.delivered"},
	"order.failed":           {"order.accepted", "courier.assigned", "order.failed"},
	"order.cancelled":        {"order.cancelled"},
}

var triggered = regexp.MustCompile(`^order (ord_\w+) made\n((?:\w+ +causes \S+\n)+)track it at (http://\S+)\n$`)

// TestTriggerAndListen: each of the eight events is caused by the shortest way,
// and a receiver on this machine gets exactly that way's events, in order.
func TestTriggerAndListen(t *testing.T) {
	t.Parallel()
	if len(ways) != len(delivery.EventTypes) {
		t.Fatal("some events are missing here")
	}
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	from, h := r.as(s.Register(t, "metro"), s.URL), receiveEvents(t)
	l := from.listen(t, "--forward-to", h.URL, "--secret", webhookSecret)
	var want []string
	for _, event := range delivery.EventTypes {
		got := from.do(t, "trigger", string(event))
		found := triggered.FindStringSubmatch(got.stdout)
		if got.code != 0 || got.stderr != "" || found == nil {
			t.Fatalf("%s: %+v", event, got)
		}
		way := ways[string(event)]
		for i, line := range strings.Split(strings.TrimSpace(found[2]), "\n") {
			if i >= len(way) || !strings.HasSuffix(line, " causes "+way[i]) {
				t.Errorf("%s: step %d is %q", event, i, line)
			}
		}
		if found[3] != s.URL+"/track/"+found[1] {
			t.Errorf("%s: tracked at %s", event, found[3])
		}
		for i, name := range way {
			want = append(want, fmt.Sprintf("%s %s %d", found[1], name, i+1))
		}
	}
	var got []string
	for range want {
		event := h.next(t)
		got = append(got, fmt.Sprintf("%s %s %d", event.OrderID(), event.Type, event.Sequence))
		if line := next(t, l.stdout); !strings.Contains(line, event.ID+"  → 200 OK (") {
			t.Errorf("said %q of %s", line, event.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if stdout, stderr := l.stop(t); len(stdout) != 0 || len(stderr) != 0 || len(h.events) != 0 {
		t.Errorf("and then %q, %q; %d events more", stdout, stderr, len(h.events))
	}
	checkCouriers(t, s.Service)
	if code, said := s.signal(t, syscall.SIGTERM); code != 0 || strings.Contains(said, "ERROR") {
		t.Errorf("exit code %d, said %s", code, said)
	}
}

// checkCouriers: the one that was needed, and no other, was added.
func checkCouriers(t *testing.T, s *apptest.Service) {
	t.Helper()
	token := s.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, apptest.OperatorEmail, apptest.OperatorPassword)).Must(t, 201).Text("token")
	couriers := s.Do(t, "GET", "/ops/v1/couriers", nil, "Authorization", "Bearer "+token).Must(t, 200)
	if couriers.Len("couriers") != 1 || couriers.Text("couriers", 0, "name") != "Sandbox" {
		t.Errorf("couriers: %s", couriers.Body)
	}
}

// TestTriggerTakesAToken instead of e-mail and password, and a courier that is
// there.
func TestTriggerTakesAToken(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	partner, operator := s.Register(t, "metro"), s.Operate(t)
	alone := (run{}).as(partner, s.URL)
	got := alone.do(t, "trigger", "courier.assigned", "--operator-token", operator.Token)
	if got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	order := partner.Call(t, "GET", "/v1/orders/"+strings.Fields(got.stdout)[1], nil).Must(t, 200)
	if order.Text("courier", "name") != "Camille Tremblay" {
		t.Errorf("the order is %s", order.Body)
	}
}

// TestTriggerThatCannot ends with exit code 1 and one line, and leaves no order.
func TestTriggerThatCannot(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	from := (run{}).as(partner, s.URL)
	for args, told := range map[string]string{
		"order.failed --operator-token hushhush":                                      "find a courier: refused with 401",
		"order.failed --operator-email nobody@example.com --operator-password hushhu": "log the operator in: refused with 401",
		"order.failed --operator-token hushhush --url http://127.0.0.1:1":             "refused",
		"webhook.test": "refused with 422 webhook_not_configured",
		"order.failed --operator-email " + apptest.OperatorEmail + " --operator-password hushhush --key pk_other": "401",
	} {
		got := from.do(t, append([]string{"trigger"}, strings.Fields(args)...)...)
		if got.code != 1 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, told) || strings.Contains(got.stderr, "hush") {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if orders := partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200); orders.Len("orders") != 0 {
		t.Errorf("left behind: %s", orders.Body)
	}
}

// TestTriggerTest tells what the endpoint said.
func TestTriggerTest(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: append(operatorEnv, "DROPYARD_WEBHOOK_ALLOW_INSECURE=true")}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	endpoint := receive(t, 200, "")
	put := func(url string) {
		t.Helper()
		if got := partner.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, url)); got.Status/100 != 2 {
			t.Fatalf("PUT: %d %s", got.Status, got.Body)
		}
	}
	put(endpoint.URL)
	if got := r.as(partner, s.URL).do(t, "trigger", "webhook.test"); got.code != 0 || !strings.Contains(got.stdout, "was taken by the endpoint: 200 OK (") {
		t.Errorf("got %+v", got)
	}
	if request := <-endpoint.requests; !strings.Contains(request.body, `"type":"webhook.test"`) {
		t.Errorf("sent %s", request.body)
	}
	failing := receive(t, 500, "")
	put(failing.URL)
	if got := r.as(partner, s.URL).do(t, "trigger", "webhook.test"); got.code != 1 || got.stdout != "" ||
		!strings.Contains(got.stderr, "500 Internal Server Error") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestStepsAreInTheTable: whatever the table of transitions becomes.
func TestStepsAreInTheTable(t *testing.T) {
	t.Parallel()
	for _, event := range delivery.EventTypes {
		steps, ok := stepsTo(event)
		if !ok || len(steps) == 0 {
			t.Errorf("no way to %s", event)
			continue
		}
		at := delivery.StatusPending
		for _, to := range steps {
			if !delivery.MayMove(at, to, delivery.ActorService) {
				t.Errorf("%s: %s to %s", event, at, to)
			}
			at = to
		}
		if caused, _ := delivery.EventFor(at); caused != event {
			t.Errorf("%s: ends with %s", event, caused)
		}
	}
	for _, event := range []delivery.EventType{"", "order.eaten", testEvent} {
		if steps, ok := stepsTo(event); ok {
			t.Errorf("a way to %q: %v", event, steps)
		}
	}
}
