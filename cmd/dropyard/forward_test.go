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

// failing is a transport on which the first requests fail. It needs no network,
// so that a bubble's clock runs.
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

// TestForwardTriesAgainOnlyIfNobodyListens: a receiver that is restarted gets
// its event, and what has perhaps arrived is not sent twice.
func TestForwardTriesAgainOnlyIfNobodyListens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transport failing
		sent      int
		took      time.Duration
		told      string
	}{
		"there":            {failing{}, 1, 0, "200 OK (0 ms)"},
		"there in a while": {failing{with: syscall.ECONNREFUSED, times: 2}, 3, time.Second, "200 OK (0 ms)"},
		"not there":        {failing{with: syscall.ECONNREFUSED, times: 9}, 3, time.Second, "no answer: connection refused (0 ms)"},
		"cut off":          {failing{with: errors.New("cut off"), times: 9}, 1, 0, "no answer: cut off (0 ms)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newForwarder("http://localhost:3000/hooks", webhookSecret)
				f.http.Transport = &c.transport
				begun := time.Now()
				told := f.post(t.Context(), "evt_1", []byte("{}"))
				if took := time.Since(begun); took != c.took || c.transport.sent != c.sent || !strings.Contains(told, c.told) {
					t.Errorf("%q after %d requests and %v", told, c.transport.sent, took)
				}
			})
		})
	}
}
