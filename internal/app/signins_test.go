package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit"
)

// statuses counts answers by their status.
type statuses struct {
	mu    sync.Mutex
	count map[int]int // guarded by mu
}

func (s *statuses) add(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == nil {
		s.count = map[int]int{}
	}
	s.count[status]++
}

// TestSignInsAttack logs in to one account over four connections with the right
// password. "go run ./bench attack sign-ins" measures what others see of it.
func TestSignInsAttack(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro") // its key took a sign-in
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	var got statuses
	var mu sync.Mutex
	var cookies []string // guarded by mu
	var attack sync.WaitGroup
	for range 4 {
		attack.Go(func() {
			for range 17 {
				answer := s.Do(t, "POST", "/v1/auth/login", login)
				got.add(answer.Status)
				if cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";"); cookie != "" {
					mu.Lock()
					cookies = append(cookies, cookie)
					mu.Unlock()
				}
				if wait := answer.Header.Get("Retry-After"); answer.Status == 429 && wait != "1" {
					t.Errorf("got Retry-After %q, want 1", wait)
				}
			}
		})
	}
	attack.Wait()
	// In each further slot, one more may be checked at the same time as the last.
	if got.count[200] < 59 || got.count[200] > 62 || got.count[200]+got.count[429] != 68 {
		t.Errorf("68 logins with the right password: got %v, want 59 admitted, and the others 429", got.count)
	}
	s.Do(t, "GET", "/v1/auth/api-keys", nil, p.Login()...).Refused(t, 429, "rate_limited")
	valid := 0
	for _, cookie := range cookies {
		if s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", cookie).Status == 200 {
			valid++
		}
	}
	if valid != credential.MaxSessions {
		t.Errorf("got %d sessions that are valid, want %d", valid, credential.MaxSessions)
	}
	p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
}

// TestGuessesLeaveRoom guesses passwords from 60 addresses that have failed before.
// Their attempts may not fill the queue: another user gets in.
func TestGuessesLeaveRoom(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config, world *app.Surroundings) {
		c.TrustedProxies = []string{"127.0.0.0/8"}
		slow := credential.Cost{Memory: 2 << 10, Passes: 2, Lanes: 1}
		world.Hasher = credential.NewHasher(slow, world.Random).Hurry()
	})
	p := s.Register(t, "metro")
	guess := func(address int) int {
		body := fmt.Appendf(nil, `{"email":"someone-%d@example.com","password":"a guess"}`, address)
		return s.Do(t, "POST", "/v1/auth/login", body, "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", address)).Status
	}
	const addresses = 60
	for address := range addresses {
		if got := guess(address); got != 401 {
			t.Fatalf("first guess from address %d: got status %d, want 401", address, got)
		}
	}
	var got statuses
	var attack sync.WaitGroup
	for address := range addresses {
		attack.Go(func() { got.add(guess(address)) })
	}
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	s.Do(t, "POST", "/v1/auth/login", login, "X-Forwarded-For", "198.51.100.7").Must(t, 200)
	p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	attack.Wait()
	if got.count[401]+got.count[503] != addresses || got.count[401] == 0 {
		t.Errorf("%d guesses at one moment: got %v, want 401 or 503", addresses, got.count)
	}
}

// guess tries to log in with a wrong password and returns the status.
func guess(t *testing.T, s *apptest.Service, path, email string) int {
	t.Helper()
	return s.Do(t, "POST", path, fmt.Appendf(nil, `{"email":%q,"password":"a wrong guess"}`, email)).Status
}

// TestFailedLoginsAcrossNodes guesses at two nodes in turn. Ten guesses are verified
// in all, for partners and operators each, whether or not the account exists.
func TestFailedLoginsAcrossNodes(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.Sharable(t))
	second := first.Beside(t)
	p := first.Register(t, "metro")
	for path, emails := range map[string][]string{
		"/v1/auth/login": {p.Email, "unknown@example.com"},
		"/ops/v1/login":  {apptest.OperatorEmail, "unknown@example.com"},
	} {
		for _, email := range emails {
			var got statuses
			for i := range 16 {
				got.add(guess(t, []*apptest.Service{first, second}[i%2], path, email))
			}
			if got.count[401] != 10 || got.count[429] != 6 {
				t.Errorf("%s as %s: got %v, want ten 401, then 429", path, email, got.count)
			}
		}
	}
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	second.Do(t, "POST", "/v1/auth/login", login).Refused(t, 429, "rate_limited")
	first.Clock.Advance(time.Minute)
	second.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
}

// TestFrequentLoginsAcrossNodes logs in at two nodes in turn with the right password.
// A node shares its count from the sixth login on.
func TestFrequentLoginsAcrossNodes(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.Sharable(t))
	second := first.Beside(t)
	p := first.Register(t, "metro")
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	var got statuses
	for i := range 80 {
		got.add([]*apptest.Service{first, second}[i%2].Do(t, "POST", "/v1/auth/login", login).Status)
	}
	if got.count[200] < 59 || got.count[200] > 65 {
		t.Errorf("80 logins: got %v, want 59 to 65 admitted", got.count)
	}
}

// TestFailedLoginsOutliveRestart reaches the limit, restarts the service, and is still
// refused. Later the counts are removed.
func TestFailedLoginsOutliveRestart(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.DataIn(t.TempDir()))
	p := first.Register(t, "metro")
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	first.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
	if rows := first.Query(t, "SELECT count(*) FROM sign_in_counts"); rows[0] != "0" {
		t.Errorf("after logins with the right password: got %s counts, want none", rows[0])
	}
	for range 10 {
		guess(t, first, "/v1/auth/login", p.Email)
	}
	first.Stop()
	second := first.Beside(t)
	refused := second.Do(t, "POST", "/v1/auth/login", login).Refused(t, 429, "rate_limited")
	if wait := refused.Header.Get("Retry-After"); wait != "60" {
		t.Errorf("got Retry-After %q, want 60", wait)
	}
	second.Clock.Advance(time.Hour)
	second.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
	guess(t, second, "/v1/auth/login", "another@example.com")
	if rows := second.Query(t, "SELECT count(*) FROM sign_in_counts"); rows[0] != "3" {
		t.Errorf("after an hour and another failure: got %s counts, want its 3", rows[0])
	}
}
