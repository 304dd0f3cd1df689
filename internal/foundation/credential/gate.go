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

// The failures that a gate allows. Only failures count, so whoever knows the
// password is never slowed down by using it.
//
// Somebody who mistypes, or guesses at one account from one place, meets
// pairFailures first. Tries refused for that no longer count against the
// account as a whole, so that one hammering address leaves the owner's own
// address free. Many addresses together do reach accountFailures; then
// everybody waits, the owner too, because the alternative is to let a botnet
// guess without end. addressFailures stops a list of stolen passwords from
// being tried at one account after the other.
var (
	pairFailures    = throttle.Rate{Per: time.Hour, Limit: 60, Burst: 10}
	accountFailures = throttle.Rate{Per: time.Hour, Limit: 120, Burst: 50}
	addressFailures = throttle.Rate{Per: time.Hour, Limit: 600, Burst: 60}
)

// errMismatch says the same of a wrong password and of an unknown account.
var errMismatch = refusal.New(refusal.CodeUnauthorized, "e-mail address or password is wrong")

// tooManyFailures tells that nobody's password was looked at, because too many
// tries have failed before.
func tooManyFailures(wait time.Duration) *refusal.Error {
	return &refusal.Error{
		Code:       refusal.CodeRateLimited,
		Message:    fmt.Sprintf("too many failed logins, try again in %.0f s", math.Ceil(wait.Seconds())),
		RetryAfter: wait,
	}
}

// Gate verifies passwords and throttles failures per account and per address.
// It may be used by many goroutines. What it counts is in memory: every node of
// a service counts for itself, and a restart forgets.
type Gate struct {
	hasher               *Hasher
	pair, account, place *throttle.Limiter
	observer             GateObserver
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
		place:    throttle.New(addressFailures, clock),
		observer: observer,
	}
}

// Attempt is one try to get in.
type Attempt struct {
	Account  string // what names it, in the form in which names are compared
	Address  string // the IP address it comes from
	Password string
	Hash     string // what is kept of the account's password; empty without an account
}

// Verify is nil if the password fits, unauthorized if it does not, and
// rate_limited if that was not even looked at. It takes as long without an
// account as with a wrong password.
func (g *Gate) Verify(ctx context.Context, a Attempt) error {
	err := g.verify(ctx, a)
	switch {
	case err == nil:
		g.observer.LoggedIn(LoginSucceeded)
	case errors.Is(err, errMismatch):
		g.observer.LoggedIn(LoginFailed)
	case refusal.HasCode(err, refusal.CodeRateLimited):
		g.observer.LoggedIn(LoginThrottled)
	}
	return err
}

func (g *Gate) verify(ctx context.Context, a Attempt) error {
	if a.Hash == "" {
		a.Hash = g.hasher.Decoy()
	}
	network := throttle.Network(a.Address)
	counts := []counted{{g.place, network}, {g.pair, a.Account + "\x00" + network}, {g.account, a.Account}}
	if err := refused(counts); err != nil {
		return err
	}
	release, err := g.hasher.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Many may have got this far at once. Looking again, now that only
	// maxHashings can be here, keeps parallel guesses from outrunning the count.
	if err := refused(counts); err != nil {
		return err
	}
	fits, err := verify(a.Hash, a.Password)
	if err != nil || fits {
		return err
	}
	for _, c := range counts {
		c.limiter.Take(c.key)
	}
	return errMismatch
}

// counted is something whose failures are counted.
type counted struct {
	limiter *throttle.Limiter
	key     string
}

// refusal is the longest wait that any of them asks for.
func refused(counts []counted) error {
	var wait time.Duration
	for _, c := range counts {
		wait = max(wait, c.limiter.Peek(c.key).RetryAfter)
	}
	if wait == 0 {
		return nil
	}
	return tooManyFailures(wait)
}
