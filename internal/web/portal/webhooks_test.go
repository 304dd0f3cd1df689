package portal_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/page"
)

const hooks = "/portal/webhooks"

// TestEventPhrases fails for a state of events, or a type, that has no name.
func TestEventPhrases(t *testing.T) {
	t.Parallel()
	for _, state := range outbox.States {
		if !page.Has("outbox." + string(state)) {
			t.Errorf("got no phrase for the state %s", state)
		}
	}
	for _, eventType := range delivery.EventTypes {
		if !page.Has("event." + string(eventType)) {
			t.Errorf("got no phrase for the type %s", eventType)
		}
	}
}

// has fails the test unless a page has some texts.
func has(t *testing.T, answer *apptest.Answer, texts ...string) {
	t.Helper()
	shows(t, "webhooks", answer.Must(t, http.StatusOK), texts, nil)
}

// lacks fails the test if a page has one of the texts.
func lacks(t *testing.T, answer *apptest.Answer, texts ...string) {
	t.Helper()
	shows(t, "webhooks", answer.Must(t, http.StatusOK), nil, texts)
}

// message follows a form to the page that it leads to, and returns that page.
func message(t *testing.T, u *apptest.User, answer *apptest.Answer) *apptest.Answer {
	t.Helper()
	answer.Must(t, http.StatusSeeOther)
	cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	return u.Do(t, "GET", answer.Header.Get("Location"), nil, "Cookie", u.Cookie+"; "+cookie, "Accept",
		"text/html").Must(t, http.StatusOK)
}

var secretPattern = regexp.MustCompile(`whsec_[A-Za-z0-9+/]+`)

// secretOn returns the secret that a page shows; empty if it shows none.
func secretOn(answer *apptest.Answer) string {
	return secretPattern.FindString(strings.ReplaceAll(string(answer.Body), "&#43;", "+"))
}

// hooked is a service with the owner of a partner whose events go to a receiver.
type hooked struct {
	*apptest.User
	operator *apptest.Operator
	receiver *apptest.Receiver
	secret   string
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	s := apptest.Start(t, apptest.Webhooks())
	h := &hooked{User: s.Register(t, "metro").Owner(t), operator: s.Operate(t), receiver: apptest.NewReceiver(t)}
	h.secret = h.SetEndpoint(t, h.receiver.URL)
	return h
}

// accepted creates an order, accepts it, and waits until its event has been sent once and is
// in a state.
func (h *hooked) accepted(t *testing.T, reference string, state outbox.State) (eventID string) {
	t.Helper()
	orderID := h.Create(t, testkit.OrderJSON(reference, "")).Must(t, 201).Text("order_id")
	h.operator.Move(t, orderID, "accepted").Must(t, 200)
	h.receiver.Next(t)
	h.Until(t, fmt.Sprintf("SELECT state, tries FROM events WHERE order_id = '%s'", orderID), fmt.Sprintf("%s 1", state))
	return h.Query(t, fmt.Sprintf("SELECT event_id FROM events WHERE order_id = '%s'", orderID))[0]
}

// TestWebhookEndpoint sets an endpoint, changes it, and removes it. The secret is on one
// page only.
func TestWebhookEndpoint(t *testing.T) {
	t.Parallel()
	s, receiver := apptest.Start(t, apptest.Webhooks()), apptest.NewReceiver(t)
	owner := s.Register(t, "metro").Owner(t)
	empty := owner.Open(t, hooks).Must(t, http.StatusOK)
	has(t, empty, "You have no webhook endpoint yet")

	refused := owner.Send(t, empty, hooks, "url", "ftp://example.com/a?b").Must(t, http.StatusUnprocessableEntity)
	if body := string(refused.Body); !strings.Contains(body, `aria-invalid="true"`) ||
		!strings.Contains(body, "ftp://example.com/a?b") {
		t.Errorf("got a page without the fault and what was typed:\n%s", body)
	}
	set := owner.Send(t, empty, hooks, "url", receiver.URL)
	has(t, set, "Your new secret", receiver.URL)
	secret := secretOn(set)
	shown := owner.Open(t, hooks)
	has(t, shown, receiver.URL)
	if secret == "" || secretOn(shown) != "" {
		t.Errorf("got the secret %q and then %q, want it once", secret, secretOn(shown))
	}
	if again := owner.Send(t, empty, hooks, "url", receiver.URL); again.Status != http.StatusConflict {
		t.Errorf("the same form again: got %d, want 409", again.Status)
	}

	has(t, message(t, owner, owner.Send(t, shown, hooks+"/test")), "was delivered: your receiver answered 200")
	if hook := receiver.Next(t); !hook.Verifies(secret) {
		t.Errorf("got a test event without the secret's signature: %v", hook.Header)
	}
	receiver.Answers(apptest.Always(500))
	has(t, message(t, owner, owner.Send(t, owner.Open(t, hooks), hooks+"/test")),
		"was not accepted: your receiver answered 500")

	off := message(t, owner, owner.Send(t, shown, hooks+"/enabled"))
	has(t, off, "You switched it off.")
	moved := message(t, owner, owner.Send(t, off, hooks, "url", receiver.URL+"/moved"))
	has(t, moved, "The endpoint was changed", "/hooks/moved", "You switched it off.")
	has(t, message(t, owner, owner.Send(t, moved, hooks+"/enabled")), "The endpoint is on.")
	has(t, message(t, owner, owner.Send(t, moved, hooks+"/removal")), "The endpoint was removed.",
		"You have no webhook endpoint yet")
	has(t, message(t, owner, owner.Send(t, moved, hooks+"/secret")), "There is no webhook endpoint.")
}

