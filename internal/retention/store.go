package retention

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/requestlog"
)

// Store is what this package needs of storage. Read runs fn on a consistent view of
// the data; Write runs it in a transaction, which is durable once Write has
// returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
	// Scrub overwrites what removed and rewritten rows have left in the files of the
	// database, as far as the engine can. It calls rested after each part of the work,
	// with how long it took, and ends with its error.
	Scrub(ctx context.Context, rested func(ctx context.Context, took time.Duration) error) error
	// Scrubbed returns when Scrub was last done; the zero time if it is to be done again.
	Scrubbed(ctx context.Context) (time.Time, error)
	// SetScrubbed writes when Scrub was last done; the zero time lets it be done again.
	SetScrubbed(ctx context.Context, at time.Time) error
}

// Reader reads page by page. Every list begins after the given key and has at most
// limit rows, so that neither memory nor a view of the data is held for long.
type Reader interface {
	// Accounts lists all accounts: those of all partners, and their test accounts, for which the portal needs no key.
	Accounts(ctx context.Context) ([]string, error)
	// Receipts lists the receipts under the idempotency keys of a key's partner, without hashes
	// and answers.
	Receipts(ctx context.Context, after idempotency.Key, limit int) ([]*idempotency.Receipt, error)
	// Ended lists a partner's orders in one final state whose ids are between after
	// and until, both excluded.
	Ended(ctx context.Context, partnerID string, state delivery.Status, after, until string, limit int) ([]Ended, error)
	// EventTimes lists a partner's events of orders whose ids are before until, except those
	// that still wait to be sent.
	EventTimes(ctx context.Context, after outbox.EventKey, until string, limit int) ([]EventTime, error)

	// Partner returns an account; nil if there is none.
	Partner(ctx context.Context, partnerID string) (*Partner, error)
	// Users lists the people of a partner, oldest first.
	Users(ctx context.Context, partnerID string) ([]User, error)
	// Identities lists the people at the provider of a partner who have signed in.
	Identities(ctx context.Context, partnerID string) ([]Identity, error)
	// APIKeys lists a partner's keys, also the revoked ones, oldest first.
	APIKeys(ctx context.Context, partnerID string) ([]APIKey, error)
	// SavedEntries lists what a partner's people keep for forms.
	SavedEntries(ctx context.Context, partnerID string) ([]SavedEntry, error)
	// HasDrafts reports whether RemoveDrafts would remove anything.
	HasDrafts(ctx context.Context, partnerID string, before time.Time) (bool, error)
	// Endpoints lists the endpoints that the partner's events are sent to, the first one first.
	Endpoints(ctx context.Context, partnerID string) ([]*Endpoint, error)
	// Products lists products by id.
	Products(ctx context.Context, partnerID string, after int64, limit int) ([]delivery.Product, error)
	// Levels lists stock levels by product and location.
	Levels(ctx context.Context, partnerID string, after delivery.Level, limit int) ([]delivery.Level, error)
	// JournalEntries lists the entries of the books with their lines, oldest first: those after one, or all if it
	// is nil.
	JournalEntries(ctx context.Context, partnerID string, after *money.Entry, limit int) ([]*money.Entry, error)
	// Statements lists the statements of a partner as JSON, by their numbers: those after one.
	Statements(ctx context.Context, partnerID string, after int64, limit int) ([]Statement, error)
	// Movements lists the journal of stock, oldest first, without the names of products.
	Movements(ctx context.Context, partnerID string, after int64, limit int) ([]delivery.Movement, error)
	// Orders lists orders with their histories, oldest first.
	Orders(ctx context.Context, partnerID, after string, limit int) ([]*delivery.Order, error)
	// Events lists a partner's events by order and sequence.
	Events(ctx context.Context, after outbox.EventKey, limit int) ([]*Event, error)
	// RequestSegments lists what the request log holds of a partner, oldest first.
	RequestSegments(ctx context.Context, partnerID, after string, limit int) ([]*requestlog.Segment, error)
	// LoosePictures lists the pictures of a partner that belong to no proof and are
	// due to be deleted.
	LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) ([]string, error)
	// Order returns one order with its history; nil if there is none.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// HasOriginals reports whether RemoveOriginals would remove anything.
	HasOriginals(ctx context.Context, partnerID, until string) (bool, error)
	// Original returns the record that answered the creation of an edited order; nil if that is
	// not kept.
	Original(ctx context.Context, partnerID, orderID string) ([]byte, error)
	// Answers returns receipts with what was answered.
	Answers(ctx context.Context, keys []idempotency.Key) ([]*idempotency.Receipt, error)
}

