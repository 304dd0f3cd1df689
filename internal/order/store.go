package order

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
	// ReadOnce is Read for an fn that calls EachStored or FailedAttempt once, and nothing else.
	ReadOnce(ctx context.Context, fn func(Reader) error) error
	// Order returns one order as Reader's Order does, with all that was committed before
	// it was called.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// Stored returns what Order returns without decoding it. It may read for several
	// callers together.
	Stored(ctx context.Context, partnerID, orderID string) (*delivery.Stored, error)
}

// Warmer is a Store that can read ahead what a transaction will need.
type Warmer interface {
	// Cold reports whether that pays at present, because reading is slow.
	Cold() bool
	// Warm reads what a command needs, so that Load is quick. It returns early if that
	// takes long; nothing depends on its success.
	Warm(ctx context.Context, needs *Needs)
}

// Reader reads orders. What does not exist is nil, not an error.
type Reader interface {
	// Order returns one order with its history. The error may be a
	// *delivery.DamagedError; the methods that return several orders return a damaged
	// one with its Damage, so that it does not keep the others from being read.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// Head returns one order as Order does, but its history has the creation only.
	Head(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// Orders lists a partner's orders, newest first, without history. It stops
	// early, and reports so, when what it has read takes up MaxPageBytes.
	Orders(ctx context.Context, filter Filter) (found []*delivery.Order, stopped bool, err error)
	// EachStored calls fn for the orders that Orders lists. It is faster, because it
	// decodes nothing.
	EachStored(ctx context.Context, filter Filter, fn func(*delivery.Stored) error) (stopped bool, err error)
	// OrdersByKey returns orders with their histories; those that do not exist
	// are left out.
	OrdersByKey(ctx context.Context, keys []OrderKey) (map[OrderKey]*delivery.Order, error)
	// Courier returns an active courier.
	Courier(ctx context.Context, courierID string) (*delivery.Courier, error)
	// Locations lists the locations that have an address: all, or the one with a code.
	Locations(ctx context.Context, code string) ([]*delivery.Location, error)
	// Moves lists the latest moves of an order by operators, and their answers to its
	// partner's request, newest first.
	Moves(ctx context.Context, key OrderKey) ([]Move, error)
	// FailedAttempt returns what the event of an order's latest failed attempt says; nil if
	// it is not kept any more.
	FailedAttempt(ctx context.Context, key OrderKey) (*delivery.EventFacts, error)
	// OperatorEmail returns an operator's e-mail address; empty for what acts by
	// itself, such as the command line.
	OperatorEmail(ctx context.Context, operatorID string) (string, error)
	// AutoAccepting lists the partners whose orders are accepted automatically.
	AutoAccepting(ctx context.Context) (partnerIDs []string, err error)
	// Peek reads what a group of commands would touch, without locking it.
	Peek(ctx context.Context, needs *Needs) (*State, error)
	// Pending lists a partner's pending orders by id, those after the given one.
	Pending(ctx context.Context, partnerID, after string, limit int) (orderIDs []string, err error)
}

// Mover is an operator who has moved an order.
type Mover struct {
	OperatorID string    `json:"operator_id"`
	Email      string    `json:"email,omitzero"` // empty for what acts by itself, such as the command line
	At         time.Time `json:"at"`
}

// Move is a move of an order, or an answer to its partner's request, as the audit log has it.
type Move struct {
	OperatorID string
	At         time.Time
	After      []byte // how the order was left, as JSON
}

// Writer adds what one group of commands needs: everything they touch, read
// and locked as sets, and everything they change, written as sets.
type Writer interface {
	// Load reads what a group of commands touches, locked until the transaction
	// ends.
	Load(ctx context.Context, needs *Needs) (*State, error)
	// LockQueues keeps others from adding events of partners, whose ids are sorted, and
	// locks their endpoints, until the transaction ends. It returns how far the given
	// events have come at each endpoint, and what was committed until now; what does not exist,
	// and the given events of a partner without an endpoint, are left out. A key without a sequence
	// stands for the latest event of what it is about.
	LockQueues(ctx context.Context, partnerIDs []string, ahead []outbox.EventKey) (Queues, error)
	// Save writes all changes, which Apply has completed. It returns ErrRaced if
	// another node has changed what they rest on; then nothing may be committed.
	Save(ctx context.Context, changes *Changes) error
}

// Queues is what new events of partners are added to.
type Queues struct {
	Heads  map[outbox.EndpointKey]outbox.Head  // of the endpoints
	Ahead  map[outbox.EventKey]outbox.Progress // of the events in front of new ones
	Newest map[string]string                   // the greatest event ids, by partner
	Latest map[outbox.EventKey]int64           // the sequences that keys without one stand for
}

// Add gives new events their places among those of their partners, and in the queues of the endpoints.
func (q Queues) Add(events []*delivery.Event) ([]outbox.Entry, []outbox.Wake) {
	outbox.Number(events, q.Latest)
	outbox.Follow(events, q.Newest)
	return outbox.Queue(events, q.Heads, q.Ahead)
}

// ErrRaced means that fewer rows could be written than decided: the state that
// the decision rested on is no longer true.
var ErrRaced = errors.New("another node changed the same rows")

// MaxPageBytes bounds the stored documents of one page of a list, in bytes. A full
// page of ordinary orders has a sixteenth of it.
const MaxPageBytes = 16 << 20

// Filter selects orders of one partner. Zero fields select all.
type Filter struct {
	PartnerID      string
	Status         delivery.Status
	PartnerOrderID string
	// Search is words that an order has all of. A page of such orders is chosen from the newest 1,000.
	Search      string
	CreatedFrom time.Time // included
	CreatedTo   time.Time // excluded
	Before      string    // an order id: only older orders
	Limit       int
	Offset      int64
	// Damaged is set to list also orders that cannot be read.
	Damaged bool
	// Reserve, if set, is called with the size of each stored document before it is
	// kept, in bytes. An error ends the reading and is returned.
	Reserve func(bytes int) error
}

// OrderKey names an order.
type OrderKey struct{ PartnerID, OrderID string }

// Reference is a partner's own name for an order.
type Reference struct{ PartnerID, PartnerOrderID string }

// Needs is the set of rows that a group of commands touches.
type Needs struct {
	Receipts   []idempotency.Key
	References []Reference
	Orders     []OrderKey
	Products   []movement.ProductKey
	// SKUs and Barcodes are codes of products that are asked for, too.
	SKUs, Barcodes []movement.ProductCode
	Documents      []OrderKey // the orders whose stored records are asked for
	Proofs         []OrderKey // the orders whose proofs of delivery are asked for
	Usages         []UsageKey // the partners that have quotas
	Books          bool       // the settings of the books are asked for
	Charged        []OrderKey // the orders of which it is asked whether their delivery is in the books
	// Actors are the people on whose authority the commands change something. They are read
	// and locked before all else.
	Actors []*actor.Actor
	// LockWait bounds the wait for each lock, where several nodes share a database; 0 is
	// the store's own bound. When it has passed, the error is a refusal.ErrBlocked.
	LockWait time.Duration
}

// Existing is the order that has a reference.
type Existing struct {
	OrderID string          `json:"order_id"`
	Status  delivery.Status `json:"status"`
}

// State is what Load found. Deciding one command changes it for the next, so
// that a group has the same outcome as its commands one by one.
type State struct {
	Receipts  map[idempotency.Key]*idempotency.Receipt
	Taken     map[Reference]Existing
	Orders    map[OrderKey]*delivery.Order
	Documents map[OrderKey][]byte // the stored records
	// Stocks has the stock of each partner whose products were asked for, with
	// those that exist.
	Stocks map[string]*movement.Stock
	// SKUs and Barcodes have the ids of the products with the codes that were asked for.
	SKUs, Barcodes map[movement.ProductCode][]int64
	// Proofs has the best proof of each order that was asked for and has any.
	Proofs map[OrderKey]*delivery.Proof
	// Usages has what each partner that was asked for has used of its quotas.
	Usages map[string]*Usage
	// Books are the settings of the books, if they were asked for; otherwise off.
	Books money.Books
	// Charged has those orders that were asked for whose delivery is in the books.
	Charged map[OrderKey]bool
	// Actors is what was found of the people.
	Actors *actor.Standing
}

// order returns an order that was asked for. The error is not_found, or a
// *delivery.DamagedError.
func (s *State) order(key OrderKey) (*delivery.Order, error) {
	found := s.Orders[key]
	if found == nil {
		return nil, refusal.NotFound("order")
	}
	return found, found.Damage
}

// product returns a product that was asked for; nil if it does not exist.
func (s *State) product(key movement.ProductKey) *movement.Product {
	if partner := s.Stocks[key.PartnerID]; partner != nil {
		return partner.Products[key.ProductID]
	}
	return nil
}
