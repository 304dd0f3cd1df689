package httpd

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/web"
)

// Callers finds out who makes requests, and what they may do. The packages that know keys,
// people and accounts are behind it.
type Callers interface {
	// Key returns the API key with a public key; nil if there is none. KeyUsed notes that
	// it has signed a request.
	Key(ctx context.Context, publicKey string) (*Key, error)
	KeyUsed(key *Key)
	// PermitKey refuses a signed request whose key may not make it.
	PermitKey(c *Call, key *Key) error
	// UseNonce uses up the nonce of a request that was signed with a key at a time. It
	// reports whether the nonce was new.
	UseNonce(ctx context.Context, key *Key, nonce string, signedAt time.Time) (isNew bool, err error)
	// Terms returns what holds for an account.
	Terms(ctx context.Context, account string) (Terms, error)

	// User finds out whose session a request has, and sets the principal and the account.
	// It refuses a user who may not use the route.
	User(c *Call) error
	// UserAgain looks again, when the body has been read, whether that user may use the route.
	UserAgain(c *Call) error
	// Operator finds out whose token or session a request has, sets the principal and the
	// payer, and refuses an operator who may not use the route. It is called once more when
	// the body has been read.
	Operator(c *Call) error
	// EndSession ends the session of a token that a cookie of an audience held. It does
	// nothing if there is none.
	EndSession(ctx context.Context, a web.Audience, token string) error
}

// Key is an API key, with which programs sign requests.
type Key struct {
	ID        string
	Account   string
	Secret    []byte // must not be changed
	RequireV2 bool   // whether requests must have a signature of version 2
	Of        any    // the key as its package knows it
}

// Terms are what holds for an account.
type Terms struct {
	// RateLimit is how many requests a minute it may make; 0 means no limit.
	RateLimit int
	// Refused is why its requests are refused; nil if they are not.
	Refused error
	// Newcomer is what the changes of a new account are counted by; empty for any other.
	Newcomer string
}

// ActFor lets everything that happens with the call's context from now on happen on the
// authority of a person. Every change reads it again in its transaction.
func (c *Call) ActFor(by *actor.Actor) {
	c.ActAs(by.PersonID)
	c.Request = c.WithContext(actor.With(c.Context(), by))
}

// ActAs names the operator or user and the request in the audit entries of
// everything that happens with the call's context from now on. An empty id stands for
// an operator who is not known yet; the package that checks the password sets it.
func (c *Call) ActAs(id string) {
	ctx := audit.WithOperation(c.Context(), audit.Operation{OperatorID: id, RequestID: c.RequestID})
	c.Request = c.WithContext(ctx)
	c.PersonID = cmp.Or(id, c.PersonID)
}
