package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/signin"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads operators and couriers. What does not exist is nil, not an
// error.
type Reader interface {
	credential.LinkReader
	// Account is an operator by e-mail address in lower case.
	Account(ctx context.Context, emailKey string) (*Account, error)
	// Operator is an operator by id.
	Operator(ctx context.Context, operatorID string) (*Operator, error)
	Identity(ctx context.Context, issuer, subject string) (*Identity, error)
	// HasOtherLogin reports whether an operator other than one, active or not, is a courier.
	HasOtherLogin(ctx context.Context, courierID, operatorID string) (bool, error)
	// HasIdentity reports whether an operator is tied to a person at a provider.
	HasIdentity(ctx context.Context, operatorID, issuer string) (bool, error)
	// Operators lists operators by id, those after the given one.
	Operators(ctx context.Context, after string, limit int) ([]*Operator, error)
	// OfToken is the operator of a token that has not expired, if active.
	OfToken(ctx context.Context, tokenHash []byte, now time.Time) (*Operator, error)
	// Token is a token, expired or not.
	Token(ctx context.Context, tokenID string) (*Token, error)
	// Tokens lists the tokens of an operator that have not expired, by id, those
	// after the given one.
	Tokens(ctx context.Context, operatorID string, now time.Time, after string, limit int) ([]*Token, error)
	// Courier is a courier, active or not.
	Courier(ctx context.Context, courierID string) (*Courier, error)
	// Locations lists the locations that have an address, by code: all, or the one with a code.
	Locations(ctx context.Context, code string) ([]*delivery.Location, error)
	// Couriers lists couriers by id, those after the given one; all of them
	// after "".
	Couriers(ctx context.Context, after string, limit int) ([]*Courier, error)
	// Audit lists what operators have changed, in the filter's order.
	Audit(ctx context.Context, filter AuditFilter) ([]*Audited, error)
	// OrdersNumbered returns the ids of the orders with a number, of one partner, or of all
	// if partnerID is empty.
	OrdersNumbered(ctx context.Context, partnerID, number string, limit int) ([]string, error)
	// NamesOf returns the names of what has these keys, as far as it is known: see Names.
	NamesOf(ctx context.Context, keys []string) (Names, error)
}

// Writer changes operators and couriers. What it decides by, it reads in the
// same transaction.
type Writer interface {
	Reader
	credential.LinkWriter
	// AddIdentity is false if the person is tied to an operator already.
	AddIdentity(ctx context.Context, identity *Identity) (added bool, err error)
	signin.Entrance
	// AddOperator is false if the e-mail address or the id is in use.
	AddOperator(ctx context.Context, account *Account) (added bool, err error)
	// LockOperator reads an operator, whose row is locked until the transaction
	// ends.
	LockOperator(ctx context.Context, operatorID string) (*Account, error)
	// LockActiveAdmins counts the active admins, whose rows are locked until the
	// transaction ends.
	LockActiveAdmins(ctx context.Context) (int, error)
	// SaveOperator writes an operator that LockOperator has read.
	SaveOperator(ctx context.Context, account *Account) error

	// EndSessionsOf ends all sessions of an operator but the one with a token.
	EndSessionsOf(ctx context.Context, operatorID string, except []byte) (ended int64, err error)

	AddToken(ctx context.Context, token *Token) error
	RemoveToken(ctx context.Context, tokenID string) (removed bool, err error)
	// RevokeTokens removes all tokens of an operator.
	RevokeTokens(ctx context.Context, operatorID string) error
	// RemoveExpiredTokens removes those of an operator that have expired.
	RemoveExpiredTokens(ctx context.Context, operatorID string, now time.Time) error

	SaveLocation(ctx context.Context, location *delivery.Location) error
	AddCourier(ctx context.Context, courier *Courier) error
	// LockCourier reads a courier, whose row is locked until the transaction ends.
	LockCourier(ctx context.Context, courierID string) (*Courier, error)
	// SaveCourier writes a courier that LockCourier has read.
	SaveCourier(ctx context.Context, courier *Courier) error
	// AddAudit writes what was changed and by whom.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Account is an operator with what only the login needs.
type Account struct {
	Operator
	EmailKey     string // the e-mail address in lower case, for comparison
	PasswordHash string
}

// Person returns the operator as package signin takes people.
func (a *Account) Person() *signin.Person {
	return &signin.Person{
		PersonID: a.OperatorID, Email: a.Email, EmailKey: a.EmailKey, PasswordHash: a.PasswordHash,
		Role: string(a.Role), Inactive: !a.Active, CreatedAt: a.CreatedAt,
	}
}

// Token is a bearer token as it is stored: by its hash.
type Token struct {
	TokenID    string
	TokenHash  []byte
	OperatorID string
	Name       string // reminds its owner where it is used
	CreatedAt  time.Time
	ExpiresAt  time.Time
}
