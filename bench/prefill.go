package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/store"
)

const (
	// prefillGroup is how many orders one transaction of the prefill adds.
	prefillGroup = 5000
	// prefillEvery is how far apart prefilled orders were created: a million
	// take a year.
	prefillEvery = 30 * time.Second
)

// prefillFrom is when the first prefilled order was created: far enough back
// that all that can be asked for precede those that a run adds.
var prefillFrom = time.Now().Add(-10 * 365 * 24 * time.Hour).Truncate(time.Hour)

// prefill adds the orders that are missing, as the service would have written
// them, and tells how many that were.
func prefill(ctx context.Context, db *store.Store, done *seeded, wanted int) (added int, err error) {
	maker := newOrderMaker()
	for done.Orders+added < wanted {
		size := min(prefillGroup, wanted-done.Orders-added)
		err := db.Orders().Write(ctx, func(tx order.Writer) error {
			return maker.group(ctx, tx, done.Accounts, done.Orders+added, size)
		})
		if err != nil {
			return added, err
		}
		added += size
	}
	return added, nil
}

// orderMaker makes orders without a service.
type orderMaker struct {
	requests [2]delivery.OrderRequest // without and with items
	random   *mathrand.Rand
}

func newOrderMaker() *orderMaker {
	m := &orderMaker{random: newRandom()}
	for i := range m.requests {
		before, after := orderBody(i == 1)
		request, problems := delivery.ReadOrderRequest(document(before + "B-" + after))
		if err := problems.Err(); err != nil {
			panic(err)
		}
		for at := range request.Items {
			request.Items[at].Name = productName
		}
		m.requests[i] = request
	}
	return m
}

// make makes order number n of a run, with its record.
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
		made.Allocation = append(made.Allocation, delivery.Take{ProductID: item.ProductID, Location: locations[0], Quantity: item.Quantity})
	}
	return made, record.Encode(made), nil
}

// allocationOf is a text like the one that the service keeps.
func allocationOf(o *delivery.Order) string {
	allocation := ""
	for _, take := range o.Allocation {
		allocation += fmt.Sprintf(`{"product_id":%d,"location":%q,"quantity":%d},`, take.ProductID, take.Location, take.Quantity)
	}
	return allocation
}

func reference(random *mathrand.Rand) string {
	var text [referenceWidth]byte
	putReference(text[:], random)
	return string(text[:])
}

// group writes a group of orders, with receipts and movements.
func (m *orderMaker) group(ctx context.Context, tx order.Writer, accounts []account, from, size int) error {
	state, err := tx.Load(ctx, &order.Needs{Products: productsOf(accounts)})
	if err != nil {
		return err
	}
	changes := &order.Changes{Stock: state.Stock, LastMovement: state.LastMovement}
	for n := from; n < from+size; n++ {
		// Two in a row to each partner, so that each has orders with items.
		partnerID := accounts[n/2%len(accounts)].PartnerID
		made, document, err := m.make(partnerID, n, createdAt(n))
		if err != nil {
			return err
		}
		withdraw(changes, made)
		if made.Status = ended(n); isUnderWay(n) {
			underWay(made, n)
		}
		changes.Created = append(changes.Created, order.Creation{Order: made, Document: document})
		changes.Receipts = append(changes.Receipts, &order.Receipt{
			ReceiptKey: order.ReceiptKey{PartnerID: partnerID, Scope: creationScope, Key: newUUID(m.random)},
			OrderID:    made.OrderID, CreatedAt: made.CreatedAt, Answer: document, OfCreation: true,
		})
	}
	changes.Complete()
	return tx.Save(ctx, changes)
}

// creationScope is the scope of creations' idempotency keys.
const creationScope = "POST /v1/orders"

func productsOf(accounts []account) (keys []order.ProductKey) {
	for _, a := range accounts {
		for id := range products {
			keys = append(keys, order.ProductKey{PartnerID: a.PartnerID, ProductID: int64(id + 1)})
		}
	}
	return keys
}

// withdraw takes an order's items out of stock.
func withdraw(changes *order.Changes, made *delivery.Order) {
	for _, take := range made.Allocation {
		stock := changes.Stock[order.ProductKey{PartnerID: made.PartnerID, ProductID: take.ProductID}]
		stock.Quantity -= take.Quantity
		for i := range stock.Levels {
			if stock.Levels[i].Location == take.Location {
				stock.Levels[i].Quantity -= take.Quantity
			}
		}
		changes.LastMovement[made.PartnerID]++
		changes.Movements = append(changes.Movements, order.Movement{PartnerID: made.PartnerID, Movement: delivery.Movement{
			MovementID: changes.LastMovement[made.PartnerID], Type: delivery.MovementOut, Quantity: take.Quantity,
			ProductID: take.ProductID, Location: take.Location, OrderID: made.OrderID, At: made.CreatedAt,
		}})
	}
}

// forgetful is an order store that keeps nothing: what is left of the service
// without storage. Everything is in stock.
type forgetful struct{ order.Store }

// Write runs fn on nothing.
func (forgetful) Write(_ context.Context, fn func(order.Writer) error) error { return fn(nothing{}) }

type nothing struct{}

// Load finds no orders, and plenty of every product.
func (nothing) Load(_ context.Context, needs *order.Needs) (*order.State, error) {
	state := &order.State{
		Receipts: map[order.ReceiptKey]*order.Receipt{},
		Taken:    map[order.Reference]bool{},
		Orders:   map[order.OrderKey]*delivery.Order{},
		Stock:    make(map[order.ProductKey]*order.Stock, len(needs.Products)),
		// A missing counter counts from 0.
		LastMovement: map[string]int64{},
	}
	for _, key := range needs.Products {
		state.Stock[key] = plenty(key.ProductID)
	}
	return state, nil
}

func plenty(productID int64) *order.Stock {
	s := &order.Stock{Product: delivery.Product{
		ProductID: productID, Name: "Product " + strconv.FormatInt(productID, 10), Quantity: int64(len(locations)) * openingStock, Status: delivery.ProductActive,
	}}
	for _, location := range locations {
		s.Levels = append(s.Levels, delivery.Level{ProductID: productID, Location: location, Quantity: openingStock})
	}
	return s
}

// Save keeps nothing.
func (nothing) Save(context.Context, *order.Changes) error { return nil }
