package order

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Changes is what a group of commands writes.
type Changes struct {
	Created  []Creation
	Changed  map[OrderKey]*Change
	History  []History
	Receipts []*idempotency.Receipt
	Events   []*delivery.Event
	Audit    []*audit.Entry
	Mails    []*mail.Mail // to recipients
	// Figures has what moves add to the figures; Apply adds what creations do.
	Figures figures.Tally
	// Stocks has the stocks in which something was booked, by partner.
	Stocks map[string]*movement.Stock
	// Entries are what the journal gets.
	Entries []*money.Entry
	books   money.Bookkeeper

	// The rest follows from the fields above; Apply fills it.

	// Shown holds the board's rows of the orders that are under way, and Ended
	// names those that have ended.
	Shown      []*board.Row
	Ended      []OrderKey
	Deliveries []Delivery
	// Returns holds the goods that come back, as they are now.
	Returns []*delivery.Returned
	// Queue holds the Events with the state that each begins in, and Wakes the
	// endpoints that are woken for them.
	Queue []outbox.Entry
	Wakes []outbox.Wake
	// Used is what each partner uses in addition of its quotas, sorted by partner.
	Used []Used
}

// Apply fills in what follows from changes and writes them. It returns ErrRaced
// if another node has changed what they rest on; then nothing may be committed.
func Apply(ctx context.Context, tx Writer, c *Changes) error {
	c.complete()
	if err := c.enqueue(ctx, tx); err != nil {
		return err
	}
	return tx.Save(ctx, c)
}

// complete fills in the board's rows, the deliveries and what was used. It is called once, after
// the last decision: an order that was changed several times has one row of the
// board.
func (c *Changes) complete() {
	c.use()
	for _, created := range c.Created {
		o := created.Order
		c.Figures.Created(o)
		if _, moved := c.Changed[OrderKey{o.PartnerID, o.OrderID}]; !moved && board.Shows(o) {
			c.Shown = append(c.Shown, board.Of(o))
		}
	}
	for key, change := range c.Changed {
		o := change.Order
		if delivery.IsTest(o.PartnerID) {
			continue
		}
		if o.Course.Return != nil {
			c.Returns = append(c.Returns, o.Returned())
		}
		if board.Shows(o) {
			c.Shown = append(c.Shown, board.Of(o))
			continue
		}
		if !change.Moved {
			continue
		}
		c.Ended = append(c.Ended, key)
		if o.Status == delivery.StatusDelivered && o.Courier != nil {
			c.Deliveries = append(c.Deliveries, Delivery{OrderKey: key, CourierID: o.Courier.CourierID, At: o.LastMove().At})
		}
	}
}

// enqueue gives the new events their places among those of their partners, and in the
// queues of the partners' endpoints. It locks both.
func (c *Changes) enqueue(ctx context.Context, tx Writer) error {
	if len(c.Events) == 0 {
		return nil
	}
	partnerIDs := make([]string, len(c.Events))
	for i, event := range c.Events {
		partnerIDs[i] = event.PartnerID
	}
	slices.Sort(partnerIDs)
	queues, err := tx.LockQueues(ctx, slices.Compact(partnerIDs), outbox.Ahead(c.Events))
	if err == nil {
		c.Queue, c.Wakes = queues.Add(c.Events)
	}
	return err
}

// Announced returns the endpoints for which events wait, once each.
func (c *Changes) Announced() []outbox.EndpointKey { return outbox.Waiting(c.Queue) }

// Creation is a new order and the record that was answered.
type Creation struct {
	Order    *delivery.Order
	Document []byte
}

// Change is an order's new state, and the version that it must still have.
type Change struct {
	Order       *delivery.Order
	FromVersion int64
	// Document is the record to store if the order was edited; nil if it was not. Original is
	// the record that answered its creation, if this is its first edit.
	Document, Original []byte
	Grown              int64 // by how many bytes the record is longer than before
	Moved              bool  // to another status
}

// History is one new entry of an order's history. Creation has none: that an
// order begins as pending, at its creation, needs no row.
type History struct {
	OrderKey
	Version int64 // the order's version that the entry belongs to
	Entry   delivery.HistoryEntry
}

// Delivery is an order that a courier has delivered.
type Delivery struct {
	OrderKey
	CourierID string
	At        time.Time
}
