package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
)

// eventMaker makes events of a partner's orders. Half of them are in chains of six
// events of an order, so that their sequence matters; the others are the only ones of
// their orders. It makes the same events every time.
type eventMaker struct {
	partnerID string
	random    *rand.ChaCha8
	at        time.Time
	orders    int // the number of orders so far
	orderID   string
	sequence  int64
}

const (
	chain = 6
	// eventsApart is the time between two events.
	eventsApart = time.Millisecond
	// eventsFrom is the age of the first event, such that the last one is in the past.
	eventsFrom = 20 * time.Minute
)

func newEventMaker(partnerID string) *eventMaker {
	return &eventMaker{partnerID: partnerID, random: rand.NewChaCha8([32]byte{2}), at: time.Now().Add(-eventsFrom)}
}

// next returns the next event.
func (m *eventMaker) next() *delivery.Event {
	m.at = m.at.Add(eventsApart)
	// One chain, then as many single events.
	chained := m.orders%(chain+1) == 1
	if m.orders == 0 || !chained || m.sequence == chain {
		m.orders++
		m.sequence = 0
	}
	if m.sequence++; m.sequence == 1 {
		m.orderID = m.id(delivery.NewOrderID(m.random, m.partnerID, m.at))
	}
	at := timestamp.Truncate(m.at)
	return &delivery.Event{
		EventID: m.id(identifier.NewUUID(m.random, at)), PartnerID: m.partnerID, OrderID: m.orderID,
		Type: delivery.EventOrderOutForDelivery, Sequence: m.sequence, CreatedAt: at,
		Facts: delivery.EventFacts{
			PartnerOrderID: "B-123456789012345678", Status: delivery.StatusOutForDelivery, At: at, ETA: at.Add(time.Hour),
			Courier: &delivery.Courier{CourierID: "cou_0123456789abcdef", Name: "Robin Tremblay", Phone: "+15145550111"},
		},
	}
}

// id returns the id. It panics on an error, which this source of randomness does not
// return.
func (m *eventMaker) id(id string, err error) string {
	if err != nil {
		panic(err)
	}
	return id
}

// addEvents adds a partner's events as transitions do.
func addEvents(ctx context.Context, db *store.Store, partnerID string, count int) error {
	maker := newEventMaker(partnerID)
	for added := 0; added < count; {
		group := &order.Changes{}
		for ; added < count && len(group.Events) < prefillGroup; added++ {
			group.Events = append(group.Events, maker.next())
		}
		if err := db.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, group) }); err != nil {
			return err
		}
	}
	return nil
}
