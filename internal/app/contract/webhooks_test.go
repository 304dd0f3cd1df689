package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// needsEndpoint are the operations that need an endpoint.
var needsEndpoint = []string{
	"getWebhookEndpoint", "deleteWebhookEndpoint", "rotateWebhookSecret", "activateWebhookSecret",
	"redeliverEvent", "redeliverEvents", "testWebhook",
	"getEndpoint", "editEndpoint", "deleteEndpoint", "rotateEndpointSecret", "activateEndpointSecret",
}

// prepare creates what an operation needs and returns the path parameters for it.
func (f *fixture) prepare(t testing.TB, o *operation) (path map[string]string) {
	t.Helper()
	switch {
	case o.id == "addProof", o.id == "requestCancellation":
		path = f.carriedOrder(t)
	case o.id == "createReturn":
		path = f.deliveredOrder(t)
	case o.id == "confirmOrderEdits":
		path = f.editedOrder(t)
	case o.id == "answerCancellationRequest":
		path = f.requestedOrder(t)
	case o.id == "getLinkedLabel":
		path = f.newLabelLink(t, `{}`)
	case o.takes("path", "order_id"), o.id == "getLabels":
		path = f.newOrder(t)
	case o.takes("path", "message_id"):
		path = f.newMessage(t, o)
	case o.takes("path", "endpoint_id"):
		path = map[string]string{"endpoint_id": webhook.FirstID}
	case o.takes("path", "event_id"):
		path = f.newEvent(t)
	case o.takes("path", "version"), o.id == "deleteLogo":
		path = f.newLogo(t)
	case o.takes("path", "name"):
		path = f.newProof(t)
	case o.takes("path", "session_id"):
		path = f.newSession(t, o)
	case o.takes("path", "invitation_id"), o.id == "acceptInvitation":
		path = f.newInvitation(t)
	case o.takes("path", "token"):
		path = f.newLink(t, o)
	case o.takes("path", "statement_id"):
		path = f.newStatement(t)
	case o.takes("path", "domain"):
		path = f.newDomain(t)
	case o.id == "removeOpenID", o.id == "changePartnerSignIn":
		f.send(t, call{operation: "putOpenID", body: []byte(openIDBody)}).Must(t, 200)
	case o.takes("path", "user_id"):
		path = map[string]string{"user_id": f.partner.As(t, "developer").UserID}
	}
	f.beginBooks(t, o.id)
	f.collectCash(t, o.id)
	f.prepareEndpoint(t, o)
	return path
}

func (f *fixture) prepareEndpoint(t testing.TB, o *operation) {
	t.Helper()
	if slices.Contains(needsEndpoint, o.id) {
		f.partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	}
}

// newEvent moves a new order and returns the path parameter of the event.
func (f *fixture) newEvent(t testing.TB) map[string]string {
	t.Helper()
	order := f.newOrder(t)
	f.move(t, order, "accepted").Must(t, 200)
	events := f.send(t, call{operation: "listEvents", query: "?order_id=" + order["order_id"]}).Must(t, 200)
	return map[string]string{"event_id": events.Text("events", 0, "event_id")}
}

// newLogo sets the logo and returns the path parameter of its version.
func (f *fixture) newLogo(t testing.TB) map[string]string {
	t.Helper()
	set := f.send(t, call{operation: "putLogo", body: drawing()}).Must(t, 200)
	return map[string]string{"version": set.Text("logo")[strings.LastIndex(set.Text("logo"), "/")+1:]}
}

// newDomain names a domain of the company sign-in and returns its path parameter.
func (f *fixture) newDomain(t testing.TB) map[string]string {
	t.Helper()
	f.send(t, call{operation: "addDomain", body: []byte(`{"domain":"metro.example"}`)}).Must(t, 201)
	return map[string]string{"domain": "metro.example"}
}

// newInvitation invites a person and returns the path parameters of the invitation.
func (f *fixture) newInvitation(t testing.TB) map[string]string {
	t.Helper()
	made := f.send(t, call{operation: "inviteUser", body: []byte(`{"email":"lou@example.com","role":"clerk"}`)}).Must(t,
		201)
	_, token, _ := strings.Cut(made.Text("url"), "/portal/invitations/")
	return map[string]string{"invitation_id": made.Text("invitation_id"), "token": token}
}

// TestPartnerSessions uses sessions wherever the documents allow them. The answers
// are the same as for signed requests.
func TestPartnerSessions(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		if o.access() != httpd.AccessPartner {
			continue
		}
		t.Run(o.id, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, roomy)
			request := call{operation: o.id, body: validBody(o), path: f.prepare(t, o), session: true}
			if got := f.send(t, request); got.Status >= 300 {
				t.Errorf("got status %d: %s", got.Status, got.Body)
			}
			request.headers = []string{"Cookie", "dropyard_session=none"}
			if got := f.send(t, request).Must(t, 401); got.JSON("error", "details") != nil {
				t.Errorf("without a session: got %s, want unauthorized", got.Body)
			}
		})
	}
}

