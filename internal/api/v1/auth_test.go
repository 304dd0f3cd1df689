package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

const (
	registration = `{"name":"Librairie du Port","email":"Tech@librairie.example","password":"brume-et-goelands-1907"}`
	credentials  = `{"email":"tech@librairie.example","password":"brume-et-goelands-1907"}`
)

// login returns the Cookie header of a new session.
func login(t *testing.T, s *apptest.Service) string {
	t.Helper()
	answer := s.Do(t, "POST", "/v1/auth/login", []byte(credentials)).Must(t, 200)
	cookies, err := http.ParseSetCookie(answer.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	return cookies.Name + "=" + cookies.Value
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	answer := s.Do(t, "POST", "/v1/auth/register", []byte(registration)).Must(t, 201)
	if !strings.HasPrefix(answer.Text("partner_id"), "par_") || answer.Text("email") != "Tech@librairie.example" ||
		answer.JSON("password") != nil {
		t.Errorf("register: got %s, want an id and the e-mail address as sent, without the password", answer.Body)
	}
	for name, c := range map[string]struct{ body, code, field string }{
		"e-mail taken": {strings.Replace(registration, "Tech", "TECH", 1), "email_taken", ""},
		"nothing":      {`{}`, "validation_error", "name"},
		"short":        {strings.Replace(registration, "brume-et-goelands-1907", "brume", 1), "validation_error", "password"},
		"common": {strings.Replace(registration, "brume-et-goelands-1907", "Password1",
			1), "validation_error", "password"},
		"no object": {`[]`, "validation_error", ""},
		"no JSON":   {`{`, "bad_request", ""},
	} {
		answer := s.Do(t, "POST", "/v1/auth/register", []byte(c.body)).Must(t, 400)
		if answer.Code() != c.code || answer.Text("error", "details", "field") != c.field || answer.Text("request_id") == "" {
			t.Errorf("%s: got %s, want code %q and field %q", name, answer.Body, c.code, c.field)
		}
		if strings.Contains(string(answer.Body), "Password1") {
			t.Errorf("%s: the response contains the password: %s", name, answer.Body)
		}
	}
}

func TestSessionOverHTTP(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Do(t, "POST", "/v1/auth/register", []byte(registration)).Must(t, 201)
	s.Do(t, "POST", "/v1/auth/login", []byte(`{"email":"tech@librairie.example"}`)).Must(t, 422)
	wrong := s.Do(t, "POST", "/v1/auth/login", []byte(`{"email":"tech@librairie.example","password":"x"}`)).Must(t, 401)
	if wrong.Code() != "unauthorized" || wrong.Header.Get("Set-Cookie") != "" {
		t.Errorf("wrong password: got %s with %v, want unauthorized without a cookie", wrong.Body, wrong.Header)
	}
	in := s.Do(t, "POST", "/v1/auth/login", []byte(credentials)).Must(t, 200)
	cookie := in.Header.Get("Set-Cookie")
	for _, part := range []string{"dropyard_session=", "; Path=/", "; HttpOnly", "; SameSite=Lax"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q lacks %q", cookie, part)
		}
	}
	if strings.Contains(cookie, "Secure") || strings.Contains(cookie, "Max-Age") {
		t.Errorf("got the cookie %q over http, want neither Secure nor Max-Age", cookie)
	}
	session := login(t, s)
	me := s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", session).Must(t, 200)
	if string(me.Body) != string(in.Body) {
		t.Errorf("GET /v1/auth/me: got %s, want what the login returned: %s", me.Body, in.Body)
	}
	for _, method := range []string{"POST", "GET"} {
		out := s.Do(t, method, "/v1/auth/logout", nil, "Cookie", session).Must(t, 200)
		if string(out.Body) != `{"logged_out":true}` || !strings.Contains(out.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("%s logout: got %s with %v, want logged_out and the cookie deleted", method, out.Body, out.Header)
		}
		s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", session).Must(t, 401)
	}
	s.Do(t, "POST", "/v1/auth/logout", nil).Must(t, 200)
	s.Do(t, "GET", "/v1/auth/me", nil).Must(t, 401)
	last := login(t, s)
	s.Clock.Advance(12 * time.Hour)
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", last).Must(t, 401)
}

