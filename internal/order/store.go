package order

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads orders. What does not exist is nil, not an error.
type Reader interface {
	// Order is one order with its history.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// Orders lists a partner's orders, newest first, without history. It stops
	// early, and says so, when what it has read takes up MaxPageBytes.
	Orders(ctx context.Context, filter Filter) (found []*delivery.Order, stopped bool, err error)
	// OrdersByKey reads orders with their histories; those that do not exist
	// are left out.
	OrdersByKey(ctx context.Context, keys []OrderKey) (map[OrderKey]*delivery.Order, error)
	// Courier is an active courier.
	Courier(ctx context.Context, courierID string) (*delivery.Courier, error)
	// MovedBy is the operator who brought an order to a version; nil if that was
	// no operator.
	MovedBy(ctx context.Context, key OrderKey, version int64) (*Mover, error)
	// AutoAccepting lists the partners whose orders are accepted automatically.
	AutoAccepting(ctx context.Context) (partnerIDs []string, err error)
	// Pending lists a partner's pending orders by id, those after the given one.
	Pending(ctx context.Context, partnerID, after string, limit int) (orderIDs []string, err error)
}

// Mover is an operator who has moved an order.
type Mover struct {
	OperatorID string    `json:"operator_id"`
	Email      string    `json:"email,omitzero"` // empty for what acts by itself, such as the command line
	At         time.Time `json:"at"`
}

// Writer adds what one group of commands needs: everything they touch, read
// and locked as sets, and everything they change, written as sets.
type Writer interface {
	Load(ctx context.Context, needs *Needs) (*State, error)
	// Save writes all changes. It returns ErrRaced if another node has changed
	// what they rest on; then nothing may be committed.
	Save(ctx context.Context, changes *Changes) error
}

// ErrRaced tells that fewer rows could be written than decided: the state that
// the decision rested on is no longer true.
var ErrRaced = errors.New("another node changed the same rows")

// MaxPageBytes bounds the stored documents that one page of a list is made of:
// a full page of usual orders has a sixteenth of it.
const MaxPageBytes = 16 << 20

// Filter selects orders of one partner. Zero fields select all.
type Filter struct {
	PartnerID      string
	Status         delivery.Status
	PartnerOrderID string
	CreatedFrom    time.Time // included
	CreatedTo      time.Time // excluded
	Before         string    // an order id: only older orders
	Limit          int
	Offset         int64
}

// ReceiptKey is the scope in which an idempotency key counts: the partner and
// the request's method and path.
type ReceiptKey struct {
	PartnerID string
	Scope     string
	Key       [16]byte // the UUID's bytes, so that its spelling does not matter
}

// Receipt is the kept answer to a request that had an effect.
type Receipt struct {
	ReceiptKey
	BodyHash  [32]byte // SHA-256 of the request's body
	OrderID   string
	CreatedAt time.Time
	// Answer is the body that was answered.
	Answer []byte
	// OfCreation is set when the answer is the stored order's own document,
	// which need not be kept a second time.
	OfCreation bool
}

// ProductKey names a product; product ids count per partner.
type ProductKey struct {
	PartnerID string
	ProductID int64
}

// OrderKey names an order.
type OrderKey struct{ PartnerID, OrderID string }

// Reference is a partner's own name for an order.
type Reference struct{ PartnerID, PartnerOrderID string }

// Needs is the set of rows that a group of commands touches.
type Needs struct {
	Receipts   []ReceiptKey
	References []Reference
	Orders     []OrderKey
	Products   []ProductKey
	Proofs     []OrderKey // the orders whose proofs of delivery are asked for
}

// State is what Load found. Deciding one command changes it for the next, so
// that a group has the same outcome as its commands one by one.
type State struct {
	Receipts map[ReceiptKey]*Receipt
	Taken    map[Reference]bool
	Orders   map[OrderKey]*delivery.Order
	Stock    map[ProductKey]*Stock
	// Proofs has the best proof of each order that was asked for and has any.
	Proofs map[OrderKey]*delivery.Proof
	// LastMovement is the highest movement id of each partner whose stock was
	// loaded.
	LastMovement map[string]int64
}

// Stock is a product and how much of it lies where.
type Stock struct {
	delivery.Product
	Levels []delivery.Level
}