// webhooks returns the documented events by type.
func (c *contract) webhooks() map[string]node {
	all := map[string]node{}
	section := c.documents["openapi.yaml"].node(c).at("webhooks")
	for _, name := range section.members() {
		all[name] = section.at(name, "post")
	}
	return all
}

func TestEveryEventIsDocumented(t *testing.T) {
	t.Parallel()
	want := []string{string(webhook.EventTest)}
	for _, event := range delivery.EventTypes {
		want = append(want, string(event))
	}
	documented := read(t).webhooks()
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(documented)); !slices.Equal(got, want) {
		t.Errorf("got documented types %v, want %v", got, want)
	}
	for name, n := range documented {
		examples := n.at("requestBody", "content", "application/json", "examples")
		for _, example := range examples.members() {
			if got := examples.at(example, "value", "type").text(); got != name {
				t.Errorf("example of %s: got type %q", name, got)
			}
		}
		if len(examples.members()) == 0 || n.at("summary").text() == "" || len(n.at("responses").members()) == 0 {
			t.Errorf("%s: want a summary, an example and responses", name)
		}
	}
}

// checkHook compares a request that a receiver got with what is documented for its
// type. It must have exactly the documented headers and members.
func (c *contract) checkHook(t reporter, hook *apptest.Hook) {
	t.Helper()
	kind := hook.Text("type")
	n, ok := c.webhooks()[kind]
	if !ok {
		t.Fatalf("got type %q, which is not documented: %s", kind, hook.Body)
	}
	documented := map[string]bool{}
	headers := c.documents["openapi.yaml"].node(c).at("x-webhook-headers")
	cloudEvent := hook.Header.Get("ce-specversion") != ""
	for _, name := range headers.members() {
		header := headers.at(name)
		documented[strings.ToLower(name)] = true
		if required := header.at("required").flag(); required == strings.HasPrefix(name, "ce-") {
			t.Errorf("header %s: got required %t, want those of CloudEvents not to be", name, required)
		}
		if strings.HasPrefix(name, "ce-") && (!cloudEvent || name == "ce-subject" && kind == string(webhook.EventTest)) {
			if got := hook.Header.Get(name); got != "" {
				t.Errorf("%s: got header %s: %s, want none", kind, name, got)
			}
			continue
		}
		var value any = hook.Header.Get(name)
		if number, err := strconv.Atoi(hook.Header.Get(name)); err == nil && header.at("schema", "type").text() == "integer" {
			value = number
		}
		if err := c.mustSchema(t, header.at("schema")).Validate(value); err != nil {
			t.Errorf("%s: header %s: %v", kind, name, err)
		}
	}
	for name := range hook.Header {
		name = strings.ToLower(name)
		for _, prefix := range []string{"drop-", "webhook-", "ce-"} {
			if strings.HasPrefix(name, prefix) && !documented[name] {
				t.Errorf("%s: got header %s, which is not documented", kind, name)
			}
		}
	}
	if hook.Header.Get("Content-Type") != "application/json" || len(documented) != 12 {
		t.Errorf("%s: got headers %v", kind, hook.Header)
	}
	schema, body := n.at("requestBody", "content", "application/json", "schema"), decode(t, hook.Body)
	if err := c.mustSchema(t, schema).Validate(body); err != nil {
		t.Errorf("%s: %v\n%s", kind, err, hook.Body)
	}
	c.checkNewMembers(t, kind, schema, body)
}

// journey is a sequence of statuses to which an operator moves an order. "cancel"
// is a cancellation by the partner, "decline" a request of one that is declined.
// is a cancellation by the partner, "give up" one of parcels that were picked up.
var journeys = [][]string{
	{`{"status":"accepted"}`, `{"status":"courier_assigned","courier_id":"COURIER"}`, `{"status":"accepted"}`,
		`{"status":"courier_assigned","courier_id":"COURIER","eta":"2026-01-20T10:00:00.5-05:00"}`, `{"status":"picked_up"}`,
		`{"status":"in_transit"}`, `{"status":"out_for_delivery"}`,
		`{"status":"failed","failure_reason":"Nobody <home> & \"away\"","next_attempt":"2026-01-21T10:00:00-05:00"}`,
		`{"status":"out_for_delivery"}`, `{"status":"delivered"}`},
	{
		`{"status":"accepted"}`, `{"status":"courier_assigned","courier_id":"COURIER"}`, "decline", `{"status":"failed"}`,
		`{"status":"cancelled","reason":"no such street"}`,
	},
	{
		`{"status":"accepted"}`, `{"status":"courier_assigned","courier_id":"COURIER"}`, `{"status":"picked_up"}`, "transfer",
		`{"status":"failed"}`, "give up", "receive",
	},
	{`{"status":"cancelled"}`},
	{"cancel"},
}

