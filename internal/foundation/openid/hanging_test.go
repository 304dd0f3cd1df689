package openid

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const hangingIssuer = "https://login.example.com"

// hanging is a provider that describes itself, or hangs until its caller leaves.
type hanging struct {
	hangs atomic.Bool
	asked atomic.Int64
}

func (h *hanging) RoundTrip(request *http.Request) (*http.Response, error) {
	h.asked.Add(1)
	if h.hangs.Load() {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	body := fmt.Sprintf(`{"issuer":%q,"authorization_endpoint":"%s/a","token_endpoint":"%s/t","jwks_uri":"%s/k"}`,
		hangingIssuer, hangingIssuer, hangingIssuer, hangingIssuer)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: request,
	}, nil
}

// TestHangingProvider begins sign-ins while the provider hangs: callers wait for the same
// answer, then get refusals without waiting, and once there is a description never wait.
func TestHangingProvider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := &hanging{}
		provider.hangs.Store(true)
		client := newClient(t, hangingIssuer)
		client.http.Transport = provider
		begin := func(name string, wait time.Duration, begins bool) {
			start := time.Now()
			_, err := client.Begin(t.Context(), "")
			if took := time.Since(start); took != wait {
				t.Errorf("%s: got an answer after %s, want %s", name, took, wait)
			}
			if begins != (err == nil) || err != nil && !refusal.HasCode(err, refusal.CodeUnavailable) {
				t.Errorf("%s: got error %v, want none: %t", name, err, begins)
			}
		}
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() { begin("first callers", answerTimeout, false) })
		}
		callers.Wait()
		begin("after a failure", 0, false)
		if asked := provider.asked.Load(); asked != 1 {
			t.Errorf("got %d requests, want 1", asked)
		}
		time.Sleep(retryAfter)
		provider.hangs.Store(false)
		begin("described", 0, true)
		time.Sleep(describedFor)
		provider.hangs.Store(true)
		begin("an old description", 0, true)
		begin("while it is renewed", 0, true)
		time.Sleep(answerTimeout)
		synctest.Wait()
		if asked := provider.asked.Load(); asked != 3 {
			t.Errorf("got %d requests, want 3", asked)
		}
	})
}

// TestFinishEndsInTime ends a sign-in at a provider that hangs.
func TestFinishEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		provider := &hanging{}
		client := newClient(t, hangingIssuer)
		client.http.Transport = provider
		begun, err := client.Begin(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		address, err := url.Parse(begun.URL)
		if err != nil {
			t.Fatal(err)
		}
		provider.hangs.Store(true)
		start := time.Now()
		_, _, err = client.Finish(t.Context(), begun.Ticket,
			url.Values{"code": {"1"}, "state": {address.Query().Get("state")}})
		if took := time.Since(start); took != answerTimeout || !refusal.HasCode(err, refusal.CodeUnavailable) {
			t.Errorf("got %v after %s, want unavailable after %s", err, took, answerTimeout)
		}
	})
}
