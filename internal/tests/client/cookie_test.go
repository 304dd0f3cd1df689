package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dropyard/dropyard/client"
)

// TestSessionBehindHTTPS logs in to a service that is served over HTTPS, whose cookies
// have a prefix.
func TestSessionBehindHTTPS(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const name = "__Host-dropyard_session"
		if cookie, err := r.Cookie(name); r.URL.Path == "/v1/auth/me" && (err != nil || cookie.Value != "abc") {
			w.WriteHeader(http.StatusUnauthorized)
		}
		w.Header().Set("Set-Cookie", name+"=abc; Path=/; Secure; HttpOnly")
		_, _ = w.Write([]byte(`{"partner_id":"par_1"}`))
	}))
	defer server.Close()
	session, err := client.NewService(server.URL).Login(t.Context(),
		client.LoginRequest{Email: "shop@example.com", Password: "seven maple trees"})
	if err != nil || session.Cookie != "abc" {
		t.Fatalf("got the session %+v (%v), want the cookie abc", session, err)
	}
	if me, err := session.GetMe(t.Context()); err != nil || me.PartnerID != "par_1" {
		t.Errorf("got %+v (%v), want the partner", me, err)
	}
}
