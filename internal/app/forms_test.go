package app_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestFormCountsOnceWhenClientsHangUp sends the form that makes a key again and again, and
// hangs up without waiting for the answer, as a browser does whose user clicks twice.
func TestFormCountsOnceWhenClientsHangUp(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	const path = "/portal/start?mode=test"
	form := owner.Open(t, path).Must(t, http.StatusOK).Form(t, path)
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		conn, err := net.Dial("tcp", target.Host)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, target.Host, owner.Cookie, len(form), form)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	last := owner.Do(t, "POST", path, form, "Cookie", owner.Cookie, "Content-Type", "application/x-www-form-urlencoded")
	if last.Status != http.StatusOK && last.Status != http.StatusConflict {
		t.Errorf("got status %d, want the secret, or that it was shown: %s", last.Status, last.Body)
	}
	keys := owner.Call(t, "GET", "/v1/auth/api-keys", nil).Must(t, http.StatusOK)
	if got := keys.Len("api_keys"); got != 2 {
		t.Errorf("got %d keys, want the one of the registration and one of the form: %s", got, keys.Body)
	}
}

// TestPortalHasARateOfItsOwn: neither do people use up the rate of their programs, nor
// programs that of the people who could stop them.
func TestPortalHasARateOfItsOwn(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.RateLimit(5))
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	for i := range 6 {
		want := http.StatusOK
		if i == 5 {
			want = http.StatusTooManyRequests
		}
		owner.Open(t, "/portal/keys").Must(t, want)
	}
	for range 5 {
		metro.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)
	}
	metro.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusTooManyRequests)
	metro.As(t, "developer").Open(t, "/portal/keys").Must(t, http.StatusOK)
}

// TestSignOutWhenStrangersHaveUsedUpTheLimit lets people leave whatever others on their
// network have sent.
func TestSignOutWhenStrangersHaveUsedUpTheLimit(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.StrangerLimit(1))
	owner := s.Register(t, "metro").Owner(t)
	s.Do(t, "POST", "/v1/auth/reset", []byte(`{"email":"a@example.com"}`)).Must(t, http.StatusTooManyRequests)
	s.Do(t, "POST", "/portal/logout", nil, "Cookie", owner.Cookie).Must(t, http.StatusSeeOther)
	owner.Call(t, "GET", "/v1/auth/me", nil).Refused(t, http.StatusUnauthorized, "unauthorized")
}

// TestDemoAnswersToThisMachineOnly refuses requests that name another host, as those of a
// page whose name was made to resolve to a loopback address.
func TestDemoAnswersToThisMachineOnly(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	demo, plain := apptest.Start(t, apptest.Demo(&printed)), apptest.Start(t)
	for _, c := range []struct {
		service *apptest.Service
		host    string
		want    int
	}{
		{demo, "", http.StatusOK}, {
			demo, "localhost:8080", http.StatusOK,
		}, {demo, "evil.example", http.StatusMisdirectedRequest},
		{demo, "127.0.0.1.evil.example:8080", http.StatusMisdirectedRequest}, {plain, "dropyard.example", http.StatusOK},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.service.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("host %q: got %s, want %d", c.host, response.Status, c.want)
		}
	}
}
