package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestRegistrationMakesTheOwner registers an account, which is one partner and one
// user, and logs in.
func TestRegistrationMakesTheOwner(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	in := s.Do(t, "POST", "/v1/auth/login", login, "User-Agent", strings.Repeat("é", 300)).Must(t, 200)
	want := fmt.Sprintf(`{"partner_id":%q,"name":"metro","email":"metro@example.com","created_at":"2026-01-14T15:00:00.000Z",`+
		`"user":{"user_id":%q,"email":"metro@example.com","name":"metro","role":"owner"}}`, p.PartnerID, in.Text("user", "user_id"))
	if string(in.Body) != want {
		t.Errorf("login: got %s, want %s", in.Body, want)
	}
	rows := s.Query(t, "SELECT p.partner_id, u.user_id, u.role FROM partners AS p LEFT JOIN users AS u ON u.partner_id = p.partner_id")
	if want := p.PartnerID + " " + in.Text("user", "user_id") + " owner"; len(rows) != 1 || rows[0] != want {
		t.Errorf("stored: got %q, want %q", rows, want)
	}
	if agents := s.Query(t, "SELECT agent FROM sessions"); len(agents) != 1 || agents[0] != strings.Repeat("é", 200) {
		t.Errorf("stored agents: got %q, want the first 200 characters", agents)
	}
	s.Do(t, "POST", "/v1/auth/register", []byte(`{"name":"x","email":"METRO@example.com","password":"brume-et-vent"}`)).Refused(t, 400, "email_taken")
	if left := s.Query(t, "SELECT count(*) FROM partners"); left[0] != "1" {
		t.Errorf("after a refused registration: got %s partners, want 1", left[0])
	}
}

// TestRolesOverHTTP lets people of one partner try what only some of them may do.
func TestRolesOverHTTP(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	clerk, developer := p.As(t, "clerk"), p.As(t, "developer")
	refused := clerk.Call(t, "POST", "/v1/auth/api-keys", nil).Refused(t, 403, "forbidden")
	if got := refused.Text("error", "message"); got != "the role clerk may not do this" {
		t.Errorf("a clerk creates a key: got message %q, want one that names the role", got)
	}
	s.Do(t, "DELETE", "/v1/auth/api-keys/"+p.KeyID, nil, clerk.Login()...).Refused(t, 403, "forbidden")
	clerk.Call(t, "PUT", "/v1/webhooks/endpoint", []byte(`{"url":"https://shop.example/hook"}`)).Refused(t, 403, "forbidden")
	if stored := s.Query(t, "SELECT url FROM webhook_endpoints"); len(stored) != 0 {
		t.Errorf("after a refusal: got the endpoint %q, want none", stored)
	}
	p.Call(t, "GET", "/v1/orders", nil).Must(t, 200) // the key still works
	developer.Call(t, "POST", "/v1/auth/api-keys", nil).Must(t, 201)
	developer.Call(t, "DELETE", "/v1/auth/api-keys/"+p.KeyID, nil).Must(t, 200)
	if got := clerk.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200); got.Text("user", "role") != "clerk" || got.Text("partner_id") != p.PartnerID {
		t.Errorf("me: got %s, want the clerk of %s", got.Body, p.PartnerID)
	}
}
