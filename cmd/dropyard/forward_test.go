package main

import (
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// failing is a transport on which the first requests fail. It uses no network, so
// that the clock of a synctest bubble can advance.
type failing struct {
	with  error
	times int
	sent  int
}

func (f *failing) RoundTrip(request *http.Request) (*http.Response, error) {
	f.sent++
	if f.sent <= f.times {
		return nil, f.with
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: request}, nil
}

// TestForwardRetriesOnlyRefusedConnections: a receiver that is restarting gets its
// event, and an event that may have arrived is not sent twice.
func TestForwardRetriesOnlyRefusedConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transport failing
		sent      int
		took      time.Duration
		want      string // part of the result
	}{
		"listening":       {failing{}, 1, 0, "200 OK (0 ms)"},
		"listening later": {failing{with: syscall.ECONNREFUSED, times: 2}, 3, time.Second, "200 OK (0 ms)"},
		"not listening": {
			failing{with: syscall.ECONNREFUSED, times: 9}, 3, time.Second, "no response: connection refused (0 ms)",
		},
		"cut off": {failing{with: errors.New("cut off"), times: 9}, 1, 0, "no response: cut off (0 ms)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newForwarder("http://localhost:3000/hooks", webhookSecret)
				f.http.Transport = &c.transport
				begun := time.Now()
				got := f.post(t.Context(), "evt_1", []byte("{}"))
				if took := time.Since(begun); took != c.took || c.transport.sent != c.sent || !strings.Contains(got, c.want) {
					t.Errorf("got %q after %d requests and %v, want %q after %d and %v", got, c.transport.sent, took, c.want, c.sent,
						c.took)
				}
			})
		})
	}
}
