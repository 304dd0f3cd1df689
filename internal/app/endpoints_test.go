package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestThreeEndpoints delivers orders with three endpoints, one of which never answers, and another of which takes
// deliveries only. Each of the other two gets what it takes once, in order, with its own secret; the log has each.
func TestThreeEndpoints(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	dead, some := apptest.NewReceiver(t), apptest.NewReceiver(t)
	dead.Answers(apptest.Always(0))
	deadID, _ := h.addEndpoint(t, fmt.Sprintf(`{"url":%q}`, dead.URL))
	someID, secret := h.addEndpoint(t,
		fmt.Sprintf(`{"url":%q,"events":["order.delivered","order.accepted"],"format":"cloudevents"}`, some.URL))
	const orders = 3
	var ids []string
	for range orders {
		id := h.accepted(t)
		for _, status := range []string{"courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"} {
			h.operator.Move(t, id, status).Must(t, 200)
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		h.settled(t, id, "1 delivered 1", "2 delivered 1", "3 delivered 1", "4 delivered 1", "5 delivered 1", "6 delivered 1")
		h.Until(t, fmt.Sprintf("SELECT sequence, state FROM further_deliveries WHERE endpoint_id = '%s' AND order_id = '%s' AND state <> 'skipped' ORDER BY sequence", someID, id),
			"1 delivered", "6 delivered")
		h.Until(t, fmt.Sprintf("SELECT sequence, state, tries FROM further_deliveries WHERE endpoint_id = '%s' AND order_id = '%s' ORDER BY sequence", deadID, id),
			"1 pending 1", "2 pending 0", "3 pending 0", "4 pending 0", "5 pending 0", "6 pending 0")
	}
	came := map[string][]string{}
	for range orders * 6 {
		hook := h.receiver.Next(t)
		if !hook.Verifies(h.secret) {
			t.Errorf("got an event without a signature of the first endpoint's secret: %s", hook.Body)
		}
		came[hook.Text("data", "order_id")] = append(came[hook.Text("data", "order_id")], hook.Text("type"))
	}
	h.receiver.NoneLeft(t)
	want := []string{
		"order.accepted", "courier.assigned", "order.picked_up", "order.in_transit", "order.out_for_delivery",
		"order.delivered",
	}
	for _, id := range ids {
		if !slices.Equal(came[id], want) {
			t.Errorf("the first endpoint got %v, want %v", came[id], want)
		}
	}
	for range orders * 2 {
		hook := some.Next(t)
		if !hook.Verifies(secret) || !hook.VerifiesStandard(secret) {
			t.Errorf("got an event without a signature of the endpoint's own secret: %s", hook.Body)
		}
		for name, value := range map[string]string{
			"Ce-Specversion": "1.0", "Ce-Id": hook.Text("id"), "Ce-Type": "com.dropyard." + hook.Text("type"),
			"Ce-Subject": hook.Text("data", "order_id"), "Ce-Time": hook.Text("created_at"), "Ce-Source": h.URL,
			"Content-Type": "application/json",
		} {
			if got := hook.Header.Get(name); got != value {
				t.Errorf("%s: got %q, want %q", name, got, value)
			}
		}
	}
	some.NoneLeft(t)

	listed := h.partner.Call(t, "GET", "/v1/webhooks/events?type=order.delivered&order_id="+ids[0], nil).Must(t, 200)
	if listed.Text("events", 0, "state") != "delivered" || listed.Len("events", 0, "deliveries") != 2 {
		t.Errorf("got %s, want it delivered, with its state at two other endpoints", listed.Body)
	}
	failing := h.partner.Call(t, "GET", "/v1/webhooks/events?state=pending&endpoint_id="+deadID, nil).Must(t, 200)
	if got := failing.Len("events"); got != orders*6 {
		t.Errorf("got %d events that wait for the dead endpoint, want %d", got, orders*6)
	}

	// The dead one comes back, and gets all in order.
	dead.Answers(nil)
	h.partner.Call(t, "PATCH", "/v1/webhooks/endpoints/"+deadID, []byte(`{"enabled":true}`)).Must(t, 200)
	h.Clock.Advance(time.Minute)
	for _, id := range ids {
		h.Until(t, fmt.Sprintf("SELECT sequence, state FROM further_deliveries WHERE endpoint_id = '%s' AND order_id = '%s' ORDER BY sequence", deadID, id),
			"1 delivered", "2 delivered", "3 delivered", "4 delivered", "5 delivered", "6 delivered")
	}

	// After its removal the first is gone, and the others stay.
	h.partner.Call(t, "DELETE", "/v1/webhooks/endpoint", nil).Must(t, 200)
	h.partner.Call(t, "GET", "/v1/webhooks/endpoint", nil).Refused(t, 404, "not_found")
	left := h.partner.Call(t, "GET", "/v1/webhooks/endpoints", nil).Must(t, 200)
	if got := left.Len("endpoints"); got != 2 || strings.Contains(string(left.Body), "whsec_") {
		t.Errorf("got %s, want the two others, without secrets", left.Body)
	}
}

// TestUnknownEndpoint names endpoints that do not exist, and texts that cannot be the id of one.
func TestUnknownEndpoint(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	id := h.accepted(t)
	h.settled(t, id, "1 delivered 1")
	event := "/v1/webhooks/events/" + h.eventOf(t, id, 1)
	for endpoint, want := range map[string]struct {
		status int
		code   string
	}{
		"whe_000000000000000000000000":    {404, "not_found"},
		"whe_00000000000000000000000":     {422, "validation_error"},
		"whe_0000000000000000000000000":   {422, "validation_error"},
		"WHE_000000000000000000000000":    {422, "validation_error"},
		"none":                            {422, "validation_error"},
		strings.Repeat("x", 70):           {422, "validation_error"},
		"whe_000000000000000000000000%0a": {422, "validation_error"},
	} {
		query := "?endpoint_id=" + endpoint
		h.partner.Call(t, "GET", "/v1/webhooks/events"+query, nil).Refused(t, want.status, want.code)
		h.partner.Call(t, "POST", "/v1/webhooks/test"+query, nil).Refused(t, want.status, want.code)
		h.partner.Call(t, "POST", event+"/redeliver"+query, nil).Refused(t, want.status, want.code)
		h.partner.Call(t, "POST", "/v1/webhooks/redeliver", fmt.Appendf(nil,
			`{"since":"2026-01-01T00:00:00Z","endpoint_id":%q}`, endpoint)).Refused(t, want.status, want.code)
	}
	for _, path := range []string{"/v1/webhooks/events", "/v1/webhooks/test"} {
		method := map[bool]string{true: "GET", false: "POST"}[path == "/v1/webhooks/events"]
		h.partner.Call(t, method, path+"?endpoint_id=first", nil).Must(t, 200)
	}
}

// TestEndpointsWaitForTheUpgrade: while a node of release 0.1, which sends to the first endpoint only, shares the
// database, there are no others, no filters and no formats.
func TestEndpointsWaitForTheUpgrade(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	if h.Database == "" {
		t.Skip("the embedded database has one node")
	}
	now := h.Clock.Now().Add(-time.Minute).UnixMicro()
	h.Execute(t, fmt.Sprintf(
		"INSERT INTO nodes (node_id, version, started_at, seen_at, keys) VALUES ('nod_old', 'v0.1.0', %d, %d, '')", now, now))
	more := []byte(`{"url":"https://hooks.example.com/more"}`)
	filter := []byte(`{"events":["order.failed"]}`)
	h.partner.Call(t, "POST", "/v1/webhooks/endpoints", more).Refused(t, 503, "unavailable")
	h.partner.Call(t, "PATCH", "/v1/webhooks/endpoints/first", filter).Refused(t, 503, "unavailable")
	h.partner.Call(t, "PATCH", "/v1/webhooks/endpoints/first", []byte(`{"enabled":true}`)).Must(t, 200)
	h.Execute(t, "DELETE FROM nodes WHERE node_id = 'nod_old'")
	h.partner.Call(t, "POST", "/v1/webhooks/endpoints", more).Must(t, 201)
	h.partner.Call(t, "PATCH", "/v1/webhooks/endpoints/first", filter).Must(t, 200)
}
