package apptest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

// Webhooks lets webhooks go to this machine, where receivers of tests are.
func Webhooks() Option {
	return func(c *config.Config, _ *app.Surroundings) { c.WebhookInsecure = true }
}

// waiting only bounds a test that has gone wrong.
const waiting = 30 * time.Second

// Receiver is a partner's endpoint on this machine.
type Receiver struct {
	URL   string
	hooks chan *Hook

	mu     sync.Mutex
	answer func(*Hook) int // guarded by mu; nil says 200
}

// Hook is one request that a receiver got. Its Status is what it answered.
type Hook struct{ Answer }

// NewReceiver starts a receiver that acknowledges everything. It ends with the
// test.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{hooks: make(chan *Hook, 100_000)}
	server := httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(server.Close)
	r.URL = server.URL + "/hooks"
	return r
}

// Answers lets a function say what is answered from now on. It gets the status
// 0 for nothing, and breaks the connection.
func (r *Receiver) Answers(answer func(*Hook) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// Always is an answer for all.
func Always(status int) func(*Hook) int { return func(*Hook) int { return status } }

func (r *Receiver) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil || request.Method != http.MethodPost {
		panic(http.ErrAbortHandler)
	}
	hook := &Hook{Answer{Status: http.StatusOK, Header: request.Header, Body: body}}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		hook.Status = answer(hook)
	}
	r.hooks <- hook
	if hook.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(hook.Status)
	_, _ = io.WriteString(w, "the receiver's own words")
}

// Next waits for the next request.
func (r *Receiver) Next(t testing.TB) *Hook {
	t.Helper()
	select {
	case hook := <-r.hooks:
		return hook
	case <-time.After(waiting):
		t.Fatal("no webhook came")
		return nil
	}
}

// Nothing fails the test if there is a request that Next has not given. It says
// nothing of those still to come.
func (r *Receiver) Nothing(t testing.TB) {
	t.Helper()
	select {
	case hook := <-r.hooks:
		t.Errorf("one webhook too many: %s", hook.Body)
	default:
	}
}

// Fits is the check of interface section 6: without the prefix, Drop-Signature
// is the hex HMAC of the raw body under the secret.
func (h *Hook) Fits(secret string) bool {
	digest := hmac.New(sha256.New, []byte(secret))
	digest.Write(h.Body)
	return strings.TrimPrefix(h.Header.Get("Drop-Signature"), "v1=") == hex.EncodeToString(digest.Sum(nil))
}

// FitsStandard is the check of Standard Webhooks 1.0: one of the signatures
// fits.
func (h *Hook) FitsStandard(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	digest := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(digest, "%s.%s.%s", h.Header.Get("webhook-id"), h.Header.Get("webhook-timestamp"), h.Body)
	want := "v1," + base64.StdEncoding.EncodeToString(digest.Sum(nil))
	return err == nil && slices.Contains(strings.Split(h.Header.Get("webhook-signature"), " "), want)
}

// SetEndpoint gives the partner an endpoint, which is new, and tells its secret.
func (p *Partner) SetEndpoint(t testing.TB, url string) (secret string) {
	t.Helper()
	return p.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, url)).Must(t, 201).Text("secret")
}

// Until asks the database until the rows are these: what a receiver has answered
// is written a little later.
func (s *Service) Until(t testing.TB, query string, want ...string) {
	t.Helper()
	var found []string
	for began := time.Now(); time.Since(began) < waiting; {
		if found = s.Query(t, query); slices.Equal(found, want) {
			return
		}
	}
	t.Fatalf("%s: %q, want %q", query, found, want)
}
