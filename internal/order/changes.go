package order

import (
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

// Changes is what a group of commands writes.
type Changes struct {
	Created   []Creation
	Changed   map[OrderKey]*Change
	History   []History
	Receipts  []*Receipt
	Events    []*delivery.Event
	Movements []Movement
	Audit     []*audit.Entry
	// Stock lists the products whose levels differ from what was loaded.
	Stock map[ProductKey]*Stock
	// LastMovement is the highest movement id of each partner that has new
	// movements.
	LastMovement map[string]int64

	// Shown holds the board's rows of the orders among Created and Changed that
	// are under way, and Ended names those that have ended. Complete fills both,
	// and Deliveries.
	Shown      []*board.Row
	Ended      []OrderKey
	Deliveries []Delivery
}

// Complete fills the fields that follow from the orders that were created and
// changed. It is called once, after the last decision, because an order that
// was changed several times has one row of the board.
func (c *Changes) Complete() {
	for _, created := range c.Created {
		o := created.Order
		if _, moved := c.Changed[OrderKey{o.PartnerID, o.OrderID}]; !moved && board.IsOpen(o.Status) {
			c.Shown = append(c.Shown, board.Of(o))
		}
	}
	for key, change := range c.Changed {
		o := change.Order
		if board.IsOpen(o.Status) {
			c.Shown = append(c.Shown, board.Of(o))
			continue
		}
		c.Ended = append(c.Ended, key)
		if o.Status == delivery.StatusDelivered && o.Courier != nil {
			c.Deliveries = append(c.Deliveries, Delivery{OrderKey: key, CourierID: o.Courier.CourierID, At: o.UpdatedAt})
		}
	}
}

// Creation is a new order and the record that was answered.
type Creation struct {
	Order    *delivery.Order
	Document []byte
}

// Change is an order's new state, and the version that it must still have.
type Change struct {
	Order       *delivery.Order
	FromVersion int64
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

// Movement is a new line of a partner's stock ledger.
type Movement struct {
	PartnerID string
	delivery.Movement
}
