package credential_test

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// The tests of gates run in synctest bubbles, because refusals are held back.

// gateFixture is a gate with its clock and one account.
type gateFixture struct {
	*credential.Gate
	now      time.Time
	hash     string
	outcomes outcomes
}

// outcomes is a GateObserver that counts.
type outcomes struct {
	mu    sync.Mutex
	count map[credential.LoginOutcome]int // guarded by mu
}

func (o *outcomes) LoggedIn(outcome credential.LoginOutcome, _ credential.Attempt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count == nil {
		o.count = map[credential.LoginOutcome]int{}
	}
	o.count[outcome]++
}

func newGate(t *testing.T) *gateFixture {
	t.Helper()
	h := credential.NewHasher(cheap, repeatable.Reader(t))
	hash, err := h.Hash(t.Context(), "right")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateFixture{now: time.Unix(1_767_225_600, 0), hash: hash}
	g.Gate = credential.NewGate(credential.GateConfig{
		Accounts: "partner", Hasher: h, Now: func() time.Time {
			return g.now
		}, Log: slog.New(slog.DiscardHandler), Observer: &g.outcomes,
	})
	return g
}

func (g *gateFixture) try(t *testing.T, address, password string) error {
	t.Helper()
	return g.Verify(t.Context(),
		credential.Attempt{Account: "a@b.example", Address: address, Password: password, Hash: g.hash})
}

// waitOf returns how long a refusal asks to wait.
func waitOf(err error) time.Duration {
	var refused *refusal.Error
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}

func TestGateCountsFailuresByThemselves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		for range 200 {
			if err := g.try(t, "203.0.113.1", "right"); err != nil {
				t.Fatal(err)
			}
			g.now = g.now.Add(time.Second)
		}
		for i := range 10 {
			if err := g.try(t, "203.0.113.1", "wrong"); !refusal.HasCode(err, refusal.CodeUnauthorized) {
				t.Fatalf("failure %d: got %v, want unauthorized", i, err)
			}
		}
		err := g.try(t, "203.0.113.1", "right")
		wait := waitOf(err)
		if wait <= 0 || wait > time.Minute {
			t.Fatalf("after ten failures: got %v with RetryAfter %v, want at most a minute", err, wait)
		}
		g.now = g.now.Add(wait)
		if err := g.try(t, "203.0.113.1", "right"); err != nil {
			t.Errorf("after RetryAfter: got %v, want nil", err)
		}
	})
}

func TestGateLimitsSignIns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		var admitted atomic.Int64
		var all sync.WaitGroup
		for i := range 30 { // fewer than may wait
			all.Go(func() {
				for range 4 {
					if g.try(t, fmt.Sprintf("203.0.113.%d", i), "right") == nil {
						admitted.Add(1)
					}
				}
			})
		}
		all.Wait()
		// Another one may be verified in each further permit while the last one is.
		if got := admitted.Load(); got < 60 || got > 63 {
			t.Errorf("120 logins with the right password: got %d admitted, want 60", got)
		}
		err := g.try(t, "198.51.100.7", "right")
		if wait := waitOf(err); !refusal.HasCode(err, refusal.CodeRateLimited) || wait <= 0 || wait > 4*time.Second {
			t.Fatalf("one more: got %v with RetryAfter %v, want rate_limited and about a second", err, wait)
		}
		if got := g.outcomes.count[credential.LoginThrottled]; got < 58 {
			t.Errorf("got %d counted as throttled, want 58 or more", got)
		}
		g.now = g.now.Add(waitOf(err))
		if err := g.try(t, "198.51.100.7", "right"); err != nil {
			t.Errorf("after RetryAfter: got %v, want nil", err)
		}
	})
}

func TestGateAttackerDoesNotLockOwnerOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		for range 1000 {
			_ = g.try(t, "203.0.113.1", "wrong")
		}
		if err := g.try(t, "198.51.100.7", "right"); err != nil {
			t.Errorf("owner at another address: got %v, want nil", err)
		}
	})
}

func TestGateLimitsAccountOverManyAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		verified := 0
		for i := range 200 {
			if refusal.HasCode(g.try(t, fmt.Sprintf("203.0.113.%d", i), "wrong"), refusal.CodeUnauthorized) {
				verified++
			}
		}
		if verified != 50 {
			t.Errorf("got %d guesses verified, want 50", verified)
		}
	})
}

func TestGateLimitsNetworkOverManyAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		verified := 0
		for i := range 200 {
			// One customer's network has all these addresses.
			address := fmt.Sprintf("2001:db8:1:2::%x", i)
			err := g.Verify(t.Context(), credential.Attempt{Account: fmt.Sprint(i), Address: address, Password: "wrong"})
			if refusal.HasCode(err, refusal.CodeUnauthorized) {
				verified++
			}
		}
		if verified != 60 {
			t.Errorf("got %d guesses verified, want 60", verified)
		}
		if err := g.try(t, "2001:db8:1:3::1", "right"); err != nil {
			t.Errorf("another network: got %v, want nil", err)
		}
	})
}

func TestGateHidesUnknownAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		var known, unknown []string
		for range 15 {
			known = append(known, fmt.Sprint(g.try(t, "203.0.113.1", "wrong")))
			unknown = append(unknown, fmt.Sprint(g.Verify(t.Context(),
				credential.Attempt{Account: "unknown", Address: "203.0.113.2", Password: "wrong"})))
		}
		if fmt.Sprint(known) != fmt.Sprint(unknown) {
			t.Errorf("unknown account: got\n%q, want the errors of a known one\n%q", unknown, known)
		}
	})
}

// TestGateLimitsParallelGuesses allows for one guess more than the limit, which may
// be verified while the last one is.
func TestGateLimitsParallelGuesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		var verified atomic.Int64
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if refusal.HasCode(g.try(t, "203.0.113.1", "wrong"), refusal.CodeUnauthorized) {
					verified.Add(1)
				}
			})
		}
		all.Wait()
		if got := verified.Load(); got > 11 {
			t.Errorf("got %d parallel guesses verified, want at most 11", got)
		}
	})
}

func TestGateReportsDamagedHash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		g.hash = "damaged"
		if err := g.try(t, "203.0.113.1", "right"); err == nil || refusal.HasCode(err, refusal.CodeUnauthorized) {
			t.Errorf("got %v, want an error other than unauthorized", err)
		}
	})
}

func TestGateObserver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		_ = g.try(t, "203.0.113.1", "right")
		for range 12 { // of which ten may fail
			_ = g.try(t, "203.0.113.1", "wrong")
		}
		want := map[credential.LoginOutcome]int{
			credential.LoginSucceeded: 1, credential.LoginFailed: 10, credential.LoginThrottled: 2,
		}
		if !maps.Equal(g.outcomes.count, want) {
			t.Errorf("got %v, want %v", g.outcomes.count, want)
		}
	})
}
