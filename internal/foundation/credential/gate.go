package credential

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// The rates of failed logins that a gate allows.
//
// A user who mistypes, or an attacker who guesses at one account from one address,
// reaches pairFailures first. Attempts refused by it do not count against the
// account, so that one attacking address does not lock the owner out elsewhere.
// Many addresses together reach accountFailures; then all attempts at the account
// wait, the owner's too, because otherwise a botnet could guess without end.
// addressFailures stops an address that tries a list of stolen passwords at one
// account after another.
var (
	pairFailures    = throttle.Rate{Per: time.Hour, Limit: 60, Burst: 10}
	accountFailures = throttle.Rate{Per: time.Hour, Limit: 120, Burst: 50}
	addressFailures = throttle.Rate{Per: time.Hour, Limit: 600, Burst: 60}
)

// signIns is the rate of logins with the right password, per account. Each costs a
// hashing, and most begin a session. A person needs a few a day, and a program should
// keep its session or token.
var signIns = throttle.Rate{Per: time.Minute, Limit: 60, Burst: 60}

// errMismatch does not say whether the password is wrong or the account unknown.
var errMismatch = refusal.New(refusal.CodeUnauthorized, "e-mail address or password is wrong")

// tooManyFailures returns the refusal of an attempt whose password was not looked
// at, because too many attempts have failed before.
func tooManyFailures(wait time.Duration) *refusal.Error {
	return &refusal.Error{
		Code:       refusal.CodeRateLimited,
		Message:    fmt.Sprintf("too many failed logins, try again in %.0f s", math.Ceil(wait.Seconds())),
		RetryAfter: wait,
	}
}

// tooManySignIns returns the refusal of an attempt at an account whose password was
// right too often.
func tooManySignIns(wait time.Duration) *refusal.Error {
	return &refusal.Error{
		Code:       refusal.CodeRateLimited,
		Message:    fmt.Sprintf("more than %d logins a minute: keep the session or the token", signIns.Limit),
		RetryAfter: wait,
	}
}

// Gate verifies passwords. It limits failures per account and per address, and
// successes per account. It may be used by many goroutines. It counts in memory:
// each node of a service counts by itself, and a restart begins at zero.
type Gate struct {
	hasher        *Hasher
	pair, account *throttle.Limiter  // of failures
	network       *throttle.Networks // of failures
	signIns       *throttle.Limiter  // of successes, by account
	observer      GateObserver
}

// NewGate returns a gate for one kind of account. A nil observer observes
// nothing.
func NewGate(hasher *Hasher, clock func() time.Time, observer GateObserver) *Gate {
	if observer == nil {
		observer = unobserved{}
	}
	return &Gate{
		hasher:   hasher,
		pair:     throttle.New(pairFailures, clock),
		account:  throttle.New(accountFailures, clock),
		network:  throttle.NewNetworks(addressFailures, clock),
		signIns:  throttle.New(signIns, clock),
		observer: observer,
	}
}

// Attempt is one attempt to log in.
type Attempt struct {
	Account  string // the account's name, in the form in which names are compared
	Address  string // the IP address that the attempt comes from
	Password string
	Hash     string // the stored hash of the account's password; empty if there is no such account
}

// Verify returns nil if the password is right, and unauthorized if it is wrong. It
// returns rate_limited after too many attempts, and unavailable if too many others
// wait for their turn; neither says anything about the password, and both come after
// a second. An unknown account takes as long as a wrong password.
func (g *Gate) Verify(ctx context.Context, a Attempt) error {
	err := g.verify(ctx, a)
	switch {
	case err == nil:
		g.observer.LoggedIn(LoginSucceeded)
	case errors.Is(err, errMismatch):
		g.observer.LoggedIn(LoginFailed)
	case refusal.HasCode(err, refusal.CodeRateLimited):
		g.observer.LoggedIn(LoginThrottled)
		g.hasher.pacer.hold(ctx)
	case errors.Is(err, errBusy):
		g.observer.LoggedIn(LoginBusy)
	}
	return err
}

func (g *Gate) verify(ctx context.Context, a Attempt) error {
	if a.Hash == "" {
		a.Hash = g.hasher.Decoy()
	}
	pair := a.Account + "\x00" + throttle.Network(a.Address)
	counts := []counted{{g.network, a.Address}, {g.pair, pair}, {g.account, a.Account}}
	if err := g.refused(a, counts); err != nil {
		return err
	}
	release, err := g.hasher.pacer.take(ctx, g.room(a.Address))
	if err != nil {
		return err
	}
	defer release()
	// Many attempts may have passed the first check at the same time. Only a few
	// are here at a time, so that a second check keeps parallel attempts within the
	// limits.
	if err := g.refused(a, counts); err != nil {
		return err
	}
	right, err := verify(a.Hash, a.Password)
	switch {
	case err != nil:
		return err
	case right:
		g.signIns.Take(a.Account)
		return nil
	}
	for _, c := range counts {
		c.limiter.Take(c.key)
	}
	return errMismatch
}

// room returns behind how many others an attempt may wait: fewer if attempts from
// its network have failed lately.
func (g *Gate) room(address string) int64 {
	if g.network.Peek(address).Remaining < addressFailures.Burst-1 {
		return maxStrangers
	}
	return maxWaiting
}

// counted is a key of a limiter: an account, an address, or both together.
type counted struct {
	limiter interface {
		Take(key string) throttle.Verdict
		Peek(key string) throttle.Verdict
	}
	key string
}

// refused returns a refusal with the longest wait that any limiter of failures asks
// for, or the one for too many successes, or nil.
func (g *Gate) refused(a Attempt, counts []counted) error {
	var wait time.Duration
	for _, c := range counts {
		wait = max(wait, c.limiter.Peek(c.key).RetryAfter)
	}
	if wait > 0 {
		return tooManyFailures(wait)
	}
	if wait := g.signIns.Peek(a.Account).RetryAfter; wait > 0 {
		return tooManySignIns(wait)
	}
	return nil
}
