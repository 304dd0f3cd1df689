package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// seedHooks fills an empty database, which no other process has open, with an
// endpoint for each URL and with what the function adds.
func seedHooks(ctx context.Context, database string, urls []string, fill func(*store.Store) error) (err error) {
	db, err := openStore(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	client := newHookClient()
	defer client.Close()
	service := webhook.NewService(webhook.Config{
		Store: db.Webhooks(), Client: client, Sealer: benchSealer(), Now: time.Now, Random: rand.NewChaCha8([32]byte{1}),
		Wake: func(...string) {}, Changed: func(string) {},
	})
	for i, url := range urls {
		if _, _, err := service.Put(ctx, hookPartner(i), webhook.Signed{}, document(`{"url":"`+url+`"}`)); err != nil {
			return err
		}
	}
	return fill(db)
}

// hookPartner returns the id of a partner, in the form that the service draws. The
// partners are not registered.
func hookPartner(i int) string { return fmt.Sprintf("par_%08d", i*7919) }

// eventMaker makes events of orders, for each of a number of partners in turn. Half
// of them are in chains of six events of an order, so that their sequence matters;
// the others are the only ones of their orders. It makes the same events every time.
type eventMaker struct {
	partners int
	random   *rand.ChaCha8
	at       time.Time
	orders   int // the number of orders so far
	orderID  string
	sequence int64
}

const (
	chain = 6
	// eventsApart is the time between two events.
	eventsApart = time.Millisecond
	// eventsFrom is the age of the first event, such that the last of maxHookEvents
	// is in the past.
	eventsFrom = maxHookEvents*eventsApart + time.Minute
)

func newEventMaker(partners int) *eventMaker {
	return &eventMaker{partners: partners, random: rand.NewChaCha8([32]byte{2}), at: time.Now().Add(-eventsFrom)}
}

// next returns the next event and the number of its partner.
func (m *eventMaker) next() (event *delivery.Event, partner int) {
	m.at = m.at.Add(eventsApart)
	// One chain, then as many single events.
	chained := m.orders%(chain+1) == 1
	if m.orders == 0 || !chained || m.sequence == chain {
		m.orders++
		m.sequence = 0
	}
	partner = m.orders % m.partners
	if m.sequence++; m.sequence == 1 {
		m.orderID = m.id(delivery.NewOrderID(m.random, hookPartner(partner), m.at))
	}
	at := timestamp.Truncate(m.at)
	return &delivery.Event{
		EventID: m.id(identifier.NewUUID(m.random, at)), PartnerID: hookPartner(partner), OrderID: m.orderID,
		Type: delivery.EventOrderOutForDelivery, Sequence: m.sequence, CreatedAt: at,
		Facts: delivery.EventFacts{
			PartnerOrderID: "B-123456789012345678", Status: delivery.StatusOutForDelivery, At: at, ETA: at.Add(time.Hour),
			Courier: &delivery.Courier{CourierID: "cou_0123456789abcdef", Name: "Robin Tremblay", Phone: "+15145550111"},
		},
	}, partner
}

// id returns the id. It panics on an error, which this source of randomness does not
// return.
func (m *eventMaker) id(id string, err error) string {
	if err != nil {
		panic(err)
	}
	return id
}

// addEvents adds events as transitions do.
func addEvents(ctx context.Context, db *store.Store, partners, count int) error {
	maker := newEventMaker(partners)
	for added := 0; added < count; {
		group := &order.Changes{}
		for ; added < count && len(group.Events) < prefillGroup; added++ {
			event, _ := maker.next()
			group.Events = append(group.Events, event)
		}
		if err := db.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, group) }); err != nil {
			return err
		}
	}
	return nil
}

// addMovable adds an order that can be moved for each of the partners, and returns
// their ids.
func addMovable(ctx context.Context, db *store.Store, partnerIDs []string) (ids []string, err error) {
	maker := newOrderMaker()
	for len(ids) < len(partnerIDs) {
		group := &order.Changes{}
		for len(ids) < len(partnerIDs) && len(group.Created) < prefillGroup {
			made, document, err := maker.make(partnerIDs[len(ids)], 0, time.Now().Add(-time.Hour))
			if err != nil {
				return nil, err
			}
			made.Status = delivery.StatusPickedUp
			group.Created = append(group.Created, order.Creation{Order: made, Document: document})
			ids = append(ids, made.OrderID)
		}
		if err := db.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, group) }); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// addWaiting adds an event for each of the partners, each of another order.
func addWaiting(ctx context.Context, db *store.Store, partnerIDs []string) error {
	maker := newEventMaker(1)
	group := &order.Changes{}
	for i, partnerID := range partnerIDs {
		event, _ := maker.next()
		event.PartnerID, event.Sequence = partnerID, 1
		event.OrderID = maker.id(delivery.NewOrderID(maker.random, partnerID, event.CreatedAt))
		group.Events = append(group.Events, event)
		if len(group.Events) < prefillGroup && i+1 < len(partnerIDs) {
			continue
		}
		if err := db.Orders().Write(ctx, func(tx order.Writer) error { return order.Apply(ctx, tx, group) }); err != nil {
			return err
		}
		group = &order.Changes{}
	}
	return nil
}
