package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads operators and couriers. What does not exist is nil, not an
// error.
type Reader interface {
	OperatorByEmail(ctx context.Context, emailKey string) (*Account, error)
	// OperatorByToken is whom a token that has not expired belongs to.
	OperatorByToken(ctx context.Context, tokenHash []byte, now time.Time) (*Operator, error)
	// Couriers lists couriers by id, those after the given one; all of them
	// after "".
	Couriers(ctx context.Context, after string, limit int) ([]Courier, error)
	// Audit lists what operators have changed, newest first.
	Audit(ctx context.Context, filter AuditFilter) ([]Audited, error)
}

// Writer changes operators and couriers.
type Writer interface {
	// AddOperator is false if the e-mail address is in use.
	AddOperator(ctx context.Context, account *Account) (added bool, err error)
	AddOperatorToken(ctx context.Context, token *Token) error
	// RemoveOperatorTokens removes those of an operator that have expired.
	RemoveOperatorTokens(ctx context.Context, operatorID string, now time.Time) error
	AddCourier(ctx context.Context, courier *Courier) error
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*delivery.AuditEntry) error
}

// Account is an operator with what only the login needs.
type Account struct {
	Operator
	EmailKey     string // the e-mail address in the form in which it is compared
	PasswordHash string
}

// Token is a bearer token as it is kept: by its hash.
type Token struct {
	TokenID    string
	TokenHash  []byte
	OperatorID string
	Name       string // tells its owner where it is used
	CreatedAt  time.Time
	ExpiresAt  time.Time
}
