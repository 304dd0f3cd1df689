package partner

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mail"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads accounts. What does not exist is nil, not an error.
type Reader interface {
	credential.LinkReader
	// Account returns the user with an e-mail address in lower case.
	Account(ctx context.Context, emailKey string) (*Account, error)
	// Users lists the people of a partner, oldest first.
	Users(ctx context.Context, partnerID string) ([]User, error)
	Partner(ctx context.Context, partnerID string) (*Partner, error)
	// Settings returns DefaultSettings where nothing was set.
	Settings(ctx context.Context, partnerID string) (Settings, error)
	// Usage returns what a partner has used of its quotas, with the orders of the day
	// of a time.
	Usage(ctx context.Context, partnerID string, at time.Time) (Usage, error)
	// List lists partners by id, those after the given one.
	List(ctx context.Context, after string, limit int) ([]Listed, error)
	CountAPIKeys(ctx context.Context, partnerID string) (active, revoked int64, err error)
	// HasRateCards reports whether there are rate cards of this name.
	HasRateCards(ctx context.Context, name string) (bool, error)
	// Profile returns the zero value where nothing was set.
	Profile(ctx context.Context, partnerID string) (Profile, error)
	Logo(ctx context.Context, partnerID string) (*Logo, error)
	// APIKeys lists a partner's active keys, oldest first.
	APIKeys(ctx context.Context, partnerID string) ([]APIKey, error)
	// APIKey returns the active key with a public key.
	APIKey(ctx context.Context, publicKey string) (*SealedKey, error)
	OpenID(ctx context.Context, partnerID string) (*OpenID, error)
	// Domains lists the domains of a partner by name.
	Domains(ctx context.Context, partnerID string) ([]Domain, error)
	// ProvenBy returns the id of the partner that has proven a domain; empty if none has.
	ProvenBy(ctx context.Context, domain string) (partnerID string, err error)
	Identity(ctx context.Context, partnerID, issuer, subject string) (*Identity, error)
	// HasIdentity reports whether a user is tied to a person at a provider.
	HasIdentity(ctx context.Context, of *Account, issuer string) (bool, error)
}

// Writer changes accounts. What it decides by, it reads in the same transaction.
type Writer interface {
	Reader
	credential.LinkWriter
	mail.Writer
	// AddPartner returns false if the id is in use.
	AddPartner(ctx context.Context, partner *Partner) (added bool, err error)
	// AddTestAccount makes room for what a test account stores, unless it was called
	// before.
	AddTestAccount(ctx context.Context, testAccount string) error
	// AddUser returns false if the e-mail address is in use.
	AddUser(ctx context.Context, account *Account) (added bool, err error)
	// LockPartner locks a partner until the transaction ends.
	LockPartner(ctx context.Context, partnerID string) error
	// SaveUser writes the name and the role of a user.
	SaveUser(ctx context.Context, user *User) error
	// RemoveUser removes a user, and the user's sessions, devices and second factor.
	RemoveUser(ctx context.Context, partnerID, userID string) error
	// LockProfile reads a partner's profile, locked until the transaction ends.
	LockProfile(ctx context.Context, partnerID string) (Profile, error)
	SaveProfile(ctx context.Context, partnerID string, profile Profile) error
	// SaveLogo writes a logo; the zero value removes it.
	SaveLogo(ctx context.Context, partnerID string, logo *Logo) error
	// LockUser reads a user, locked until the transaction ends.
	LockUser(ctx context.Context, userID string) (*Account, error)

	// LockSettings reads a partner's settings, locked until the transaction ends.
	LockSettings(ctx context.Context, partnerID string) (Settings, error)
	SaveSettings(ctx context.Context, partnerID string, settings Settings) error
	// AddAudit writes entries of the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error

	SaveOpenID(ctx context.Context, set *OpenID) error
	RemoveOpenID(ctx context.Context, partnerID string) error
	// SaveDomain writes all of a domain but when it was proven.
	SaveDomain(ctx context.Context, domain *Domain) error
	// RemoveDomain removes a domain, and that the partner has proven it.
	RemoveDomain(ctx context.Context, partnerID, domain string) error
	// ProveDomain notes that a partner has proven a domain. It is false if another has.
	ProveDomain(ctx context.Context, domain *Domain, at time.Time) (proven bool, err error)
	SaveIdentity(ctx context.Context, identity *Identity) error
	// EndIdentities dates the identities of a user who is removed: at is the time of the removal.
	EndIdentities(ctx context.Context, partnerID, userID string, at time.Time) error
	// Prove notes that a user reads the mails to the address.
	Prove(ctx context.Context, userID string) error
	// EndVouchedSessions ends the sessions of a partner's people that a provider has vouched
	// for, but that with a token.
	EndVouchedSessions(ctx context.Context, partnerID string, except []byte) error

	// EndSessionsOf ends all sessions of a partner.
	EndSessionsOf(ctx context.Context, partnerID string) error

	AddAPIKey(ctx context.Context, key *SealedKey) error
	// AddNonce keeps a nonce. It is false if its key has used it already.
	AddNonce(ctx context.Context, nonce *Nonce) (added bool, err error)
	// ForgetSignatures removes what is kept of requests that were signed before a time.
	ForgetSignatures(ctx context.Context, signedBefore time.Time) error
	// RevokeAPIKey returns the key that it revoked; nil if the partner has no such
	// active key.
	RevokeAPIKey(ctx context.Context, partnerID, keyID string, at time.Time) (*APIKey, error)
	// SaveKeyUses writes when keys were last used.
	SaveKeyUses(ctx context.Context, uses []KeyUse) error
}

// SealedKey is an API key with its secret sealed for the key's id.
type SealedKey struct {
	APIKey
	PartnerID string
	Secret    []byte
}

// KeyUse is the last use of a key.
type KeyUse struct {
	KeyID string
	At    time.Time
}
