package movement

import (
	"maps"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// change is what has become of a product in an act.
type change struct {
	before delivery.Product
	at     time.Time // of the latest change
}

// changing notes that a product changes at a time.
func (l *Stock) changing(p *Product, at time.Time) {
	if l.changes == nil {
		l.changes = map[int64]*change{}
	}
	if l.changes[p.ProductID] == nil {
		l.changes[p.ProductID] = &change{before: p.Product}
	}
	l.changes[p.ProductID].at = at
}

// Describe changes a product that exists, except its quantity.
func (l *Stock) Describe(described delivery.Product, at time.Time) {
	product := l.Products[described.ProductID]
	l.changing(product, at)
	described.Quantity = product.Quantity
	product.Product = described
}

// Announce returns the events of what was changed since it was called before, without ids and
// sequences: one for each movement if the stock is traced, and one for each product that was not
// low and is now. What was changed between two calls is one act: a product that is low before and
// after a transfer, or after an edit that returned units and took them again, was low all along.
func (l *Stock) Announce() (events []*delivery.Event) {
	if l.Traced {
		events = l.moved(l.Booked[l.announced:])
	}
	l.announced = len(l.Booked)
	for _, id := range slices.Sorted(maps.Keys(l.changes)) {
		if now := l.Products[id].Product; now.IsLow() && !l.changes[id].before.IsLow() {
			events = append(events, l.event(now, delivery.EventStockLow, l.changes[id].at, delivery.StockFacts{
				Total: now.Quantity, Threshold: now.StockMin,
			}))
		}
	}
	clear(l.changes)
	return events
}

// moved returns the events of the latest movements. It goes back from the levels that they have led to.
func (l *Stock) moved(booked []delivery.Movement) []*delivery.Event {
	type place struct {
		productID int64
		location  string
	}
	totals, levels := map[int64]int64{}, map[place]int64{} // how much was added later
	events := make([]*delivery.Event, len(booked))
	for i, m := range slices.Backward(booked) {
		product, at := l.Products[m.ProductID], place{m.ProductID, m.Location}
		events[i] = l.event(product.Product, delivery.EventStockChanged, m.At, delivery.StockFacts{
			Total: product.Quantity - totals[m.ProductID], Location: m.Location,
			Quantity: product.Level(m.Location) - levels[at], Change: m.Change(),
			MovementID: m.MovementID, Type: m.Type, OrderID: m.OrderID,
		})
		totals[m.ProductID] += m.Change()
		levels[at] += m.Change()
	}
	return events
}

// event returns an event of a product.
func (l *Stock) event(
	p delivery.Product, kind delivery.EventType, at time.Time, facts delivery.StockFacts,
) *delivery.Event {
	facts.ProductID, facts.SKU, facts.Name = p.ProductID, p.SKU, p.Name
	return &delivery.Event{
		PartnerID: l.PartnerID, OrderID: delivery.StockID(p.ProductID), Type: kind, CreatedAt: at,
		Facts: delivery.EventFacts{Stock: &facts},
	}
}