// TestEventsMatchDocument moves orders through every status and compares the
// request of each event with the document. It also sends a test event, and one
// during a rotation.
func TestEventsMatchDocument(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	receiver := apptest.NewReceiver(t)
	f.partner.SetEndpoint(t, receiver.URL)
	seen := map[string]bool{}
	next := func() *apptest.Hook {
		t.Helper()
		hook := receiver.Next(t)
		f.contract.checkHook(t, hook)
		seen[hook.Text("type")] = true
		return hook
	}
	for _, journey := range journeys {
		order := f.newOrder(t)
		for _, step := range journey {
			request := call{operation: "changeOrderStatus", path: order, body: []byte(strings.ReplaceAll(step, "COURIER",
				f.operator.CourierID))}
			switch step {
			case "cancel":
				request = call{operation: "cancelOrder", path: order, body: []byte(`{"reason":"changed my mind"}`)}
			case "decline":
				f.request(t, order)
				request = call{operation: "answerCancellationRequest", path: order, body: []byte(`{"grant":false}`)}
			case "transfer":
				request = call{operation: "transferOrder", path: order, body: []byte(`{"location":"HUB-1"}`)}
			case "receive":
				request = call{operation: "receiveReturn", path: order, body: []byte(`{"location":"HUB-1"}`)}
			case "give up":
				request.body = []byte(`{"status":"cancelled"}`)
			}
			f.send(t, request).Must(t, 200)
			next()
			if step == "give up" {
				next() // the parcels are due back
			}
		}
		f.send(t, call{operation: "editOrder", path: order, body: []byte(`{"reference":"edited"}`)}).Must(t, 200)
		next()
	}
	f.send(t, call{operation: "rotateWebhookSecret"}).Must(t, 200)
	f.send(t, call{operation: "testWebhook"}).Must(t, 200)
	next()
	f.newStatement(t)
	next()
	f.partner.Call(t, "PATCH", "/v1/webhooks/endpoints/first", []byte(`{"events":["stock.low","stock.changed"]}`)).Must(t, 200)
	product := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 8}) // its stock_min is 5
	next()
	f.partner.Create(t, testkit.OrderJSON("low", fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, product))).Must(t, 201)
	next()
	next()
	f.partner.Call(t, "PATCH", "/v1/webhooks/endpoints/first", []byte(`{"events":null,"format":"cloudevents"}`)).Must(t, 200)
	f.send(t, call{operation: "testWebhook"}).Must(t, 200)
	if hook := next(); hook.Header.Get("ce-specversion") == "" {
		t.Errorf("got %v, want the headers of CloudEvents", hook.Header)
	}
	f.newEvent(t)
	next()
	if want := slices.Sorted(maps.Keys(f.contract.webhooks())); !slices.Equal(slices.Sorted(maps.Keys(seen)), want) {
		t.Errorf("got types %v, want %v", seen, want)
	}
	receiver.NoneLeft(t)
}

// TestAnswersAboutEvents reads events in every state, and endpoints in every state,
// and sends test events with every result.
func TestAnswersAboutEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	receiver := apptest.NewReceiver(t)
	events := map[string]map[string]string{"skipped": f.newEvent(t)}
	f.partner.SetEndpoint(t, receiver.URL)
	settled := func(state string, tries int, event map[string]string) {
		t.Helper()
		f.Until(t, fmt.Sprintf("SELECT state, tries FROM events WHERE event_id = '%s'", event["event_id"]),
			fmt.Sprint(state, " ", tries))
		events[state] = event
	}
	settled("delivered", 1, f.newEvent(t))
	for _, status := range []int{500, 302, 0, 404} {
		receiver.Answers(apptest.Always(status))
		f.send(t, call{operation: "testWebhook"}).Must(t, 200)
	}
	settled("pending", 1, f.newEvent(t))
	receiver.Answers(apptest.Always(410))
	f.send(t, call{operation: "redeliverEvent", path: events["skipped"]}).Must(t, 200)
	f.Until(t, "SELECT enabled FROM webhook_endpoints", "0")
	f.send(t, call{operation: "getWebhookEndpoint"}).Must(t, 200)
	f.send(t, call{operation: "rotateWebhookSecret"}).Must(t, 200)
	f.send(t, call{operation: "getWebhookEndpoint"}).Must(t, 200)
	for state, path := range events {
		got := f.send(t, call{operation: "getEvent", path: path}).Must(t, 200)
		f.send(t,
			call{operation: "listEvents", query: "?limit=1&state=" + got.Text("state") + "&type=order.accepted"}).Must(t, 200)
		if state != "skipped" && got.Text("state") != state {
			t.Errorf("%s: got %s", state, got.Body)
		}
	}
	page := f.send(t, call{operation: "listEvents", query: "?limit=2"}).Must(t, 200)
	if page.Text("next_cursor") == "" {
		t.Errorf("got %s, want next_cursor", page.Body)
	}
	f.send(t, call{operation: "listEvents", query: "?cursor=" + page.Text("next_cursor")}).Must(t, 200)
	feed := f.send(t,
		call{operation: "followEvents", query: "?limit=1&after=" + identifier.FirstUUID(f.Clock.Now())}).Must(t, 200)
	f.send(t, call{operation: "followEvents", query: "?after=" + feed.Text("cursor")}).Must(t, 200)
}
