package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRegistrationMakesTheOwner registers an account, which is one partner and one
// user, and logs in.
func TestRegistrationMakesTheOwner(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	in := s.Do(t, "POST", "/v1/auth/login", login, "User-Agent", strings.Repeat("é", 300)).Must(t, 200)
	want := fmt.Sprintf(
		`{"partner_id":%q,"name":"metro","email":"metro@example.com","created_at":"2026-01-14T15:00:00.000Z",`+
			`"user":{"user_id":%q,"email":"metro@example.com","name":"metro","role":"owner","email_confirmed":true}}`,
		p.PartnerID, in.Text("user", "user_id"),
	)
	if string(in.Body) != want {
		t.Errorf("login: got %s, want %s", in.Body, want)
	}
	rows := s.Query(t,
		"SELECT p.partner_id, u.user_id, u.role FROM partners AS p LEFT JOIN users AS u ON u.partner_id = p.partner_id")
	if want := p.PartnerID + " " + in.Text("user", "user_id") + " owner"; len(rows) != 1 || rows[0] != want {
		t.Errorf("stored: got %q, want %q", rows, want)
	}
	if agents := s.Query(t, "SELECT agent FROM sessions"); len(agents) != 1 || agents[0] != strings.Repeat("é", 200) {
		t.Errorf("stored agents: got %q, want the first 200 characters", agents)
	}
	s.Do(t, "POST", "/v1/auth/register",
		[]byte(`{"name":"x","email":"METRO@example.com","password":"brume-et-vent"}`)).Refused(t, 400, "email_taken")
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
	clerk.Call(t, "PUT", "/v1/webhooks/endpoint", []byte(`{"url":"https://shop.example/hook"}`)).Refused(t, 403,
		"forbidden")
	if stored := s.Query(t, "SELECT url FROM webhook_endpoints"); len(stored) != 0 {
		t.Errorf("after a refusal: got the endpoint %q, want none", stored)
	}
	p.Call(t, "GET", "/v1/orders", nil).Must(t, 200) // the key still works
	developer.Call(t, "POST", "/v1/auth/api-keys", nil).Must(t, 201)
	developer.Call(t, "DELETE", "/v1/auth/api-keys/"+p.KeyID, nil).Must(t, 200)
	if got := clerk.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200); got.Text("user", "role") != "clerk" ||
		got.Text("partner_id") != p.PartnerID {
		t.Errorf("me: got %s, want the clerk of %s", got.Body, p.PartnerID)
	}
}

// TestScopesOverHTTP signs requests with a key that may only read, on the node that
// made it and on another one.
func TestScopesOverHTTP(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	reader := p.NewKey(t, "read")
	refused := reader.Create(t, testkit.OrderJSON("A-1", "")).Refused(t, 403, "forbidden")
	if got := refused.Text("error", "message"); got != "the scopes of this API key (read) do not permit this" {
		t.Errorf("an order: got message %q, want one that names the scopes", got)
	}
	if orders := reader.Call(t, "GET", "/v1/orders", nil).Must(t, 200); orders.JSON("count") != 0.0 {
		t.Errorf("after a refused order: got %s, want no order", orders.Body)
	}
	if used := s.Query(t, "SELECT count(*) FROM idempotency_keys"); used[0] != "0" {
		t.Errorf("after a refused order: got %s idempotency keys, want none", used[0])
	}
	if s.Database == "" {
		return // the embedded database belongs to one node
	}
	reader.Service = s.Beside(t)
	reader.Create(t, testkit.OrderJSON("A-1", "")).Refused(t, 403, "forbidden")
	reader.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// TestKeysShowWhoMadeThem creates and revokes keys as people of a partner, and reads
// who did it from the list and from the audit log.
func TestKeysShowWhoMadeThem(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	developer, admin := p.As(t, "developer"), s.Operate(t)
	made := developer.Call(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"till","scopes":["read","orders"]}`)).Must(t,
		201)
	keyID := made.Text("key_id")
	const scopes = `"scopes":["orders","read"],"mode":"live"`
	creator := fmt.Sprintf(`"created_by":{"user_id":%q,"name":"developer"},`, developer.UserID)
	listed := s.Do(t, "GET", "/v1/auth/api-keys", nil, p.Login()...).Must(t, 200)
	for _, answer := range []*apptest.Answer{made, listed} {
		if !strings.Contains(string(answer.Body), creator+scopes) {
			t.Errorf("got %s, want %s%s", answer.Body, creator, scopes)
		}
	}
	s.Do(t, "DELETE", "/v1/auth/api-keys/"+keyID, nil, p.Login()...).Must(t, 200)
	log := admin.Call(t, "GET", "/ops/v1/audit?object_id="+keyID, nil).Must(t, 200)
	facts := fmt.Sprintf(`{"name":"till","public_key":%q,%s,"require_v2":false}`, made.Text("public_key"), scopes)
	for i, want := range []string{
		fmt.Sprintf(`"action":"api_key.revoked","partner_id":%q,"object_id":%q,"before":%s,"after":null`, p.PartnerID, keyID,
			facts),
		fmt.Sprintf(`"operator_id":%q,"request_id":%q,"action":"api_key.created","partner_id":%q,"object_id":%q,"before":null,"after":%s`,
			developer.UserID, made.Header.Get("X-Request-Id"), p.PartnerID, keyID, facts),
	} {
		if log.Len("entries") != 2 || !strings.Contains(string(log.Body), want) {
			t.Errorf("entry %d: got %s, want %s", i, log.Body, want)
		}
	}
}

// TestOwnerHasTheirName: who registers an account may give a name of their own, which every answer has that
// names people; without it, the owner has that of the account.
func TestOwnerHasTheirName(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	body := `{"name":"Librairie Nord","person_name":"Léa Nord","email":"nord@example.com","password":"quai-de-nuit-1907"}`
	made := s.Do(t, "POST", "/v1/auth/register", []byte(body)).Must(t, 201)
	if made.Text("name") != "Librairie Nord" || strings.Contains(string(made.Body), "Léa") {
		t.Errorf("registered: got %s, want the account as it was answered before", made.Body)
	}
	in := s.Do(t, "POST", "/v1/auth/login", []byte(`{"email":"nord@example.com","password":"quai-de-nuit-1907"}`)).Must(t, 200)
	if in.Text("name") != "Librairie Nord" || in.Text("user", "name") != "Léa Nord" {
		t.Errorf("logged in: got %s, want the user Léa Nord of Librairie Nord", in.Body)
	}
	for name, person := range map[string]string{"empty": `""`, "number": "7"} {
		body := strings.NewReplacer(`"Léa Nord"`, person, "nord@", name+"@").Replace(body)
		refused := s.Do(t, "POST", "/v1/auth/register", []byte(body)).Refused(t, 400, "validation_error")
		if got := refused.Text("error", "details", "field"); got != "person_name" {
			t.Errorf("%s: got %s, want it refused at person_name", name, refused.Body)
		}
	}
}
