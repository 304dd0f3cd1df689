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

// The rates of failed logins that a gate allows. Only failures count, so that a
// user who knows the password is never slowed down.
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

// Gate verifies passwords and limits failures per account and per address. It may
// be used by many goroutines. It counts in memory: each node of a service counts
// by itself, and a restart begins at zero.
type Gate struct {
	hasher                 *Hasher
	pair, account, network *throttle.Limiter
	observer               GateObserver
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
		network:  throttle.New(addressFailures, clock),
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

// Verify returns nil if the password is right, unauthorized if it is wrong, and
// rate_limited if the attempt was refused without looking at the password. An
// unknown account takes as long as a wrong password.
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
	counts := []counted{{g.network, network}, {g.pair, a.Account + "\x00" + network}, {g.account, a.Account}}
	if err := refused(counts); err != nil {
		return err
	}
	release, err := g.hasher.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Many attempts may have passed the first check at the same time. At most
	// maxHashings are here at a time, so that a second check keeps parallel guesses
	// within the limits.
	if err := refused(counts); err != nil {
		return err
	}
	right, err := verify(a.Hash, a.Password)
	if err != nil || right {
		return err
	}
	for _, c := range counts {
		c.limiter.Take(c.key)
	}
	return errMismatch
}

// counted is a key of a limiter: an account, an address, or both together.
type counted struct {
	limiter *throttle.Limiter
	key     string
}

// refused returns a refusal with the longest wait that any limiter asks for, or nil
// if none does.
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
