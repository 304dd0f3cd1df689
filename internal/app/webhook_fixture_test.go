package app_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// hooked is a service with a partner whose events go to the receiver of an endpoint.
type hooked struct {
	*apptest.Service
	partner    *apptest.Partner
	operator   *apptest.Operator
	receiver   *apptest.Receiver
	secret     string
	name       string // of the partner
	endpointID string // empty for the first endpoint

	// The other endpoints of the partner; nil if it has one. The one takes every event at once,
	// the other none.
	beside, dead *hooked
}

// newHooked starts a service.
func newHooked(t *testing.T, options ...apptest.Option) *hooked {
	t.Helper()
	h := &hooked{Service: apptest.Start(t, append(options, apptest.Webhooks())...), name: "metro"}
	h.partner, h.operator, h.receiver = h.Register(t, h.name), h.Operate(t), apptest.NewReceiver(t)
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

// tables returns the end of a query of the endpoint's row, and that of a query of its queue.
func (h *hooked) tables() (endpoint, queue string) {
	if h.endpointID == "" {
		of := fmt.Sprintf(" WHERE partner_id = '%s'", h.partner.PartnerID)
		return "FROM webhook_endpoints" + of, "FROM events" + of
	}
	of := fmt.Sprintf(" WHERE partner_id = '%s' AND endpoint_id = '%s'", h.partner.PartnerID, h.endpointID)
	return "FROM further_endpoints" + of, "FROM further_deliveries" + of
}

// settled waits until the events of an order are these at the endpoint, each given as sequence,
// state and tries.
func (h *hooked) settled(t *testing.T, orderID string, want ...string) {
	t.Helper()
	_, queue := h.tables()
	h.Until(t, fmt.Sprintf("SELECT sequence, state, tries %s AND order_id = '%s' ORDER BY sequence", queue, orderID),
		want...)
}

// parked waits until nothing is being sent to the endpoint and nothing is due.
func (h *hooked) parked(t *testing.T) {
	t.Helper()
	endpoint, _ := h.tables()
	h.Until(t, fmt.Sprintf("SELECT count(*) %s AND enabled = 1 AND (holder != '' OR wake_at > 0 AND wake_at <= %d)",
		endpoint, h.Clock.Now().UnixMicro()), "0")
}

// states waits until the queue of the endpoint has so many events in each state, given as state and number.
func (h *hooked) states(t *testing.T, want ...string) {
	t.Helper()
	_, queue := h.tables()
	h.Until(t, "SELECT state, count(*) "+queue+" GROUP BY state ORDER BY state", want...)
}

// advance sets the clock forward, after the endpoint beside has got everything: what the dead one does not take
// delays nothing.
func (h *hooked) advance(t *testing.T, by time.Duration) {
	t.Helper()
	if h.beside != nil {
		_, queue := h.beside.tables()
		h.Until(t, "SELECT count(*) "+queue+" AND state = 'pending'", "0")
	}
	h.Clock.Advance(by)
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

// atEndpoint is what an event says about one endpoint.
type atEndpoint struct {
	*apptest.Answer
	at []any
}

func (d atEndpoint) JSON(path ...any) any    { return d.Answer.JSON(slices.Concat(d.at, path)...) }
func (d atEndpoint) Text(path ...any) string { return d.Answer.Text(slices.Concat(d.at, path)...) }
func (d atEndpoint) Len(path ...any) int     { return d.Answer.Len(slices.Concat(d.at, path)...) }

// delivery returns how an event has come along at the endpoint, as its partner reads it.
func (h *hooked) delivery(t *testing.T, eventID string) atEndpoint {
	t.Helper()
	return h.of(h.event(t, eventID))
}

// of returns what an event says about the endpoint.
func (h *hooked) of(event *apptest.Answer) atEndpoint {
	if h.endpointID == "" {
		return atEndpoint{event, nil}
	}
	for i := range event.Len("deliveries") {
		if event.Text("deliveries", i, "endpoint_id") == h.endpointID {
			return atEndpoint{event, []any{"deliveries", i}}
		}
	}
	return atEndpoint{event, []any{"absent"}}
}

// path returns where the endpoint is.
func (h *hooked) path() string { return "/v1/webhooks/endpoints/" + cmp.Or(h.endpointID, "first") }

// endpoint returns the endpoint.
func (h *hooked) endpoint(t *testing.T) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "GET", h.path(), nil).Must(t, 200)
}

// edit changes the endpoint.
func (h *hooked) edit(t *testing.T, body string) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "PATCH", h.path(), []byte(body)).Must(t, 200)
}

// enable enables or disables the endpoint.
func (h *hooked) enable(t *testing.T, enabled bool) {
	t.Helper()
	h.edit(t, fmt.Sprintf(`{"enabled":%t}`, enabled))
}

// remove removes the endpoint.
func (h *hooked) remove(t *testing.T) {
	t.Helper()
	if got := h.partner.Call(t, "DELETE", h.path(), nil).Must(t, 200); got.JSON("deleted") != true {
		t.Errorf("got %s, want deleted: true", got.Body)
	}
}

// add adds an endpoint for the receiver, which is the one under test from now on.
func (h *hooked) add(t *testing.T, settings string) {
	t.Helper()
	h.endpointID, h.secret = h.addEndpoint(t, fmt.Sprintf(`{"url":%q%s}`, h.receiver.URL, settings))
	if h.endpointID == "first" {
		h.endpointID = ""
	}
}

// addEndpoint adds an endpoint and returns its id and its secret.
func (h *hooked) addEndpoint(t *testing.T, body string) (id, secret string) {
	t.Helper()
	added := h.partner.Call(t, "POST", "/v1/webhooks/endpoints", []byte(body)).Must(t, 201)
	return added.Text("endpoint_id"), added.Text("secret")
}

// to returns a path that names the endpoint in its query, unless it is the first.
func (h *hooked) to(path string) string {
	if h.endpointID == "" {
		return path
	}
	return path + "?endpoint_id=" + h.endpointID
}

// test sends a test event to the endpoint.
func (h *hooked) test(t *testing.T) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "POST", h.to("/v1/webhooks/test"), nil).Must(t, 200)
}

// redeliver sends an event to the endpoint again.
func (h *hooked) redeliver(t *testing.T, eventID string) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "POST", h.to("/v1/webhooks/events/"+eventID+"/redeliver"), nil)
}

// redeliverAll sends events to the endpoint again, those that members of a JSON object select.
func (h *hooked) redeliverAll(t *testing.T, selected string) *apptest.Answer {
	t.Helper()
	return h.partner.Call(t, "POST", "/v1/webhooks/redeliver",
		fmt.Appendf(nil, `{"endpoint_id":%q,%s}`, cmp.Or(h.endpointID, "first"), selected))
}

// listed returns the ids of all events in the log of the endpoint that match a query.
func (h *hooked) listed(t *testing.T, query string) []string {
	t.Helper()
	return walk(t, h.partner, query+"&endpoint_id="+cmp.Or(h.endpointID, "first"))
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