// Writer removes and rewrites rows by their keys.
type Writer interface {
	// AddAudit writes entries of the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
	// ReplaceSetting writes a setting if it still has the value before.
	ReplaceSetting(ctx context.Context, name, before, value string) (replaced bool, err error)
	// RemoveReceipts removes receipts.
	RemoveReceipts(ctx context.Context, keys []idempotency.Key) error
	// RemoveOriginals removes what answered the creations of a partner's edited orders whose
	// ids are before until.
	RemoveOriginals(ctx context.Context, partnerID, until string) error
	// RemoveChanges removes the receipts of operators' changes that were made before a time.
	RemoveChanges(ctx context.Context, before time.Time) error
	// RemoveDrafts removes the files of an account that people began to import before a time, and what earlier
	// versions have kept of such files.
	RemoveDrafts(ctx context.Context, partnerID string, before time.Time) error
	// RemoveSaved removes the saved addresses with an e-mail address or one of the ids, and all files that people are
	// importing, which may have them.
	RemoveSaved(ctx context.Context, partnerID, email string, entryIDs []string) error
	// RemoveMessages removes messages to couriers that were sent before a time.
	RemoveMessages(ctx context.Context, before time.Time) error
	// RemoveOrders removes orders with their histories, events, notes and proofs,
	// whose pictures become loose. The journal of stock keeps the orders' ids.
	RemoveOrders(ctx context.Context, partnerID string, orderIDs []string) error
	// RemoveEvents removes those of the events that are still in the given state.
	RemoveEvents(ctx context.Context, events []EventTime) error

	// LockOrders returns orders as they are stored, by id, and locks them until the
	// transaction ends. Orders that do not exist are left out.
	LockOrders(ctx context.Context, partnerID string, orderIDs []string) (map[string]*Stored, error)
	// SaveErased writes orders whose personal fields have been erased. Their versions
	// stay, because partners need not be notified. It also empties the notes of their
	// histories, replaces the text of operators' notes by note, and removes the answers to
	// operators' changes of the orders, and their
	// proofs, whose pictures become loose.
	SaveErased(ctx context.Context, orders []*Stored, note string) error
	// ForgetPictures takes pictures that have been deleted off the list.
	ForgetPictures(ctx context.Context, partnerID string, pictures []string) error
	// SaveAnswer overwrites the answer of a receipt, if there still is one.
	SaveAnswer(ctx context.Context, key idempotency.Key, answer []byte) error
}

// SavedEntry is an address, a parcel, or what the columns of a file mean, as a partner's people keep it for forms.
type SavedEntry struct {
	Kind      string            `json:"kind"`
	Name      string            `json:"name"`
	Fields    map[string]string `json:"fields"`
	UpdatedAt time.Time         `json:"updated_at"`
}

// Ended is an order in a final state.
type Ended struct {
	OrderID   string
	UpdatedAt time.Time
	// Rows is the number of rows that are stored for it: the order, its history and
	// its events.
	Rows int64
}

// Statement is a closed statement.
type Statement struct {
	Number   int64
	Document []byte // JSON
}

// EventTime holds when an event was created.
type EventTime struct {
	outbox.EventKey
	State     outbox.State
	CreatedAt time.Time
}

// Partner is an account as its partner sees it.
type Partner struct {
	PartnerID string    `json:"partner_id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"created_at"`
	Profile   *Profile  `json:"profile,omitzero"` // nil if none was ever set
	OpenID    *OpenID   `json:"openid,omitzero"`  // nil if no provider is set
	Domains   []Domain  `json:"domains,omitempty"`
}

// OpenID is the provider through which the people of a partner sign in, without its secret.
type OpenID struct {
	Issuer      string            `json:"issuer"`
	ClientID    string            `json:"client_id"`
	RoleClaim   string            `json:"role_claim,omitzero"`
	RoleValues  map[string]string `json:"role_values,omitempty"`
	DefaultRole string            `json:"default_role,omitzero"`
	StoppedAt   time.Time         `json:"stopped_at,omitzero"`
	ChangedAt   time.Time         `json:"changed_at"`
}

// Domain is a domain that a partner has named.
type Domain struct {
	Domain   string    `json:"domain"`
	AddedAt  time.Time `json:"added_at"`
	ProvenAt time.Time `json:"proven_at,omitzero"`
}

// Identity is a person at the partner's provider, with the user that the person is or was.
type Identity struct {
	UserID    string    `json:"user_id"`
	Issuer    string    `json:"issuer"`
	Subject   string    `json:"subject"`
	CreatedAt time.Time `json:"created_at"`
}

// Profile is how a partner appears to recipients.
type Profile struct {
	PublicName    string `json:"public_name"`
	SupportURL    string `json:"support_url"`
	Language      string `json:"language"`
	RecipientMail bool   `json:"recipient_mail"`
	LogoType      string `json:"logo_type,omitzero"` // a media type
	Logo          []byte `json:"logo,omitempty"`     // in base64
}

// User is a person of a partner.
type User struct {
	UserID    string    `json:"user_id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	CreatedAt time.Time `json:"created_at"`
}

// APIKey is an API key without its secret.
type APIKey struct {
	KeyID      string    `json:"key_id"`
	Name       string    `json:"name"`
	PublicKey  string    `json:"public_key"`
	CreatedAt  time.Time `json:"created_at"`
	RevokedAt  time.Time `json:"revoked_at,omitzero"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// Endpoint is a partner's webhook endpoint without its secret.
type Endpoint struct {
	EndpointID     string               `json:"endpoint_id"`
	URL            string               `json:"url"`
	Enabled        bool                 `json:"enabled"`
	DisabledReason string               `json:"disabled_reason,omitzero"`
	CreatedAt      time.Time            `json:"created_at"`
	Events         []delivery.EventType `json:"events,omitzero"`
	Format         string               `json:"format"`
}

// Event is an event and how far its delivery to the first endpoint has come.
type Event struct {
	*delivery.Event
	State      string
	Attempts   []byte // JSON; empty for none
	Damaged    bool   // the facts cannot be read, and are empty
	Deliveries []Delivery
}

// Delivery is how far the delivery of an event to a further endpoint has come.
type Delivery struct {
	EndpointID string
	State      string
	Attempts   []byte // JSON; empty for none
}

// Stored is an order as it is stored.
type Stored struct {
	// Order is the order with its history, as a read returns it.
	Order *delivery.Order
	// Document is the record that answered its creation or, since its content was edited, the
	// one that a creation with that content would have been answered with. Original is what
	// answered the creation of an edited order; nil for others, and once that is not kept.
	Document, Original []byte
	Events             []*delivery.Event
	// Shown is the row of the board once the order is erased; nil for an order that
	// has ended. It is written, but never read.
	Shown *board.Row
}
