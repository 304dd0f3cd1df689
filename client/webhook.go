package client

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/signature"
)

// Event is the body of a webhook.
type Event struct {
	ID        string    `json:"id"`   // the same for every retry: what to tell repetitions by
	Type      string    `json:"type"` // such as order.accepted
	CreatedAt time.Time `json:"created_at"`
	Sequence  int64     `json:"sequence"` // counts the events of one order from 1
	// Data depends on Type (interface section 6).
	Data json.RawMessage `json:"data"`
}

// OrderID is the order that the event tells of; empty if it tells of none.
func (e *Event) OrderID() string {
	var data struct {
		OrderID string `json:"order_id"`
	}
	_ = json.Unmarshal(e.Data, &data) // what is no object names no order
	return data.OrderID
}

// VerifyEvent tells, in constant time, whether a webhook's raw body carries the
// Drop-Signature of the partner's webhook secret. That says nothing of when it
// was sent: a receiver must tell repetitions by the event's id, or use
// VerifyWebhook, which refuses what is old.
//
// No signature fits an empty secret, so that a setting that was forgotten lets
// nobody in.
func VerifyEvent(webhookSecret string, body []byte, dropSignature string) bool {
	return webhookSecret != "" && signature.VerifyEvent([]byte(webhookSecret), body, dropSignature)
}

// Why VerifyWebhook refuses.
var (
	ErrWebhookSecret    = errors.New("the webhook secret is not whsec_ and the base64 of 24 to 64 bytes")
	ErrWebhookHeaders   = errors.New("webhook-id, webhook-timestamp or webhook-signature is missing or no such header")
	ErrWebhookTimestamp = errors.New("the webhook-timestamp is more than 5 minutes from now")
	ErrWebhookSignature = errors.New("no signature of the webhook fits")
)

// VerifyWebhook tells why a request is no webhook under the secret; nil if it
// is. It reads the headers of Standard Webhooks, which sign the event's id and
// the time of sending too: what was sent more than 5 minutes ago is refused, so
// that nothing recorded can be played back later. While a secret is rotated the
// header carries a signature of the old and one of the new: either verifies.
//
//	http.HandleFunc("POST /hooks", func(w http.ResponseWriter, r *http.Request) {
//		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
//		if err != nil || client.VerifyWebhook(secret, r.Header, body) != nil {
//			w.WriteHeader(http.StatusUnauthorized)
//			return
//		}
//		// Keep the event under its id, unless it is there already; then:
//		w.WriteHeader(http.StatusOK)
//	})
//
// body must be what came, byte for byte, and not decoded and encoded again.
func VerifyWebhook(webhookSecret string, header http.Header, body []byte) error {
	key, err := webhookKey(webhookSecret)
	if err != nil {
		return err
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	signatures := strings.Fields(header.Get("Webhook-Signature"))
	if _, err := strconv.ParseInt(timestamp, 10, 64); err != nil || id == "" || len(signatures) == 0 {
		return ErrWebhookHeaders
	}
	if !signature.Fresh(timestamp, time.Now()) {
		return ErrWebhookTimestamp
	}
	want := []byte(signature.SignStandard(key, id, timestamp, body))
	for _, given := range signatures {
		if subtle.ConstantTimeCompare(want, []byte(given)) == 1 {
			return nil
		}
	}
	return ErrWebhookSignature
}

// SignWebhook makes the headers of a webhook as the service sends them, all six
// and the Content-Type: for tests of receivers. The error is ErrWebhookSecret.
func SignWebhook(webhookSecret, eventID string, sent time.Time, body []byte) (http.Header, error) {
	key, err := webhookKey(webhookSecret)
	if err != nil {
		return nil, err
	}
	timestamp := strconv.FormatInt(sent.Unix(), 10)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Drop-Event-Id", eventID)
	header.Set("Drop-Event-Timestamp", timestamp)
	header.Set("Drop-Signature", signature.SignEvent([]byte(webhookSecret), body))
	header.Set("Webhook-Id", eventID)
	header.Set("Webhook-Timestamp", timestamp)
	header.Set("Webhook-Signature", signature.SignStandard(key, eventID, timestamp, body))
	return header, nil
}

const secretPrefix = "whsec_"

// The bounds that Standard Webhooks sets for keys, in bytes. A receiver that
// took less would take an empty one, which anybody can sign with.
const (
	minKey = 24
	maxKey = 64
)

// webhookKey is what Standard Webhooks signs with. Drop-Signature is keyed with
// the whole text.
func webhookKey(webhookSecret string) ([]byte, error) {
	text, ok := strings.CutPrefix(webhookSecret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minKey || len(key) > maxKey {
		return nil, ErrWebhookSecret
	}
	return key, nil
}

// NewWebhookSecret draws a secret like those of the service: for tests of
// receivers.
func NewWebhookSecret() string {
	var key [33]byte         // a multiple of three: base64 without padding
	_, _ = rand.Read(key[:]) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}
