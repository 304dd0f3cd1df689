package app_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestSecurityEvents causes each event once, and expects one line that holds ids but
// nothing that was typed.
func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	reader := p.NewKey(t, "read")
	owner := p.Owner(t)
	const typed = "typed-by-mistake"
	login := func(email string) {
		s.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, typed)).Refused(t, 401,
			"unauthorized")
	}
	call := func(status int, headers ...string) {
		t.Helper()
		s.Do(t, "GET", "/v1/orders", nil, headers...).Must(t, status)
	}
	signed := p.Signed("GET", "/v1/orders", nil)
	unknown, forged := slices.Clone(signed), slices.Clone(signed)
	unknown[1], forged[5] = typed, forged[5][:len(forged[5])-1]+"x"
	cause := map[securitylog.Event]func(){
		securitylog.SignInFailed:        func() { login(p.Email) },
		securitylog.SignatureUnknownKey: func() { call(401, unknown...) },
		securitylog.SignatureForged:     func() { call(401, forged...) },
		securitylog.SignatureStale: func() {
			call(401, p.SignedAt(s.Clock.Now().Add(-time.Hour), "GET", "/v1/orders", nil)...)
		},
		securitylog.SignatureReplayed: func() {
			endpoint := []byte(`{"url":"https://hooks.example.com"}`)
			recorded := p.SignedV2("PUT", "/v1/webhooks/endpoint", endpoint, "0123456789abcdef")
			s.Do(t, "PUT", "/v1/webhooks/endpoint", endpoint, recorded...).Must(t, 201)
			s.Do(t, "PUT", "/v1/webhooks/endpoint", endpoint, recorded...).Refused(t, 401, "unauthorized")
		},
		securitylog.SignatureWeak: func() { call(401, requiring(t, p).Signed("GET", "/v1/orders", nil)...) },
		securitylog.AccessRefused: func() { reader.Create(t, testkit.OrderJSON("A-1", "")).Refused(t, 403, "forbidden") },
		securitylog.CrossSiteRefused: func() {
			s.Do(t, "POST", "/v1/auth/api-keys", nil, "Cookie", owner.Cookie, "Sec-Fetch-Site", "cross-site").Refused(t, 403,
				"forbidden")
		},
		securitylog.LinkRefused: func() { s.Do(t, "GET", "/portal/reset/"+typed, nil).Must(t, 404) },
		securitylog.SignInThrottled: func() {
			for range 12 {
				s.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":"nobody@example.com","password":%q}`, typed))
			}
		},
	}
	for _, event := range securitylog.Events {
		if do := cause[event]; do != nil {
			do()
		}
	}
	s.Stop()
	log := s.Log.String()
	if strings.Contains(log, typed) || strings.Contains(log, p.Email) {
		t.Errorf("got a log that holds what was typed:\n%s", log)
	}
	for event := range cause {
		if !strings.Contains(log, `msg="security event" event=`+string(event)+" address=127.0.0.1 ") {
			t.Errorf("got no line of %s:\n%s", event, log)
		}
	}
	for _, want := range []string{
		"event=signature_forged address=127.0.0.1 key_id=" + p.KeyID, "event=access_refused address=127.0.0.1 key_id=" +
			reader.KeyID,
		"event=sign_in_failed address=127.0.0.1 accounts=partner person_id=" + owner.UserID,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("got no line with %q:\n%s", want, log)
		}
	}
}

// TestSecurityEventsAreDocumented compares the table with the events.
func TestSecurityEventsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Security events\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var got []securitylog.Event
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
		got = append(got, securitylog.Event(row[1]))
	}
	if !slices.Equal(got, securitylog.Events) {
		t.Errorf("docs/security.md: got the events %q, want %q", got, securitylog.Events)
	}
	if perSecond := fmt.Sprintf("at most %d lines a", securitylog.PerSecond); !strings.Contains(section, perSecond) {
		t.Errorf("docs/security.md: got no %q", perSecond)
	}
}
