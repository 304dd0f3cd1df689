package client

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/signature"
)

// VerifyDropSignature reports, in constant time, whether dropSignature is the signature of
// a webhook's raw body under the webhook secret. It does not check when the webhook was
// sent: a receiver must recognise repeated events by their ids, or use VerifyWebhook,
// which refuses old ones.
//
// It is false for any signature if the secret is empty, so that a missing setting
// does not let forged events in.
func VerifyDropSignature(webhookSecret string, body []byte, dropSignature string) bool {
	return webhookSecret != "" && signature.VerifyEvent([]byte(webhookSecret), body, dropSignature)
}

// VerifyEvent is the earlier name of VerifyDropSignature.
//
// Deprecated: use [VerifyDropSignature], as all clients call it.
func VerifyEvent(webhookSecret string, body []byte, dropSignature string) bool {
	return VerifyDropSignature(webhookSecret, body, dropSignature)
}

// The errors of VerifyWebhook.
var (
	ErrWebhookSecret    = errors.New("the webhook secret is not whsec_ and the base64 of 24 to 64 bytes")
	ErrWebhookHeaders   = errors.New("webhook-id, webhook-timestamp or webhook-signature is missing or invalid")
	ErrWebhookTimestamp = errors.New("the webhook-timestamp is more than 5 minutes from now")
	ErrWebhookSignature = errors.New("the webhook has no signature under the secret")
)

// VerifyWebhook returns nil if a request is a webhook that was signed with the
// secret, and otherwise the reason why it is not. It reads the headers of Standard
// Webhooks, whose signature also covers the event's id and the time of sending. A
// webhook that was sent more than 5 minutes ago is refused, so that a recorded one
// cannot be replayed later. While a secret is rotated the header holds signatures
// with the old and the new secret, of which either verifies. [Webhooks] is a whole
// handler.
//
// body must be the body as received, byte for byte, not decoded and encoded again.
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

// SignWebhook returns the headers of a webhook as the service sends them, for tests of
// receivers. The only error is ErrWebhookSecret.
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

// The bounds of Standard Webhooks for keys, in bytes. They exclude the empty key,
// with which anyone could sign.
const (
	minKey = 24
	maxKey = 64
)

// webhookKey returns the key of Standard Webhooks, which is encoded in the secret. The
// key of Drop-Signature is the text of the secret.
func webhookKey(webhookSecret string) ([]byte, error) {
	text, ok := strings.CutPrefix(webhookSecret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < minKey || len(key) > maxKey {
		return nil, ErrWebhookSecret
	}
	return key, nil
}

// NewWebhookSecret returns a random secret in the form of those of the service, for
// tests of receivers.
func NewWebhookSecret() string {
	var key [33]byte         // a multiple of three: base64 without padding
	_, _ = rand.Read(key[:]) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}
