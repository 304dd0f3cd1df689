package credential

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
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

// quietSignIns is how many logins with the right password an account may have within
// as many seconds before they are shared with other nodes. So the login of a person
// writes no count. Each further node adds as many to the rate at most.
const quietSignIns = 5

// GateConfig holds what a gate needs.
type GateConfig struct {
	Accounts string // the kind of accounts: each kind is counted separately
	Hasher   *Hasher
	// Store keeps the counts of all nodes. With nil this node counts alone, and begins
	// at zero.
	Store CountStore
	Now   func() time.Time
	// Aged returns the time by which counts at rest are removed; nil stands for Now.
	Aged func() time.Time
	Log  *slog.Logger
	// Observer is called with the outcome of each login, for metrics; nil observes
	// nothing.
	Observer GateObserver
}

// Gate verifies passwords. It limits failures per account and per address, and
// successes per account, over all nodes that share a store. It may be used by many
// goroutines.
//
// A gate reads the counts of all nodes once for each password that it verifies, and
// adds to them if the password is wrong. If they cannot be read within two seconds, the
// login fails, whatever the password. If they cannot be written, the node that verified
// the password counts by itself until it can.
type Gate struct {
	config GateConfig
	known  *throttle.Limiter // what this node knows of all counts
	swept  atomic.Int64      // when this node last removed counts at rest, in nanoseconds since 1970
	// sharing is held from counting here until that is shared. A node shares all that
	// it knows: what another attempt is about to share would be counted twice.
	sharing sync.Mutex
}

// NewGate returns a gate for one kind of account.
func NewGate(config GateConfig) *Gate {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.Aged == nil {
		config.Aged = config.Now
	}
	g := &Gate{config: config, known: throttle.New(accountFailures, config.Now)}
	g.swept.Store(config.Now().UnixNano())
	return g
}

// Attempt is one attempt to log in.
type Attempt struct {
	Account  string // the account's name, in the form in which names are compared
	PersonID string // the person whose account it is; empty if there is none
	Address  string // the IP address that the attempt comes from
	Password string
	Hash     string // the stored hash of the account's password; empty if there is no such account
	// WrongCode is set by Failed: the password was right, but not what was asked for besides.
	WrongCode bool
}

// Verify returns nil if the password is right, and unauthorized if it is wrong. It
// returns rate_limited after too many attempts, and unavailable if too many others
// wait for their turn; neither says anything about the password, and both come after
// a second. An unknown account takes as long as a wrong password.
func (g *Gate) Verify(ctx context.Context, a Attempt) error {
	err := g.verify(ctx, a)
	switch {
	case err == nil:
		g.config.Observer.LoggedIn(LoginSucceeded, a)
	case errors.Is(err, errMismatch):
		g.config.Observer.LoggedIn(LoginFailed, a)
	case refusal.HasCode(err, refusal.CodeRateLimited):
		g.config.Observer.LoggedIn(LoginThrottled, a)
		g.config.Hasher.pacer.hold(ctx)
	case errors.Is(err, errBusy):
		g.config.Observer.LoggedIn(LoginBusy, a)
	}
	return err
}

func (g *Gate) verify(ctx context.Context, a Attempt) error {
	if a.Hash == "" {
		a.Hash = g.config.Hasher.Decoy()
	}
	counts := countsOf(a)
	if err := g.refused(counts); err != nil {
		return err
	}
	release, err := g.config.Hasher.pacer.take(ctx, g.room(counts))
	if err != nil {
		return err
	}
	defer release()
	// Many attempts may have passed the first check at the same time, here and on other
	// nodes. Only a few are here at a time, so that a second check keeps parallel
	// attempts within the limits.
	if err := g.learn(ctx, counts.all()); err != nil {
		return fmt.Errorf("read the counts of logins: %w", err)
	}
	if err := g.refused(counts); err != nil {
		return err
	}
	right, err := g.config.Hasher.verify(a.Hash, a.Password)
	switch {
	case err != nil:
		return err
	case right:
		g.succeeded(ctx, counts)
		return nil
	}
	g.failed(ctx, counts)
	return errMismatch
}

// Admit refuses with rate_limited after too many failures, as Verify does. It is for
// what can be guessed besides the password, and is counted with Failed.
func (g *Gate) Admit(ctx context.Context, a Attempt) error {
	c := countsOf(a)
	if err := g.learn(ctx, c.all()); err != nil {
		return fmt.Errorf("read the counts of logins: %w", err)
	}
	return g.refused(c)
}

// Failed counts an attempt that Verify has found right, and that failed because of what
// was asked for besides the password.
func (g *Gate) Failed(ctx context.Context, a Attempt) {
	a.WrongCode = true
	g.config.Observer.LoggedIn(LoginFailed, a)
	g.failed(ctx, countsOf(a))
}

// counts is what an attempt counts against.
type counts struct {
	networks      []throttle.Keyed // failures, by the networks of the address
	pair, account throttle.Keyed   // failures
	signIns       throttle.Keyed   // successes, by account
}

func countsOf(a Attempt) counts {
	c := counts{
		networks: throttle.Blocks(a.Address, addressFailures),
		pair:     throttle.Keyed{Key: "pair\x00" + a.Account + "\x00" + throttle.Network(a.Address), Rate: pairFailures},
		account:  throttle.Keyed{Key: "account\x00" + a.Account, Rate: accountFailures},
		signIns:  throttle.Keyed{Key: "sign-ins\x00" + a.Account, Rate: signIns},
	}
	for i := range c.networks {
		c.networks[i].Key = "network\x00" + c.networks[i].Key
	}
	return c
}

// failures returns the counts of failed attempts.
func (c counts) failures() []throttle.Keyed {
	return append(slices.Clip(c.networks), c.pair, c.account)
}

func (c counts) all() []throttle.Keyed { return append(c.failures(), c.signIns) }

// failed counts a failed attempt.
func (g *Gate) failed(ctx context.Context, c counts) {
	g.sharing.Lock()
	defer g.sharing.Unlock()
	for _, counted := range c.failures() {
		g.known.TakeAt(counted.Key, counted.Rate)
	}
	g.share(ctx, c.failures())
}

// succeeded counts an attempt with the right password.
func (g *Gate) succeeded(ctx context.Context, c counts) {
	g.sharing.Lock()
	defer g.sharing.Unlock()
	counted := g.known.TakeAt(c.signIns.Key, c.signIns.Rate)
	if counted.Reset > quietSignIns*signIns.Per/time.Duration(signIns.Limit) {
		g.share(ctx, []throttle.Keyed{c.signIns})
	}
}

// room returns behind how many others an attempt may wait: fewer if attempts from
// its network have failed lately.
func (g *Gate) room(c counts) int64 {
	smallest := c.networks[0]
	if g.known.PeekAt(smallest.Key, smallest.Rate).Remaining < addressFailures.Burst-1 {
		return maxStrangers
	}
	return maxWaiting
}

// refused returns a refusal with the longest wait that any limit of failures asks
// for, or the one for too many successes, or nil. It goes by what this node knows.
func (g *Gate) refused(c counts) error {
	var wait time.Duration
	for _, counted := range c.failures() {
		wait = max(wait, g.known.PeekAt(counted.Key, counted.Rate).RetryAfter)
	}
	if wait > 0 {
		return tooManyFailures(wait)
	}
	if wait := g.known.PeekAt(c.signIns.Key, c.signIns.Rate).RetryAfter; wait > 0 {
		return tooManySignIns(wait)
	}
	return nil
}
