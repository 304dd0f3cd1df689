package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/dropyard/dropyard/client"
)

// forwarder posts events to a receiver under development, as the service would.
type forwarder struct {
	url, secret string
	http        *http.Client
	// pauses are the waits before each further attempt when nobody listens: the
	// receiver is being restarted. Nothing else is tried again, so that what a
	// developer sees is what was sent.
	pauses []time.Duration
}

const (
	// receiverTimeout is how long the service itself waits for an endpoint.
	receiverTimeout = 15 * time.Second
	// receiverAnswer is how much of its answer is read.
	receiverAnswer = 16 << 10
)

func newForwarder(url, secret string) *forwarder {
	return &forwarder{
		url: url, secret: secret,
		http: &http.Client{
			Transport:     &http.Transport{}, // no proxy from the environment, as for the service
			Timeout:       receiverTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a failure, as for the service
		},
		pauses: []time.Duration{300 * time.Millisecond, 700 * time.Millisecond},
	}
}

// post sends an event, and tells in words what came of it.
func (f *forwarder) post(ctx context.Context, eventID string, body []byte) string {
	for attempt := 0; ; attempt++ {
		begun := time.Now()
		status, err := f.send(ctx, eventID, body)
		took := time.Since(begun).Milliseconds()
		switch {
		case ctx.Err() != nil:
			return "stopped before it answered"
		case err == nil && status/100 == 2:
			return fmt.Sprintf("%s (%d ms)", statusText(status), took)
		case err == nil:
			return fmt.Sprintf("%s (%d ms), a failure", statusText(status), took)
		case !errors.Is(err, syscall.ECONNREFUSED) || attempt == len(f.pauses):
			return fmt.Sprintf("no answer: %v (%d ms)", reason(err), took)
		}
		select {
		case <-time.After(f.pauses[attempt]):
		case <-ctx.Done():
			return "not sent: stopped"
		}
	}
}

func (f *forwarder) send(ctx context.Context, eventID string, body []byte) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if request.Header, err = client.SignWebhook(f.secret, eventID, time.Now(), body); err != nil {
		return 0, err
	}
	request.Header.Set("User-Agent", "Dropyard-Webhooks/1") // that of the service
	response, err := f.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, receiverAnswer) // which lets the connection be used again
	return response.StatusCode, nil
}
