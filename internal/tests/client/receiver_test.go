package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
)

// TestWebhooks posts requests to a receiver, and checks the answer and whether the
// handler was called.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	secret := client.NewWebhookSecret()
	signed := func(body string) http.Header {
		header, err := client.SignWebhook(secret, eventID, time.Now(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return header
	}
	without := func(header http.Header, names ...string) http.Header {
		for _, name := range names {
			header.Del(name)
		}
		return header
	}
	old, err := client.SignWebhook(secret, eventID, time.Now().Add(-6*time.Minute), []byte(eventBody))
	if err != nil {
		t.Fatal(err)
	}
	long := `{"id":"1","type":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, c := range map[string]struct {
		method  string
		header  http.Header
		body    string
		secret  string
		handler error
		status  int
		handled bool
	}{
		"signed": {header: signed(eventBody), body: eventBody, status: 200, handled: true},
		"Drop-Signature only": {header: without(signed(eventBody), "Webhook-Signature", "Webhook-Id",
			"Webhook-Timestamp"), body: eventBody, status: 200, handled: true},
		"handler fails": {
			header: signed(eventBody), body: eventBody, handler: errors.New("the password is hushhush"), status: 500,
			handled: true,
		},
		"unknown type": {
			header: signed(`{"id":"1","type":"order.weighed","more":1}`), body: `{"id":"1","type":"order.weighed","more":1}`,
			status: 200, handled: true,
		},
		"unsigned": {header: http.Header{}, body: eventBody, status: 401},
		"changed":  {header: signed(eventBody), body: eventBody + " ", status: 401},
		"changed, one header": {header: without(signed(eventBody),
			"Webhook-Signature"), body: eventBody + " ", status: 401},
		"old": {header: old, body: eventBody, status: 401},
		"no secret": {header: without(signed(eventBody),
			"Webhook-Signature"), body: eventBody, secret: "none", status: 401},
		"not JSON":               {header: signed("{"), body: "{", status: 400},
		"not an event":           {header: signed(`{"id":"1"}`), body: `{"id":"1"}`, status: 400},
		"GET":                    {method: "GET", header: signed(eventBody), body: eventBody, status: 405},
		"longer than a megabyte": {header: signed(long), body: long, status: 413},
	} {
		handled := false
		verifier := map[string]string{"": secret, "none": ""}[c.secret]
		receiver := client.Webhooks(verifier, func(_ context.Context, event *client.Event) error {
			handled = event.ID != "" && string(event.Raw) == c.body
			return c.handler
		})
		if c.method == "" {
			c.method = http.MethodPost
		}
		request := httptest.NewRequest(c.method, "/hooks", strings.NewReader(c.body))
		request.Header = c.header
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		if answer.Code != c.status || handled != c.handled {
			t.Errorf("%s: got %d, handled = %t, want %d, %t", name, answer.Code, handled, c.status, c.handled)
		}
		if strings.Contains(answer.Body.String(), "hushhush") {
			t.Errorf("%s: got %q, want nothing of the handler's error", name, answer.Body)
		}
	}
}

func TestParseEvent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		orderID string
		unknown bool
	}{
		`{"id":"1","type":"order.delivered","data":{"order_id":"ord_1","signature_url":null,"more":[]}}`: {"ord_1", false},
		`{"id":"1","type":"order.failed","data":{"order_id":"ord_1","next_attempt":null}}`:               {"ord_1", false},
		`{"id":"1","type":"order.weighed","data":{"order_id":"ord_1","kg":2}}`:                           {"ord_1", true},
		`{"id":"1","type":"order.delivered","data":{"order_id":"ord_1","delivered_at":7}}`:               {"ord_1", true},
		`{"id":"1","type":"order.weighed","data":7}`:                                                     {"", true},
		`{"id":"1","type":"webhook.test"}`:                                                               {"", false},
	} {
		event, err := client.ParseEvent([]byte(body))
		if err != nil || event.OrderID() != want.orderID {
			t.Errorf("%s: got %+v, %v, want order %q", body, event, err, want.orderID)
			continue
		}
		if _, unknown := event.Data.(*client.UnknownData); unknown != want.unknown {
			t.Errorf("%s: got %T, want unknown data = %t", body, event.Data, want.unknown)
		}
	}
}