func TestKeysByBodyHeadersAndSession(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Do(t, "POST", "/v1/auth/register", []byte(registration)).Must(t, 201)
	headers := []string{"X-Partner-Email", "tech@LIBRAIRIE.example", "X-Partner-Password", "brume-et-goelands-1907"}
	session := []string{"Cookie", login(t, s)}
	byBody := s.Do(t, "POST", "/v1/auth/api-keys",
		[]byte(strings.Replace(credentials, "{", `{"name":"by body",`, 1))).Must(t, 201)
	byHeaders := s.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"by headers"}`), headers...).Must(t, 201)
	bySession := s.Do(t, "POST", "/v1/auth/api-keys", nil, session...).Must(t, 201)
	if bySession.JSON("name") != "" || !strings.HasPrefix(bySession.Text("secret_key"), "sk_") ||
		!strings.HasPrefix(bySession.Text("public_key"), "pk_") {
		t.Errorf("create: got %s, want an empty name, a public and a secret key", bySession.Body)
	}
	list := s.Do(t, "GET", "/v1/auth/api-keys", nil, headers...).Must(t, 200)
	if list.JSON("count") != 3.0 || list.JSON("api_keys", 2) == nil || strings.Contains(string(list.Body), "sk_") ||
		strings.Contains(string(list.Body), "secret") {
		t.Errorf("list: got %s, want three keys without their secrets", list.Body)
	}
	if object, _ := list.JSON("api_keys", 0).(map[string]any); object["last_used_at"] != nil || len(object) != 10 {
		t.Errorf("a key never used: got %v, want ten members with last_used_at null", object)
	}
	for _, revoke := range []struct {
		key *apptest.Answer
		as  []string
	}{{byBody, headers}, {byHeaders, session}} {
		id := revoke.key.Text("key_id")
		gone := s.Do(t, "DELETE", "/v1/auth/api-keys/"+id, nil, revoke.as...).Must(t, 200)
		if string(gone.Body) != fmt.Sprintf(`{"key_id":%q,"revoked":true}`, id) {
			t.Errorf("revoke %s: got %s", id, gone.Body)
		}
		s.Do(t, "DELETE", "/v1/auth/api-keys/"+id, nil, revoke.as...).Must(t, 404)
	}
	if list := s.Do(t, "GET", "/v1/auth/api-keys", nil, session...).Must(t, 200); list.JSON("count") != 1.0 {
		t.Errorf("list after revoking two of three keys: got %s, want one", list.Body)
	}
}

func TestKeysNeedTheAccountsCredentials(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	mine, yours := s.Register(t, "mine"), s.Register(t, "yours")
	s.Do(t, "DELETE", "/v1/auth/api-keys/"+mine.KeyID, nil, "X-Partner-Email", yours.Email, "X-Partner-Password",
		yours.Password).Must(t, 404)
	for _, headers := range [][]string{
		nil,
		{"Cookie", "dropyard_session=made-up"},
		{"X-Partner-Email", mine.Email},
		{"X-Partner-Email", mine.Email, "X-Partner-Password", yours.Password},
	} {
		s.Do(t, "GET", "/v1/auth/api-keys", nil, headers...).Must(t, 401)
		s.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":7}`), headers...).Must(t, 401)
		s.Do(t, "DELETE", "/v1/auth/api-keys/"+mine.KeyID, nil, headers...).Must(t, 401)
	}
	mine.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	s.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":7}`), "X-Partner-Email", mine.Email, "X-Partner-Password",
		mine.Password).Must(t, 422)
}

func TestUsedAndRevokedKeys(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	account := []string{"X-Partner-Email", p.Email, "X-Partner-Password", p.Password}
	s.Do(t, "GET", "/v1/orders", nil, "X-Api-Key", p.PublicKey, "X-Timestamp", "1", "X-Signature", "v1=00").Must(t, 401)
	list := s.Do(t, "GET", "/v1/auth/api-keys", nil, account...)
	if list.JSON("api_keys", 0, "last_used_at") != nil {
		t.Errorf("after a request with a wrong signature: got %s, want last_used_at null", list.Body)
	}
	p.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	list = s.Do(t, "GET", "/v1/auth/api-keys", nil, account...)
	if list.Text("api_keys", 0, "last_used_at") != timestamp.Format(s.Clock.Now()) {
		t.Errorf("after a signed request: got %s, want last_used_at %s", list.Body, timestamp.Format(s.Clock.Now()))
	}
	s.Do(t, "DELETE", "/v1/auth/api-keys/"+p.KeyID, nil, account...).Must(t, 200)
	refused := p.Call(t, "GET", "/v1/orders", nil).Must(t, 401)
	if refused.Text("error", "details", "reason") != "unknown_key" {
		t.Errorf("a revoked key: got %s, want the reason unknown_key", refused.Body)
	}
}

func TestFailedLoginsAreThrottled(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Do(t, "POST", "/v1/auth/register", []byte(registration)).Must(t, 201)
	for range 5 {
		s.Do(t, "POST", "/v1/auth/login", []byte(`{"email":"tech@librairie.example","password":"x"}`)).Must(t, 401)
		s.Do(t, "GET", "/v1/auth/api-keys", nil, "X-Partner-Email", "Tech@librairie.example", "X-Partner-Password",
			"x").Must(t, 401)
	}
	refused := s.Do(t, "POST", "/v1/auth/login", []byte(credentials)).Must(t, 429)
	if refused.Code() != "rate_limited" || refused.Header.Get("Retry-After") != "60" {
		t.Errorf("after 10 failures: got %s with Retry-After %q, want rate_limited with 60", refused.Body,
			refused.Header.Get("Retry-After"))
	}
	s.Clock.Advance(time.Minute)
	s.Do(t, "POST", "/v1/auth/login", []byte(credentials)).Must(t, 200)
}

// A page of another site must not be able to use the session of a partner who is
// logged in here.
func TestOtherSitesCannotUseTheSession(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Do(t, "POST", "/v1/auth/register", []byte(registration)).Must(t, 201)
	session := login(t, s)
	s.Do(t, "POST", "/v1/auth/api-keys", nil, "Cookie", session, "Sec-Fetch-Site", "cross-site").Must(t, 403)
	s.Do(t, "POST", "/v1/auth/api-keys", nil, "Cookie", session, "Origin", "https://evil.example").Must(t, 403)
	s.Do(t, "POST", "/v1/auth/api-keys", nil, "Cookie", session, "Sec-Fetch-Site", "same-origin").Must(t, 201)
}
