package retention

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

// Reader reads page by page: every list begins behind the given key and ends
// after limit rows, so that neither memory nor a view of the data is held for
// long.
type Reader interface {
	// PartnerIDs lists all partners.
	PartnerIDs(ctx context.Context) ([]string, error)
	// Receipts lists what is kept under a partner's idempotency keys.
	Receipts(ctx context.Context, partnerID string, after ReceiptKey, limit int) ([]Receipt, error)
	// Ended lists a partner's orders in one state whose ids are behind after and
	// before until.
	Ended(ctx context.Context, partnerID string, state delivery.Status, after, until string, limit int) ([]Ended, error)
	// EventTimes lists the events of orders whose ids are before until, without
	// those that still wait to be sent.
	EventTimes(ctx context.Context, partnerID string, after EventKey, until string, limit int) ([]EventTime, error)

	// Partner is an account; nil if there is none.
	Partner(ctx context.Context, partnerID string) (*Partner, error)
	// AllAPIKeys lists a partner's keys, revoked ones too.
	AllAPIKeys(ctx context.Context, partnerID string) ([]APIKey, error)
	ProductsFrom(ctx context.Context, partnerID string, after int64, limit int) ([]delivery.Product, error)
	LevelsFrom(ctx context.Context, partnerID string, after delivery.Level, limit int) ([]delivery.Level, error)
	MovementsFrom(ctx context.Context, partnerID string, after int64, limit int) ([]delivery.Movement, error)
	// OrdersFrom lists whole orders with their histories, oldest first.
	OrdersFrom(ctx context.Context, partnerID, after string, limit int) ([]*delivery.Order, error)
	EventsFrom(ctx context.Context, partnerID string, after EventKey, limit int) ([]*Event, error)
	// WebhookEndpoint is where the partner's events are sent; nil if nowhere.
	WebhookEndpoint(ctx context.Context, partnerID string) (*WebhookEndpoint, error)
	// LoosePictures lists the pictures of a partner that belong to no proof and are
	// due to be deleted.
	LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) ([]string, error)
	// Order is one order with its history; nil if there is none.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
}

// Writer removes and rewrites rows by their keys.
type Writer interface {
	RemoveReceipts(ctx context.Context, partnerID string, keys []ReceiptKey) error
	// RemoveOrders removes orders with their histories, events and proofs, whose
	// pictures become loose. The stock ledger keeps naming them.
	RemoveOrders(ctx context.Context, partnerID string, orderIDs []string) error
	// RemoveEvents removes events that are still in the state that they had.
	RemoveEvents(ctx context.Context, partnerID string, events []EventTime) error

	// LockStored reads orders as they are stored, locked until the transaction
	// ends. What does not exist is missing.
	LockStored(ctx context.Context, partnerID string, orderIDs []string) (map[string]*Stored, error)
	// SaveErased writes orders whose personal fields have been removed, and
	// without their proofs, whose pictures become loose.
	SaveErased(ctx context.Context, partnerID string, orders []*Stored) error
	// ForgetPictures forgets pictures that are deleted.
	ForgetPictures(ctx context.Context, partnerID string, pictures []string) error
	// SaveAnswer overwrites the answer kept under an idempotency key.
	SaveAnswer(ctx context.Context, partnerID string, key ReceiptKey, answer []byte) error
}

// ReceiptKey names a kept answer of one partner.
type ReceiptKey struct {
	Key   [16]byte
	Scope string
}

// Receipt tells what an idempotency key was used for.
type Receipt struct {
	ReceiptKey
	OrderID   string
	CreatedAt time.Time
	// OwnAnswer is set unless the answer is the order's document.
	OwnAnswer bool
}

// Ended is an order in a final state.
type Ended struct {
	OrderID   string
	UpdatedAt time.Time
	// Rows is how many rows are stored for it: itself, its history, its events.
	Rows int64
}

// EventKey names an outbox row of one partner.
type EventKey struct {
	OrderID  string
	Sequence int64
}

// EventTime tells when an event happened.
type EventTime struct {
	EventKey
	State     string
	CreatedAt time.Time
}

// Partner is an account, as its partner knows it.
type Partner struct {
	PartnerID string    `json:"partner_id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"created_at"`
}

// APIKey is a key without its secret.
type APIKey struct {
	KeyID      string    `json:"key_id"`
	Name       string    `json:"name"`
	PublicKey  string    `json:"public_key"`
	CreatedAt  time.Time `json:"created_at"`
	RevokedAt  time.Time `json:"revoked_at,omitzero"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// WebhookEndpoint is a partner's endpoint without its secret.
type WebhookEndpoint struct {
	URL            string    `json:"url"`
	Enabled        bool      `json:"enabled"`
	DisabledReason string    `json:"disabled_reason,omitzero"`
	CreatedAt      time.Time `json:"created_at"`
}

// Event is an event, and what became of it.
type Event struct {
	*delivery.Event
	State    string
	Attempts []byte // JSON; empty for none
}

// Stored is an order as it is stored.
type Stored struct {
	// Order is the order with its history, as a read would answer it.
	Order *delivery.Order
	// Document is the record that answered its creation.
	Document []byte
	Events   []*delivery.Event
}
