package signin

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// Store is what this package needs of storage, for one kind of person: a consistent view
// to read, and a transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads what people sign in with. What does not exist is nil, not an error.
type Reader interface {
	credential.LinkReader
	Person(ctx context.Context, personID string) (*Person, error)
	// PersonByEmail returns the person with an e-mail address in lower case.
	PersonByEmail(ctx context.Context, emailKey string) (*Person, error)
	// PeopleOf lists the people of a partner, oldest first.
	PeopleOf(ctx context.Context, partnerID string) ([]*Person, error)
	// Factor returns what a person signs in with besides the password.
	Factor(ctx context.Context, personID string) (Factor, error)
	// Factors returns the same of several people, by id. It leaves out people of whom
	// nothing is stored.
	Factors(ctx context.Context, personIDs []string) (map[string]Factor, error)
	CountRecoveryCodes(ctx context.Context, personID string) (int64, error)
	// Holder returns a person who may sign in as sessions have the person.
	Holder(ctx context.Context, personID string) (Holder, error)
	// Session returns a session with its holder, expired or not.
	Session(ctx context.Context, tokenHash []byte) (*Session, error)
	// SessionsOf lists a person's sessions, oldest first.
	SessionsOf(ctx context.Context, personID string) ([]*Session, error)
	// Required lists the roles of a kind of person that must have a second factor.
	Required(ctx context.Context, kind Kind) ([]string, error)
}

// Writer changes what people sign in with. What it decides by, it reads in the same
// transaction, after LockPerson.
type Writer interface {
	Reader
	Entrance
	credential.LinkWriter
	DeviceWriter
	// RemoveOldDevices removes the devices last seen before a time, but no one's latest.
	RemoveOldDevices(ctx context.Context, before time.Time) error
	SetPassword(ctx context.Context, personID, hash string) error
	// SetEmail also proves the address. It returns false if the address is in use.
	SetEmail(ctx context.Context, personID, email, emailKey string) (changed bool, err error)
	// Prove notes that the person reads the mails to the address.
	Prove(ctx context.Context, personID string) error
	SetRecoveryCodes(ctx context.Context, personID string, hashes [][]byte) error
	AddSession(ctx context.Context, session *Session) error
	TouchSession(ctx context.Context, tokenHash []byte, at time.Time) error
	EndSession(ctx context.Context, personID, sessionID string) (ended bool, err error)
	// Logout ends the session with a token, and returns the id of its person; empty if there
	// was no such session.
	Logout(ctx context.Context, tokenHash []byte) (personID string, err error)
	// EndSessionsOf ends all sessions of a person but the one with a token.
	EndSessionsOf(ctx context.Context, personID string, except []byte) (ended int64, err error)
	// EndSessions ends the sessions begun, or last seen, before the given times.
	EndSessions(ctx context.Context, begunBefore, seenBefore time.Time) error
	// RevokeKeys revokes the active API keys that a person has made, and returns their ids.
	// They stop working as other revoked keys do.
	RevokeKeys(ctx context.Context, of *Person, at time.Time) (keyIDs []string, err error)
	// DisableWebhooks stops deliveries to the partner's endpoints until the
	// partner enables it.
	DisableWebhooks(ctx context.Context, partnerID string) error
	// RevokeTokens revokes all bearer tokens of a person.
	RevokeTokens(ctx context.Context, personID string) error
	// LockRequired returns what Required does, locked until the transaction ends.
	LockRequired(ctx context.Context, kind Kind) ([]string, error)
	SetRequired(ctx context.Context, kind Kind, roles []string) error
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// Entrance is what letting a person in needs of a transaction.
type Entrance interface {
	FactorWriter
	// LockPerson reads a person, locked until the transaction ends.
	LockPerson(ctx context.Context, personID string) (*Person, error)
}

// FactorWriter is what the check of a second factor needs of a transaction that has
// locked the person.
type FactorWriter interface {
	Factor(ctx context.Context, personID string) (Factor, error)
	SaveFactor(ctx context.Context, factor Factor) error
	// TakeRecoveryCode removes a recovery code. It returns false if there is none with
	// the hash.
	TakeRecoveryCode(ctx context.Context, personID string, hash []byte) (taken bool, err error)
}

// Person is an operator, or a user of a partner.
type Person struct {
	PersonID     string
	PartnerID    string // empty for an operator
	Name         string // empty for an operator
	Email        string // as given
	EmailKey     string // in lower case
	PasswordHash string
	Role         string
	Inactive     bool // an operator who may not sign in
	CreatedAt    time.Time
	// UnprovenSince is when the person got an address that no mailed link has proven yet;
	// zero once one has.
	UnprovenSince time.Time
}

// Factor is what a person signs in with besides the password.
type Factor struct {
	PersonID    string
	Secret      []byte    // of TOTP, sealed for the person; empty without
	ConfirmedAt time.Time // zero until the person has shown the first code
	Step        int64     // the step of time of the last code that was accepted
	// ResetRequestedAt is when the person asked for a new password; zero if that has
	// been settled.
	ResetRequestedAt time.Time
}

// Enrolled reports whether the person must show a code to sign in.
func (f Factor) Enrolled() bool { return !f.ConfirmedAt.IsZero() }
