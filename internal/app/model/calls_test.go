package model_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"pgregory.net/rapid"
)

// send sends a request, and counts what becomes of it.
func (w *world) send(
	t *rapid.T, s *apptest.Service, method, target string, body []byte, headers ...string,
) *apptest.Answer {
	w.service.Clock.Advance(2 * time.Millisecond) // what is sorted by time must not be of the same
	w.acted = w.service.Clock.Now()
	answer, err := s.Try(method, target, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	w.surface.saw(method, target, answer.Status)
	return answer
}

// call sends a signed request of a partner.
func (w *world) call(t *rapid.T, p *apptest.Partner, method, target string, body []byte, key string) *apptest.Answer {
	w.service.Clock.Advance(2 * time.Millisecond)
	headers := p.Signed(method, target, body)
	if key != "" {
		headers = append(headers, "Idempotency-Key", key)
	}
	return w.logged(p, method, target, w.send(t, p.Service, method, target, body, headers...))
}

// logged notes a request of a partner, which may be in the request log.
func (w *world) logged(p *apptest.Partner, method, target string, answer *apptest.Answer) *apptest.Answer {
	path, _, _ := strings.Cut(target, "?")
	w.answered[answer.Header.Get("X-Request-Id")] = fmt.Sprint(p.PartnerID, " ", method, " ", path, " ", answer.Status)
	return answer
}

// operate sends a request of an operator.
func (w *world) operate(t *rapid.T, o *apptest.Operator, method, target, body string) *apptest.Answer {
	return w.send(t, o.Service, method, target, []byte(body), "Authorization", "Bearer "+o.Token)
}

// expect ends the test unless the answer has a status and, if it is an error, a code.
func expect(t *rapid.T, answer *apptest.Answer, status int, code string) {
	if answer.Status != status || answer.Code() != code {
		t.Fatalf("got %d %s, want %d %s: %s", answer.Status, answer.Code(), status, code, answer.Body)
	}
}

func cookieOf(answer *apptest.Answer) string {
	cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	return cookie
}

// pause lets the limits of sign-ins rest.
func (w *world) pause() { w.service.Clock.Advance(15 * time.Second) }

// signInAgain gives the operators new tokens, as those of before may expire.
func (w *world) signInAgain(t *testing.T) {
	w.service.Clock.Advance(time.Minute)
	for _, o := range []*apptest.Operator{w.admin, w.desk, w.books, w.warehouse, w.rider} {
		token := w.service.Do(t, "POST", "/ops/v1/tokens",
			[]byte(`{"email":"`+o.Email+`","password":"`+o.Password+`"}`)).Must(t, 201)
		o.Token, o.TokenID = token.Text("token"), token.Text("token_id")
		w.pause()
	}
}

// audited notes that the audit log must have got an entry.
func (w *world) audited(action string) { w.entries = append(w.entries, action) }

// skipAudit lets the audit log have any entries since it was compared.
func (w *world) skipAudit() { w.latest = "" }

// compareAudit compares the newest entries of the audit log with what was done since the
// last time: all of it is there, and nothing of what was refused.
func (w *world) compareAudit(t *rapid.T) {
	log := w.operate(t, w.admin, "GET", "/ops/v1/audit?limit=500", "")
	expect(t, log, 200, "")
	if w.latest != "" {
		for i := range w.entries {
			if got, want := log.Text("entries", i, "action"), w.entries[len(w.entries)-1-i]; got != want {
				t.Fatalf("got %s in the audit log, want the actions %v: %.3000s", got, w.entries, log.Body)
			}
		}
		if got := log.Text("entries", len(w.entries), "audit_id"); got != w.latest {
			t.Fatalf("got entries in the audit log besides %v: %.3000s", w.entries, log.Body)
		}
	}
	w.entries, w.latest = nil, log.Text("entries", 0, "audit_id")
}

// compare compares the stock, its movements and the audit log with the model, after every step.
func (w *world) compare(t *rapid.T) {
	w.compareAudit(t)
	for _, a := range w.accounts {
		products := w.call(t, a.partner, "GET", "/v1/inventory/products?limit=100", nil, "")
		expect(t, products, 200, "")
		for i := range products.Len("products") {
			if got := products.JSON("products", i, "quantity"); products.JSON("products", i, "product_id") == float64(a.lamp) &&
				got != float64(a.stock) {
				t.Fatalf("got a stock of %v, want %d: %s", got, a.stock, products.Body)
			}
		}
		movements := w.call(t, a.partner, "GET", "/v1/inventory/movements?limit=100", nil, "")
		expect(t, movements, 200, "")
		if got := movements.Len("movements"); got != min(a.movements, 100) {
			t.Fatalf("got %d movements, want %d: %s", got, a.movements, movements.Body)
		}
		w.compareBooks(t, a)
	}
	w.compareCash(t)
}
