package client

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// maxEvent is the longest body that a receiver reads, in bytes. Events are much shorter.
const maxEvent = 1 << 20

// Webhooks returns a handler for the endpoint that the service posts events to. It
// calls handle with each event whose signature is valid under the webhook secret, and
// answers:
//
//   - 200 if handle returns nil: the service will not send the event again
//   - 500 if handle returns an error: the service will send the event again later
//   - 401 if the signature is not valid, or the request is more than 5 minutes old
//   - 400, 405 or 413 for what is not an event
//
// The same event may arrive more than once: handle should store it under its ID, unless
// it is stored already, and return, and only then act on it. The service waits 15
// seconds for the answer. While a secret is rotated, the old and the new one are
// accepted.
//
// Signatures are read from the headers of Standard Webhooks, see [VerifyWebhook], or from
// Drop-Signature if a request has only that. Drop-Signature does not cover the time.
func Webhooks(webhookSecret string, handle func(ctx context.Context, event *Event) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, status, err := receive(w, r, webhookSecret)
		if err == nil {
			if err = handle(r.Context(), event); err != nil {
				status, err = http.StatusInternalServerError, errNotHandled
			}
		}
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
}

// errNotHandled stands for the error of a handler, which may hold what the sender should
// not see.
var errNotHandled = errors.New("the event could not be handled")

// receive reads and verifies an event. The status is that of the answer if it fails.
func receive(w http.ResponseWriter, r *http.Request, webhookSecret string) (*Event, int, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, http.StatusMethodNotAllowed, errors.New("send events with POST")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	if err != nil {
		var tooLong *http.MaxBytesError
		if errors.As(err, &tooLong) {
			return nil, http.StatusRequestEntityTooLarge, err
		}
		return nil, http.StatusBadRequest, errors.New("the body could not be read")
	}
	if err := verify(webhookSecret, r.Header, body); err != nil {
		return nil, http.StatusUnauthorized, err
	}
	event, err := ParseEvent(body)
	return event, http.StatusBadRequest, err
}

// verify verifies the headers of Standard Webhooks, or Drop-Signature if the request has
// no other signature.
func verify(webhookSecret string, header http.Header, body []byte) error {
	if header.Get("Webhook-Signature") != "" {
		return VerifyWebhook(webhookSecret, header, body)
	}
	if !VerifyDropSignature(webhookSecret, body, header.Get("Drop-Signature")) {
		return ErrWebhookSignature
	}
	return nil
}
