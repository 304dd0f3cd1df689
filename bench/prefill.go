package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
)

const (
	// prefillGroup is the number of orders in a transaction.
	prefillGroup = 5000
	// prefillEvery is the time between the creation of two orders. A million orders
	// take a year.
	prefillEvery = 30 * time.Second
)

// prefillFrom is when the first prefilled order was created, such that the last of
// maxOrders was created before those that a run adds.
var prefillFrom = time.Now().Add(-10 * 365 * 24 * time.Hour).Truncate(time.Hour)

// prefill adds orders as the service would have written them, from one number to
// another.
func prefill(ctx context.Context, db *store.Store, accounts []account, from, to int) error {
	return newOrderMaker().write(ctx, db, accounts, from, to)
}

func (m *orderMaker) write(ctx context.Context, db *store.Store, accounts []account, from, to int) error {
	for from < to {
		size := min(prefillGroup, to-from)
		err := db.Orders().Write(ctx, func(tx order.Writer) error { return m.group(ctx, tx, accounts, from, size) })
		if err != nil {
			return err
		}
		from += size
	}
	return nil
}

// orderMaker makes orders without a service.
type orderMaker struct {
	requests  [2]delivery.OrderRequest // without and with items
	random    *mathrand.Rand
	createdAt func(n int) time.Time
	// follow adds what came after the creation of an order; nil if nothing did.
	follow func(*order.Changes, *delivery.Order) error
}

func newOrderMaker() *orderMaker {
	m := &orderMaker{random: newRandom(), createdAt: createdAt}
	for i := range m.requests {
		before, after := orderBody(i == 1)
		request, err := form.Decode(document(before+"B-"+after), delivery.ReadOrderRequest)
		if err != nil {
			panic(err)
		}
		for at := range request.Items {
			request.Items[at].Name = productName
		}
		m.requests[i] = request
	}
	return m
}

// make returns order number n of a run, and its record.
func (m *orderMaker) make(partnerID string, n int, at time.Time) (*delivery.Order, []byte, error) {
	at = at.UTC().Truncate(time.Millisecond)
	id, err := delivery.NewOrderID(rand.Reader, partnerID, at)
	if err != nil {
		return nil, nil, err
	}
	made := &delivery.Order{
		OrderID: id, PartnerID: partnerID, OrderRequest: m.requests[n%2],
		RateCents: 2345, Currency: delivery.CAD, TrackingURL: "http://127.0.0.1:8080/track/" + id,
		CreatedAt: at, Status: delivery.StatusPending, Version: 1, UpdatedAt: at,
		EstimatedDelivery: at.Add(48 * time.Hour),
		History:           []delivery.HistoryEntry{{Status: delivery.StatusPending, At: at}},
	}
	made.PartnerOrderID = reference(m.random)
	if isUnderWay(n) {
		spread(made, n)
	}
	for _, item := range made.Items {
		made.Allocation = append(made.Allocation,
			delivery.Take{ProductID: item.ProductID, Location: locations[0], Quantity: item.Quantity})
	}
	return made, record.Encode(made), nil
}

// allocationOf returns a text like the one that the service stores.
func allocationOf(o *delivery.Order) string {
	allocation := ""
	for _, take := range o.Allocation {
		allocation += fmt.Sprintf(`{"product_id":%d,"location":%q,"quantity":%d},`, take.ProductID, take.Location,
			take.Quantity)
	}
	return allocation
}

func reference(random *mathrand.Rand) string {
	var text [referenceWidth]byte
	putReference(text[:], random)
	return string(text[:])
}

// group writes a group of orders, with movements, and with receipts of those whose
// idempotency keys the service would still keep.
func (m *orderMaker) group(ctx context.Context, tx order.Writer, accounts []account, from, size int) error {
	state, err := tx.Load(ctx, &order.Needs{Products: productsOf(accounts)})
	if err != nil {
		return err
	}
	changes := &order.Changes{Stocks: state.Stocks}
	for n := from; n < from+size; n++ {
		// Two in a row to each partner, so that each has orders with items.
		partnerID := accounts[n/2%len(accounts)].PartnerID
		made, document, err := m.make(partnerID, n, m.createdAt(n))
		if err != nil {
			return err
		}
		state.Stocks[partnerID].Withdraw(made.Allocation, made.OrderID, made.CreatedAt)
		if made.Status = ended(n); isUnderWay(n) {
			underWay(made, n)
		}
		changes.Created = append(changes.Created, order.Creation{Order: made, Document: document})
		if m.follow != nil {
			if err := m.follow(changes, made); err != nil {
				return err
			}
		}
		if time.Since(made.CreatedAt) > retention.KeysKept {
			continue
		}
		changes.Receipts = append(changes.Receipts, &idempotency.Receipt{
			Request: idempotency.Request{
				Key: idempotency.Key{PartnerID: partnerID, Scope: creationScope, UUID: newUUID(m.random)},
			},
			OrderID: made.OrderID, CreatedAt: made.CreatedAt, Answer: document, OfCreation: true,
		})
	}
	return order.Apply(ctx, tx, changes)
}

// creationScope is the scope of creations' idempotency keys.
const creationScope = "POST /v1/orders"

func productsOf(accounts []account) (keys []movement.ProductKey) {
	for _, a := range accounts {
		for id := range products {
			keys = append(keys, movement.ProductKey{PartnerID: a.PartnerID, ProductID: int64(id + 1)})
		}
	}
	return keys
}
