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

// hooked is a service with a partner whose events go to a receiver.
type hooked struct {
	*apptest.Service
	partner  *apptest.Partner
	operator *apptest.Operator
	receiver *apptest.Receiver
	secret   string
}

// newHooked starts a service.
func newHooked(t *testing.T, options ...apptest.Option) *hooked {
	t.Helper()
	h := &hooked{Service: apptest.Start(t, append(options, apptest.Webhooks())...)}
	h.partner, h.operator, h.receiver = h.Register(t, "metro"), h.Operate(t), apptest.NewReceiver(t)
	h.secret = h.partner.SetEndpoint(t, h.receiver.URL)
	return h
}

// order creates an order and returns its id.
func (h *hooked) order(t *testing.T) string {
	t.Helper()
	return h.partner.Create(t, testkit.OrderJSON(uuid.NewString(), "")).Must(t, 201).Text("order_id")
}

// accepted creates an order, accepts it, and returns its id. The order then has one
// event.
func (h *hooked) accepted(t *testing.T) (orderID string) {
	t.Helper()
	orderID = h.order(t)
	h.operator.Move(t, orderID, "accepted").Must(t, 200)
	return orderID
}

// settled waits until the events of an order are these, each given as sequence,
// state and tries.
func (h *hooked) settled(t *testing.T, orderID string, want ...string) {
	t.Helper()
	h.Until(t, fmt.Sprintf("SELECT sequence, state, tries FROM events WHERE order_id = '%s' ORDER BY sequence", orderID),
		want...)
}

// parked waits until nothing is being sent and nothing is due.
func (h *hooked) parked(t *testing.T) {
	t.Helper()
	h.Until(t, fmt.Sprintf(
		"SELECT count(*) FROM webhook_endpoints WHERE enabled = 1 AND (holder != '' OR wake_at > 0 AND wake_at <= %d)",
		h.Clock.Now().UnixMicro(),
	), "0")
}

// eventOf returns the id of an event of an order.
func (h *hooked) eventOf(t *testing.T, orderID string, sequence int) string {
	t.Helper()
	rows := h.Query(t,
		fmt.Sprintf("SELECT event_id FROM events WHERE order_id = '%s' AND sequence = %d", orderID, sequence))
	if len(rows) != 1 {
		t.Fatalf("order %s: got %d events with sequence %d, want 1", orderID, len(rows), sequence)
	}
	return rows[0]
}

// event returns an event as its partner reads it.
func (h *hooked) event(t *testing.T, eventID string) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "GET", "/v1/webhooks/events/"+eventID, nil).Must(t, 200)
}

// endpoint returns the partner's endpoint.
func (h *hooked) endpoint(t *testing.T) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "GET", "/v1/webhooks/endpoint", nil).Must(t, 200)
}

// enable enables or disables the endpoint.
func (h *hooked) enable(t *testing.T, enabled bool) {
	t.Helper()
	h.partner.Call(t, "PUT", "/v1/webhooks/endpoint",
		fmt.Appendf(nil, `{"url":%q,"enabled":%t}`, h.receiver.URL, enabled)).Must(t, 200)
}

// post sends a signed request without a body.
func (h *hooked) post(t *testing.T, target string) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "POST", "/v1/webhooks/"+target, nil)
}

// session logs the partner in and returns the headers of requests in that session.
func session(t *testing.T, p *apptest.Partner) []string {
	t.Helper()
	login := p.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)).Must(t,
		200)
	cookie, _, _ := strings.Cut(login.Header.Get("Set-Cookie"), ";")
	return []string{"Cookie", cookie}
}

// untilNext are the longest waits before each retry.
var untilNext = []time.Duration{6 * time.Second, 6 * time.Minute, 36 * time.Minute, 144 * time.Minute, 6 * time.Hour}
