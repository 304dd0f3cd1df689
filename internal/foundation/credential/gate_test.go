package credential_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// door is a gate, its clock, and one account behind it.
type door struct {
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

func (o *outcomes) LoggedIn(outcome credential.LoginOutcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count == nil {
		o.count = map[credential.LoginOutcome]int{}
	}
	o.count[outcome]++
}

func newDoor(t *testing.T) *door {
	t.Helper()
	h := credential.NewHasher(cheap, rand.Reader)
	hash, err := h.Hash(t.Context(), "right")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{now: fixedClock(), hash: hash}
	d.Gate = credential.NewGate(h, func() time.Time { return d.now }, &d.outcomes)
	return d
}

func (d *door) try(t *testing.T, address, password string) error {
	t.Helper()
	return d.Verify(t.Context(), credential.Attempt{Account: "a@b.example", Address: address, Password: password, Hash: d.hash})
}

func throttled(err error) (time.Duration, bool) {
	var refused *refusal.Error
	if errors.As(err, &refused) {
		return refused.RetryAfter, true
	}
	return 0, false
}

func TestGateCountsFailuresOnly(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for range 200 {
		if err := d.try(t, "203.0.113.1", "right"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if err := d.try(t, "203.0.113.1", "wrong"); !refusal.HasCode(err, refusal.CodeUnauthorized) {
			t.Fatalf("failure %d: %v", i, err)
		}
	}
	wait, ok := throttled(d.try(t, "203.0.113.1", "right"))
	if !ok || wait <= 0 || wait > time.Minute {
		t.Fatalf("after ten failures: %v, %v", wait, ok)
	}
	d.now = d.now.Add(wait)
	if err := d.try(t, "203.0.113.1", "right"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// One address that hammers an account does not lock its owner out elsewhere.
func TestGateKeepsTheOwnersAddressFree(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for range 1000 {
		_ = d.try(t, "203.0.113.1", "wrong")
	}
	if err := d.try(t, "198.51.100.7", "right"); err != nil {
		t.Errorf("the owner is kept out: %v", err)
	}
}

func TestGateThrottlesAnAccountOverManyAddresses(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	looked := 0
	for i := range 200 {
		if refusal.HasCode(d.try(t, fmt.Sprintf("203.0.113.%d", i), "wrong"), refusal.CodeUnauthorized) {
			looked++
		}
	}
	if looked != 50 {
		t.Errorf("%d guesses were looked at, want 50", looked)
	}
}

func TestGateThrottlesAnAddressOverManyAccounts(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	looked := 0
	for i := range 200 {
		// All of these are one customer's network.
		address := fmt.Sprintf("2001:db8:1:2::%x", i)
		err := d.Verify(t.Context(), credential.Attempt{Account: fmt.Sprint(i), Address: address, Password: "wrong"})
		if refusal.HasCode(err, refusal.CodeUnauthorized) {
			looked++
		}
	}
	if looked != 60 {
		t.Errorf("%d guesses were looked at, want 60", looked)
	}
	if err := d.try(t, "2001:db8:1:3::1", "right"); err != nil {
		t.Errorf("another network is kept out: %v", err)
	}
}

func TestGateTreatsUnknownAccountsAlike(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	var known, unknown []string
	for range 15 {
		known = append(known, fmt.Sprint(d.try(t, "203.0.113.1", "wrong")))
		unknown = append(unknown, fmt.Sprint(d.Verify(t.Context(), credential.Attempt{Account: "nobody", Address: "203.0.113.2", Password: "wrong"})))
	}
	if fmt.Sprint(known) != fmt.Sprint(unknown) {
		t.Errorf("known:\n%q\nunknown:\n%q", known, unknown)
	}
}

// Guesses that are made all at once are counted like those one by one, but for
// the one that may be looked at beside the last.
func TestGateCountsParallelGuesses(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	var looked atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if refusal.HasCode(d.try(t, "203.0.113.1", "wrong"), refusal.CodeUnauthorized) {
				looked.Add(1)
			}
		})
	}
	all.Wait()
	if got := looked.Load(); got > 11 {
		t.Errorf("%d parallel guesses were looked at, want about 10", got)
	}
}

func TestGateReportsADamagedHash(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.hash = "damaged"
	if err := d.try(t, "203.0.113.1", "right"); err == nil || refusal.HasCode(err, refusal.CodeUnauthorized) {
		t.Errorf("got %v", err)
	}
}

func TestGateObserver(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	_ = d.try(t, "203.0.113.1", "right")
	for range 12 { // of which ten may fail
		_ = d.try(t, "203.0.113.1", "wrong")
	}
	want := map[credential.LoginOutcome]int{credential.LoginSucceeded: 1, credential.LoginFailed: 10, credential.LoginThrottled: 2}
	if !maps.Equal(d.outcomes.count, want) {
		t.Errorf("got %v, want %v", d.outcomes.count, want)
	}
}
