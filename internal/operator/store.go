package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
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
	// Operators lists operators by id, those after the given one.
	Operators(ctx context.Context, after string, limit int) ([]Operator, error)
	// OperatorSession is a session and its active operator, expired or not.
	OperatorSession(ctx context.Context, tokenHash []byte) (*Session, error)
	// OperatorTokens lists the tokens of an operator that have not expired, by
	// id, those after the given one.
	OperatorTokens(ctx context.Context, operatorID string, now time.Time, after string, limit int) ([]Token, error)
	// OperatorToken is a token, expired or not.
	OperatorToken(ctx context.Context, tokenID string) (*Token, error)
	// CourierRecord is a courier, active or not.
	CourierRecord(ctx context.Context, courierID string) (*Courier, error)
	// OperatorByToken is whom a token that has not expired belongs to, if active.
	OperatorByToken(ctx context.Context, tokenHash []byte, now time.Time) (*Operator, error)
	// Couriers lists couriers by id, those after the given one; all of them
	// after "".
	Couriers(ctx context.Context, after string, limit int) ([]Courier, error)
	// Audit lists what operators have changed, in the filter's order.
	Audit(ctx context.Context, filter AuditFilter) ([]Audited, error)
}

// Writer changes operators and couriers. What it decides by, it reads in the
// same transaction.
type Writer interface {
	Reader
	// LockOperator reads an operator, whom nobody else changes until the
	// transaction ends.
	LockOperator(ctx context.Context, operatorID string) (*Account, error)
	// LockActiveAdmins counts the active admins, whom nobody else changes until
	// the transaction ends.
	LockActiveAdmins(ctx context.Context) (int, error)
	// SaveOperator writes role, password, courier and whether active.
	SaveOperator(ctx context.Context, account *Account) error
	AddOperatorSession(ctx context.Context, session *Session) error
	TouchOperatorSession(ctx context.Context, tokenHash []byte, at time.Time) error
	// EndOperatorSession tells whose session it has ended; empty if there was none.
	EndOperatorSession(ctx context.Context, tokenHash []byte) (operatorID string, err error)
	EndOperatorSessions(ctx context.Context, operatorID string) error
	// SweepOperatorSessions ends those begun, or last seen, before the given times.
	SweepOperatorSessions(ctx context.Context, begunBefore, seenBefore time.Time) error
	EndOperatorTokens(ctx context.Context, operatorID string) error
	RemoveOperatorToken(ctx context.Context, tokenID string) (removed bool, err error)
	// AddOperator is false if the e-mail address is in use.
	AddOperator(ctx context.Context, account *Account) (added bool, err error)
	AddOperatorToken(ctx context.Context, token *Token) error
	// RemoveOperatorTokens removes those of an operator that have expired.
	RemoveOperatorTokens(ctx context.Context, operatorID string, now time.Time) error
	AddCourier(ctx context.Context, courier *Courier) error
	// LockCourier reads a courier, whom nobody else changes until the transaction
	// ends.
	LockCourier(ctx context.Context, courierID string) (*Courier, error)
	// SaveCourier writes all but when the courier was added.
	SaveCourier(ctx context.Context, courier *Courier) error
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Account is an operator with what only the login needs.
type Account struct {
	Operator
	EmailKey     string // the e-mail address in the form in which it is compared
	PasswordHash string
}

// Session is a login in a browser. It is kept under the hash of its token.
type Session struct {
	TokenHash []byte
	Operator  Operator
	credential.SessionTimes
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