// TestWebhookSecret rotates the secret and switches to the new one: both sign until then.
func TestWebhookSecret(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	rotated := h.Send(t, h.Open(t, hooks), hooks+"/secret")
	fresh := secretOn(rotated)
	has(t, rotated, "A new secret takes effect on its own", `href="`+hooks+`?mode=test"`)
	h.Send(t, rotated, hooks+"/test").Must(t, http.StatusSeeOther)
	if hook := h.receiver.Next(t); fresh == h.secret || !hook.VerifiesStandard(h.secret) || !hook.VerifiesStandard(fresh) {
		t.Errorf("got %q, want signatures with the old and the new secret", hook.Header.Get("Webhook-Signature"))
	}
	active := message(t, h.User, h.Send(t, rotated, hooks+"/secret/active"))
	has(t, active, "Only the new secret signs now.")
	lacks(t, active, "A new secret takes over")
	h.Send(t, active, hooks+"/test").Must(t, http.StatusSeeOther)
	if hook := h.receiver.Next(t); hook.VerifiesStandard(h.secret) || !hook.Verifies(fresh) {
		t.Errorf("got %q, want a signature with the new secret only", hook.Header.Get("Webhook-Signature"))
	}
}

// TestEventLog lists events by their filters, shows one, and sends events again.
func TestEventLog(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	delivered := h.accepted(t, "A-1", outbox.Delivered)
	h.receiver.Answers(apptest.Always(503))
	failing := h.accepted(t, "A-2", outbox.Pending)
	for query, want := range map[string][2]bool{
		"": {true, true}, "?state=delivered": {true, false}, "?state=pending": {false, true}, "?type=order.cancelled": {},
		"?order=A-1": {true, false}, "?state=odd&type=odd": {true, true}, "?order=unknown": {},
	} {
		shown := string(h.Open(t, hooks+query).Must(t, http.StatusOK).Body)
		if got := [2]bool{strings.Contains(shown, delivered), strings.Contains(shown, failing)}; got != want {
			t.Errorf("%s: got the events %v, want %v", query, got, want)
		}
	}
	has(t, h.Open(t, hooks), "Failing", "One event waits.")
	sent := h.Call(t, "GET", "/v1/webhooks/events/"+delivered, nil).Must(t, 200)
	has(t, h.Open(t, hooks+"/"+delivered), "answered 200", strings.ReplaceAll(sent.Text("body"), `"`, "&#34;"),
		"Delivered")
	lacks(t, h.Open(t, hooks+"/"+delivered), secretPattern.FindString(h.secret), "v1=0")
	has(t, h.Open(t, hooks+"/"+failing), "answered 503", "Waiting")
	h.Open(t, hooks+"/unknown").Must(t, http.StatusNotFound)

	h.receiver.Answers(nil)
	form := h.Open(t, hooks+"/"+delivered)
	has(t, message(t, h.User, h.Send(t, form, hooks+"/"+delivered+"/redelivery")), "The event is sent again.")
	h.Send(t, form, hooks+"/"+delivered+"/redelivery").Must(t, http.StatusSeeOther) // a double click
	if hook := h.receiver.Next(t); hook.Header.Get("Webhook-Id") != delivered {
		t.Errorf("got %q again, want %q", hook.Header.Get("Webhook-Id"), delivered)
	}
	h.Until(t, "SELECT state, count(*) FROM events GROUP BY state ORDER BY state", "delivered 1", "pending 1")
	h.receiver.NoneLeft(t)
	list := h.Open(t, hooks+"?order=A-1")
	refused := h.Send(t, list, hooks+"/redelivery", "since", "yesterday").Must(t, http.StatusUnprocessableEntity)
	if !strings.Contains(string(refused.Body), `value="yesterday"`) {
		t.Errorf("got a page without what was typed:\n%s", refused.Body)
	}
	has(t, message(t, h.User, h.Send(t, list, hooks+"/redelivery", "since", "2026-01-01T00:00")),
		"Events that are sent again: 1.")
}

