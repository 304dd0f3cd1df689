package apptest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// Webhooks allows webhooks to addresses on this machine, where the receivers of
// tests are.
func Webhooks() Option {
	return func(c *config.Config, _ *app.Surroundings) { c.WebhookInsecure = true }
}

// Receiver is a partner's endpoint on this machine.
type Receiver struct {
	URL   string
	hooks chan *Hook

	mu     sync.Mutex
	answer func(*Hook) int // guarded by mu; nil answers 200
}

// Hook is a request that a receiver got. Its Status is the receiver's answer, which may have
// headers, and a text in place of the usual one.
type Hook struct {
	Answer
	Reply     http.Header
	ReplyText string
}

// NewReceiver starts a receiver that answers 200. It stops when the test ends.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{hooks: make(chan *Hook, 100_000)}
	server := httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(server.Close)
	r.URL = server.URL + "/hooks"
	return r
}

// Answers sets the function that chooses the status of further answers. The
// status 0 closes the connection without an answer.
func (r *Receiver) Answers(answer func(*Hook) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// Always returns a function that answers every request with the status.
func Always(status int) func(*Hook) int { return func(*Hook) int { return status } }

func (r *Receiver) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil || request.Method != http.MethodPost {
		panic(http.ErrAbortHandler)
	}
	hook := &Hook{
		Answer: Answer{Status: http.StatusOK, Header: request.Header, Body: body}, Reply: http.Header{},
		ReplyText: "the receiver's own words",
	}
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
	maps.Copy(w.Header(), hook.Reply)
	w.WriteHeader(hook.Status)
	_, _ = io.WriteString(w, hook.ReplyText)
}

// Next waits for the next request and returns it.
func (r *Receiver) Next(t testing.TB) *Hook {
	t.Helper()
	select {
	case hook := <-r.hooks:
		return hook
	case <-time.After(repeatable.Hang):
		t.Fatalf("no webhook arrived within %v", repeatable.Hang)
		return nil
	}
}

// NoneLeft fails the test if a request has arrived that Next has not returned. It
// does not wait for requests that may still arrive.
func (r *Receiver) NoneLeft(t testing.TB) {
	t.Helper()
	select {
	case hook := <-r.hooks:
		t.Errorf("got an unexpected webhook: %s", hook.Body)
	default:
	}
}

// Verifies reports whether the request passes the check of docs/contract.md, Webhooks:
// Drop-Signature without its prefix is the hex HMAC of the raw body under the secret.
func (h *Hook) Verifies(secret string) bool {
	digest := hmac.New(sha256.New, []byte(secret))
	digest.Write(h.Body)
	return strings.TrimPrefix(h.Header.Get("Drop-Signature"), "v1=") == hex.EncodeToString(digest.Sum(nil))
}

// VerifiesStandard reports whether the request passes the check of Standard
// Webhooks 1.0: one of its signatures is that of the secret.
func (h *Hook) VerifiesStandard(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	digest := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(digest, "%s.%s.%s", h.Header.Get("webhook-id"), h.Header.Get("webhook-timestamp"), h.Body)
	want := "v1," + base64.StdEncoding.EncodeToString(digest.Sum(nil))
	return err == nil && slices.Contains(strings.Split(h.Header.Get("webhook-signature"), " "), want)
}

// SetEndpoint sets the URL of a partner without an endpoint and returns the
// endpoint's secret.
func (p *Partner) SetEndpoint(t testing.TB, url string) (secret string) {
	t.Helper()
	return p.Call(t, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, url)).Must(t, 201).Text("secret")
}
