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
	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// forwarder posts events to a receiver in development, as the service does.
type forwarder struct {
	url, secret string
	http        *http.Client
	// pauses are the waits before further attempts after a refused connection,
	// because the receiver may be restarting. Other failures are not retried, so that
	// the developer sees every request that was sent.
	pauses []time.Duration
}

const (
	// receiverTimeout is how long the service waits for an endpoint, too.
	receiverTimeout = 15 * time.Second
	// maxResponse is how much of the receiver's response is read, in bytes.
	maxResponse = 16 << 10
)

// receiverPauses are the pauses of every forwarder. Tests of the whole program shorten them.
var receiverPauses = []time.Duration{300 * time.Millisecond, 700 * time.Millisecond}

func newForwarder(url, secret string) *forwarder {
	return &forwarder{
		url: url, secret: secret,
		http: &http.Client{
			Transport: &http.Transport{}, // no proxy from the environment, as for the service
			Timeout:   receiverTimeout,
			// a redirect is a failure, as for the service
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		pauses: receiverPauses,
	}
}

// post sends an event and returns the result in words.
func (f *forwarder) post(ctx context.Context, eventID string, body []byte) string {
	for attempt := 0; ; attempt++ {
		begun := time.Now()
		status, err := f.send(ctx, eventID, body)
		took := time.Since(begun).Milliseconds()
		switch {
		case ctx.Err() != nil:
			return "stopped while waiting for the response"
		case err == nil && status/100 == 2:
			return fmt.Sprintf("%s (%d ms)", statusText(status), took)
		case err == nil:
			return fmt.Sprintf("%s (%d ms), failed", statusText(status), took)
		case !errors.Is(err, syscall.ECONNREFUSED) || attempt == len(f.pauses):
			return fmt.Sprintf("no response: %v (%d ms)", reason(err), took)
		}
		if pace.Pause(ctx, f.pauses[attempt]) != nil {
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
	request.Header.Set("User-Agent", "Dropyard-Webhooks/1") // the same as the service's
	response, err := f.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxResponse) // so that the connection can be used again
	return response.StatusCode, nil
}
