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

func TestVerifyEvent(t *testing.T) {
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
			if got := client.VerifyEvent(c.secret, []byte(c.body), c.signature); got != c.want {
				t.Errorf("%s: %q over %q: got %v", known.Name, c.signature, c.body, got)
			}
		}
	}
}

// sent is the header of a webhook with someBody as the service sends it.
func sent(at time.Time, secrets webhook.Secrets) http.Header {
	header := http.Header{}
	for _, line := range webhook.Headers(someID, at, secrets, []byte(someBody)) {
		header.Set(line.Name, line.Value)
	}
	return header
}

// official is the verdict of the library that Standard Webhooks publishes.
func official(t *testing.T, secret string, header http.Header, body string) error {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return hook.Verify([]byte(body), header)
}

const (
	someID   = "01a1fd87-4795-75e2-b4c2-de80bc41850d"
	someBody = `{"id":"01a1fd87-4795-75e2-b4c2-de80bc41850d","type":"order.accepted","data":{"order_id":"ord_é"}}`
)

// TestWebhooksAreVerified as the service signs them, by the official library
// and by ours alike, whatever is wrong with them.
func TestWebhooksAreVerified(t *testing.T) {
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
		"one secret":               {secrets: webhook.Secrets{Current: old}, with: old},
		"another secret":           {secrets: webhook.Secrets{Current: old}, with: other, want: client.ErrWebhookSignature},
		"rotation, old secret":     {secrets: webhook.Secrets{Current: old, Next: next}, with: old},
		"rotation, new secret":     {secrets: webhook.Secrets{Current: old, Next: next}, with: next},
		"rotation, another secret": {secrets: webhook.Secrets{Current: old, Next: next}, with: other, want: client.ErrWebhookSignature},
		"after it, old secret":     {secrets: webhook.Secrets{Current: next}, with: old, want: client.ErrWebhookSignature},
		"changed body":             {secrets: webhook.Secrets{Current: old}, with: old, body: someBody + " ", want: client.ErrWebhookSignature},
		"another id":               {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Id", "evt_2"), want: client.ErrWebhookSignature},
		"no id":                    {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Id", ""), want: client.ErrWebhookHeaders},
		"no time":                  {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Timestamp", ""), want: client.ErrWebhookHeaders},
		"wordy time":               {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Timestamp", "now"), want: client.ErrWebhookHeaders},
		"no signature":             {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Signature", ""), want: client.ErrWebhookHeaders},
		"another scheme":           {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Signature", "v2,"+strings.Repeat("A", 43)+"="), want: client.ErrWebhookSignature},
		"nonsense":                 {secrets: webhook.Secrets{Current: old}, with: old, change: set("Webhook-Signature", ", v1, v1 ,,"), want: client.ErrWebhookSignature},
		"4 minutes old":            {secrets: webhook.Secrets{Current: old}, with: old, age: 4 * time.Minute},
		"6 minutes old":            {secrets: webhook.Secrets{Current: old}, with: old, age: 6 * time.Minute, want: client.ErrWebhookTimestamp},
		"from the future":          {secrets: webhook.Secrets{Current: old}, with: old, age: -6 * time.Minute, want: client.ErrWebhookTimestamp},
	} {
		header := sent(time.Now().Add(-c.age), c.secrets)
		if c.change != nil {
			c.change(header)
		}
		if c.body == "" {
			c.body = someBody
		}
		if err := client.VerifyWebhook(c.with, header, []byte(c.body)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if err := official(t, c.with, header, c.body); (err == nil) != (c.want == nil) {
			t.Errorf("%s: the official library says %v, want %v", name, err, c.want)
		}
	}
}

// TestSignWebhookIsTheServices: what a partner's tests sign is what the service
// sends.
func TestSignWebhookIsTheServices(t *testing.T) {
	t.Parallel()
	secret, now := client.NewWebhookSecret(), time.Now()
	header, err := client.SignWebhook(secret, someID, now, []byte(someBody))
	if want := sent(now, webhook.Secrets{Current: secret}); err != nil || fmt.Sprint(header) != fmt.Sprint(want) {
		t.Errorf("got %v, %v, want %v", header, err, want)
	}
	if err := official(t, secret, header, someBody); err != nil {
		t.Error(err)
	}
	if !client.VerifyEvent(secret, []byte(someBody), header.Get("Drop-Signature")) {
		t.Error("Drop-Signature does not fit")
	}
}

// TestToleranceIsFiveMinutes, to the second.
func TestToleranceIsFiveMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secret := client.NewWebhookSecret()
		header := sent(time.Now(), webhook.Secrets{Current: secret})
		for _, c := range []struct {
			wait time.Duration
			want error
		}{{5 * time.Minute, nil}, {time.Second, client.ErrWebhookTimestamp}} {
			<-time.After(c.wait)
			if err := client.VerifyWebhook(secret, header, []byte(someBody)); !errors.Is(err, c.want) {
				t.Errorf("%v later: %v, want %v", c.wait, err, c.want)
			}
		}
	})
}

// TestBadWebhookSecrets verify nothing: not even what was signed with an empty
// key, as anybody can.
func TestBadWebhookSecrets(t *testing.T) {
	t.Parallel()
	header := sent(time.Now(), webhook.Secrets{Current: "whsec_"})
	for _, secret := range []string{
		"", "whsec_", "whsec_AAAA", "whsec_!!", "sk_secret",
		strings.TrimPrefix(client.NewWebhookSecret(), "whsec_"),
		"whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65)),
	} {
		if err := client.VerifyWebhook(secret, header, []byte(someBody)); !errors.Is(err, client.ErrWebhookSecret) {
			t.Errorf("%q: %v", secret, err)
		}
		if _, err := client.SignWebhook(secret, someID, time.Now(), nil); !errors.Is(err, client.ErrWebhookSecret) {
			t.Errorf("%q signs: %v", secret, err)
		}
	}
}
