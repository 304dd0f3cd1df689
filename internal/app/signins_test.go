package app_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"

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
		world.Hasher = credential.NewHasher(slow, rand.Reader)
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
