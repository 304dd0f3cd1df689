package retention

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
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

	// Partner returns an account; nil if there is none.
	Partner(ctx context.Context, partnerID string) (*Partner, error)
	// APIKeys lists a partner's keys, revoked ones too, oldest first.
	APIKeys(ctx context.Context, partnerID string) ([]APIKey, error)
	// Endpoint returns where the partner's events are sent; nil if nowhere.
	Endpoint(ctx context.Context, partnerID string) (*Endpoint, error)
	// Products lists products by id.
	Products(ctx context.Context, partnerID string, after int64, limit int) ([]delivery.Product, error)
	// Levels lists stock levels by product and location.
	Levels(ctx context.Context, partnerID string, after delivery.Level, limit int) ([]delivery.Level, error)
	// Movements lists the stock ledger, oldest first, without products' names.
	Movements(ctx context.Context, partnerID string, after int64, limit int) ([]delivery.Movement, error)
	// Orders lists whole orders with their histories, oldest first.
	Orders(ctx context.Context, partnerID, after string, limit int) ([]*delivery.Order, error)
	// Events lists events by order and sequence.
	Events(ctx context.Context, partnerID string, after EventKey, limit int) ([]*Event, error)
	// LoosePictures lists the pictures of a partner that belong to no proof and are
	// due to be deleted.
	LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) ([]string, error)
	// Order returns one order with its history; nil if there is none.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
}

// Writer removes and rewrites rows by their keys.
type Writer interface {
	// RemoveReceipts removes what is kept under idempotency keys.
	RemoveReceipts(ctx context.Context, partnerID string, keys []ReceiptKey) error
	// RemoveOrders removes orders with their histories, events, notes and proofs,
	// whose pictures become loose. The stock ledger keeps naming them.
	RemoveOrders(ctx context.Context, partnerID string, orderIDs []string) error
	// RemoveEvents removes events that are still in the state that they had.
	RemoveEvents(ctx context.Context, partnerID string, events []EventTime) error

	// LockOrders returns orders as they are stored, by id, locked until the
	// transaction ends. What does not exist is missing.
	LockOrders(ctx context.Context, partnerID string, orderIDs []string) (map[string]*Stored, error)
	// SaveErased writes orders whose personal fields have been removed. Their
	// versions stay: nothing has happened to them that a partner should hear of.
	// It also empties the notes of their histories, replaces what operators have
	// noted by note, and removes their proofs, whose pictures become loose.
	SaveErased(ctx context.Context, orders []*Stored, note string) error
	// ForgetPictures forgets pictures that are deleted.
	ForgetPictures(ctx context.Context, partnerID string, pictures []string) error
	// SaveAnswer overwrites the answer kept under an idempotency key, if it is
	// still kept.
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

// Endpoint is a partner's webhook endpoint without its secret.
type Endpoint struct {
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
	Damaged  bool   // the facts cannot be read, and are empty
}

// Stored is an order as it is stored.
type Stored struct {
	// Order is the order with its history, as a read would answer it.
	Order *delivery.Order
	// Document is the record that answered its creation.
	Document []byte
	Events   []*delivery.Event
	// Shown is what the board shows of the order once it is erased; nil for an
	// order that has ended. It is not read, only written.
	Shown *board.Row
}