// TestWebhooksByRole: a reader sees everything and changes nothing.
func TestWebhooksByRole(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	event := h.accepted(t, "A-1", outbox.Delivered)
	reader := h.As(t, "reader")
	for _, path := range []string{hooks, hooks + "/" + event} {
		lacks(t, reader.Open(t, path), `method="post" action="`+hooks)
	}
	for _, to := range []string{hooks, hooks + "/test", hooks + "/enabled", hooks + "/removal", hooks + "/secret", hooks +
		"/redelivery", hooks + "/" + event + "/redelivery"} {
		path := hooks
		if strings.Contains(to, event) {
			path = to[:len(to)-len("/redelivery")]
		}
		form := h.Open(t, path).Form(t, to)
		got := reader.Do(t, "POST", to, form, "Cookie", reader.Cookie, "Accept", "text/html", "Content-Type",
			"application/x-www-form-urlencoded")
		if got.Status != http.StatusForbidden {
			t.Errorf("%s by a reader: got %d, want 403", to, got.Status)
		}
	}
}

// TestWebhooksByMode: live and test mode have an endpoint and events each.
func TestWebhooksByMode(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	event := h.accepted(t, "A-1", outbox.Delivered)
	inTest := h.Open(t, hooks+"?mode=test")
	has(t, inTest, "You have no webhook endpoint yet", "No order has changed yet.")
	h.Open(t, hooks+"/"+event+"?mode=test").Must(t, http.StatusNotFound)
	set := h.Send(t, inTest, hooks+"?mode=test", "url", h.receiver.URL+"/test")
	has(t, set, "Your new secret", "/hooks/test", "Test mode:")
	lacks(t, h.Open(t, hooks), "/hooks/test")
}

// TestFurtherEndpoints adds an endpoint on the page, chooses what it takes, tests and removes it.
func TestFurtherEndpoints(t *testing.T) {
	t.Parallel()
	s, receiver := apptest.Start(t, apptest.Webhooks()), apptest.NewReceiver(t)
	owner := s.Register(t, "metro").Owner(t)
	owner.Send(t, owner.Open(t, hooks), hooks, "url", receiver.URL)
	has(t, owner.Open(t, hooks), `href="`+hooks+`/endpoints"`)
	empty := owner.Open(t, hooks+"/endpoints")
	refused := owner.Send(t, empty, hooks+"/endpoints", "url", receiver.URL+"/more", "events", "none")
	if body := string(refused.Must(t, http.StatusUnprocessableEntity).Body); !strings.Contains(body,
		"Choose at least one event type.") || !strings.Contains(body, receiver.URL+"/more") {
		t.Errorf("got a page without the fault and what was typed:\n%s", body)
	}
	added := owner.Send(t, empty, hooks+"/endpoints", "url", receiver.URL+"/more")
	has(t, added, "Your new secret", "whsec_", "/more")
	if got := s.Query(t, "SELECT count(*) FROM further_endpoints WHERE events = '' AND format = ''"); got[0] != "1" {
		t.Errorf("got %s endpoints that take all types, want the one that was added", got[0])
	}
	var id string
	for _, e := range s.Query(t, "SELECT endpoint_id FROM further_endpoints") {
		id = e
	}
	there := owner.Open(t, hooks+"?endpoint="+id)
	has(t, there, receiver.URL+"/more", "Standard Webhooks", "endpoint="+id)
	changed := message(t, owner, owner.Send(t, there, hooks+"?endpoint="+id, "url", receiver.URL+"/other",
		"events", "order.failed", "format", "cloudevents"))
	has(t, changed, "The endpoint was changed", "/other", "CloudEvents 1.0")
	none := owner.Send(t, changed, hooks+"?endpoint="+id, "url", receiver.URL+"/none", "events", "")
	if body := string(none.Must(t, http.StatusUnprocessableEntity).Body); !strings.Contains(body,
		"Choose at least one event type.") {
		t.Errorf("no type is chosen: got a page without the fault:\n%s", body)
	}
	if got := s.Query(t, "SELECT events FROM further_endpoints"); len(got) != 1 || got[0] != "order.failed" {
		t.Errorf("got the filter %v, want order.failed", got)
	}
	has(t, message(t, owner, owner.Send(t, changed, hooks+"/removal?endpoint="+id)), "The endpoint was removed.",
		receiver.URL)
	if got := s.Query(t, "SELECT count(*) FROM further_endpoints"); got[0] != "0" {
		t.Errorf("got %s further endpoints, want none", got[0])
	}
}
