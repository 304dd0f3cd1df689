package client_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/webhook"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func TestVerifyDropSignature(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, known := range v.Events {
		for _, c := range []struct {
			secret, body, signature string
			want                    bool
		}{
			{v.WebhookSecret, known.Body, known.Signature, true},
			{v.WebhookSecret + "x", known.Body, known.Signature, false},
			{v.WebhookSecret, known.Body + " ", known.Signature, false},
			{v.WebhookSecret, known.Body, strings.TrimPrefix(known.Signature, "v1="), false},
			{v.WebhookSecret, known.Body, strings.Replace(known.Signature, "v1=", "v2=", 1), false},
			{v.WebhookSecret, known.Body, "", false},
			{"", known.Body, signature.SignEvent(nil, []byte(known.Body)), false}, // a forgotten setting
		} {
			if got := client.VerifyDropSignature(c.secret, []byte(c.body), c.signature); got != c.want {
				t.Errorf("%s: %q over %q: got %v, want %v", known.Name, c.signature, c.body, got, c.want)
			}
		}
	}
}

// sent returns the headers of a webhook with eventBody as the service sends it.
func sent(at time.Time, secrets webhook.Secrets) http.Header {
	header := http.Header{}
	for _, line := range webhook.Headers(eventID, at, secrets, []byte(eventBody)) {
		header.Set(line.Name, line.Value)
	}
	return header
}

// official verifies a webhook with the library that Standard Webhooks publishes.
func official(t *testing.T, secret string, header http.Header, body string) error {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return hook.Verify([]byte(body), header)
}

const (
	eventID   = "01a1fd87-4795-75e2-b4c2-de80bc41850d"
	eventBody = `{"id":"01a1fd87-4795-75e2-b4c2-de80bc41850d","type":"order.accepted","data":{"order_id":"ord_é"}}`
)

// TestVerifyWebhook: VerifyWebhook and the official library accept and refuse the
// same webhooks of the service.
func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	old, next, other := client.NewWebhookSecret(), client.NewWebhookSecret(), client.NewWebhookSecret()
	set := func(name, value string) func(http.Header) {
		return func(header http.Header) { header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		secrets webhook.Secrets
		change  func(http.Header)
		body    string
		age     time.Duration
		with    string
		want    error
	}{
		"one secret":           {secrets: webhook.Secrets{Current: old}, with: old},
		"another secret":       {secrets: webhook.Secrets{Current: old}, with: other, want: client.ErrWebhookSignature},
		"rotation, old secret": {secrets: webhook.Secrets{Current: old, Next: next}, with: old},
		"rotation, new secret": {secrets: webhook.Secrets{Current: old, Next: next}, with: next},
		"rotation, another secret": {
			secrets: webhook.Secrets{Current: old, Next: next}, with: other, want: client.ErrWebhookSignature,
		},
		"after it, old secret": {secrets: webhook.Secrets{Current: next}, with: old, want: client.ErrWebhookSignature},
		"changed body": {
			secrets: webhook.Secrets{Current: old}, with: old, body: eventBody + " ", want: client.ErrWebhookSignature,
		},
		"another id": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Id",
			"evt_2"), want: client.ErrWebhookSignature},
		"no id": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Id",
			""), want: client.ErrWebhookHeaders},
		"no time": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Timestamp",
			""), want: client.ErrWebhookHeaders},
		"wordy time": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Timestamp",
			"now"), want: client.ErrWebhookHeaders},
		"no signature": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Signature",
			""), want: client.ErrWebhookHeaders},
		"another scheme": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Signature",
			"v2,"+strings.Repeat("A", 43)+"="), want: client.ErrWebhookSignature},
		"nonsense": {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Signature",
			", v1, v1 ,,"), want: client.ErrWebhookSignature},
		"4 minutes old": {secrets: webhook.Secrets{Current: old}, with: old, age: 4 * time.Minute},
		"6 minutes old": {
			secrets: webhook.Secrets{Current: old}, with: old, age: 6 * time.Minute, want: client.ErrWebhookTimestamp,
		},
		"from the future": {
			secrets: webhook.Secrets{Current: old}, with: old, age: -6 * time.Minute, want: client.ErrWebhookTimestamp,
		},
	} {
		header := sent(time.Now().Add(-c.age), c.secrets)
		if c.change != nil {
			c.change(header)
		}
		if c.body == "" {
			c.body = eventBody
		}
		if err := client.VerifyWebhook(c.with, header, []byte(c.body)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if err := official(t, c.with, header, c.body); (err == nil) != (c.want == nil) {
			t.Errorf("%s, with the official library: got %v, want %v", name, err, c.want)
		}
	}
}

// TestSignWebhook returns the same headers that the service sends.
func TestSignWebhook(t *testing.T) {
	t.Parallel()
	secret, now := client.NewWebhookSecret(), time.Now()
	header, err := client.SignWebhook(secret, eventID, now, []byte(eventBody))
	if want := sent(now, webhook.Secrets{Current: secret}); err != nil || fmt.Sprint(header) != fmt.Sprint(want) {
		t.Errorf("got %v, %v, want %v", header, err, want)
	}
	if err := official(t, secret, header, eventBody); err != nil {
		t.Errorf("the official library: %v", err)
	}
	if got := header.Get("Drop-Signature"); !client.VerifyDropSignature(secret, []byte(eventBody), got) {
		t.Errorf("VerifyDropSignature refused the Drop-Signature %q", got)
	}
}

// TestVerifyWebhookTolerance: it is five minutes, to the second.
func TestVerifyWebhookTolerance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secret := client.NewWebhookSecret()
		header := sent(time.Now(), webhook.Secrets{Current: secret})
		for _, c := range []struct {
			wait time.Duration
			want error
		}{{5 * time.Minute, nil}, {time.Second, client.ErrWebhookTimestamp}} {
			<-time.After(c.wait)
			if err := client.VerifyWebhook(secret, header, []byte(eventBody)); !errors.Is(err, c.want) {
				t.Errorf("%v later: got %v, want %v", c.wait, err, c.want)
			}
		}
	})
}

// TestInvalidWebhookSecrets: an invalid secret does not verify a webhook, even one
// that was signed with an empty key.
func TestInvalidWebhookSecrets(t *testing.T) {
	t.Parallel()
	header := sent(time.Now(), webhook.Secrets{Current: "whsec_"})
	for _, secret := range []string{
		"", "whsec_", "whsec_AAAA", "whsec_!!", "sk_secret",
		strings.TrimPrefix(client.NewWebhookSecret(), "whsec_"),
		"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65)),
	} {
		if err := client.VerifyWebhook(secret, header, []byte(eventBody)); !errors.Is(err, client.ErrWebhookSecret) {
			t.Errorf("VerifyWebhook with %q: got %v, want ErrWebhookSecret", secret, err)
		}
		if _, err := client.SignWebhook(secret, eventID, time.Now(), nil); !errors.Is(err, client.ErrWebhookSecret) {
			t.Errorf("SignWebhook with %q: got %v, want ErrWebhookSecret", secret, err)
		}
	}
}
