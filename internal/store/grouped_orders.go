package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// storedOrder is an order with its history, as it is stored.
type storedOrder struct {
	row     *orderRow
	history []*order.History // by version
}

// orderReads reads single orders in groups.
type orderReads struct {
	groups groupedReads[order.OrderKey, *storedOrder]
	traces *traces
}

func groupOrders(g *guard) *orderReads {
	r := &orderReads{traces: &g.traces}
	r.groups.find = func(ctx context.Context, take func() []order.OrderKey) (found map[order.OrderKey]*storedOrder, err error) {
		err = g.read(ctx, func(c conn) error {
			found, err = findStored(ctx, c, take())
			return err
		})
		return found, err
	}
	return r
}

// read returns one order. Its span is the caller's part of the group's transaction.
func (r *orderReads) read(ctx context.Context, key order.OrderKey) (*delivery.Order, error) {
	ctx, span := r.traces.start(ctx, "read transaction")
	stored, err := r.groups.read(ctx, key)
	ended(span, err)
	if err != nil {
		return nil, err
	}
	return stored.order()
}

// findStored reads orders and their histories in one round trip.
func findStored(ctx context.Context, c conn, keys []order.OrderKey) (map[order.OrderKey]*storedOrder, error) {
	p := newPipeline(c)
	orderRows, historyRows := find(p, findOrders, keys), find(p, findHistory, keys)
	done, err := p.flush(ctx)
	if err != nil {
		return nil, err
	}
	byKey := make(map[order.OrderKey]*storedOrder, len(keys))
	for _, row := range orderRows.after(done) {
		byKey[order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}] = &storedOrder{row: row}
	}
	for _, row := range historyRows.after(done) {
		if o := byKey[row.OrderKey]; o != nil {
			o.history = append(o.history, row)
		}
	}
	return byKey, nil
}

// order returns the order, which may be nil, or its damage as the error. Callers that
// share a stored order may call it at the same time; they must not change its courier
// and allocation.
func (s *storedOrder) order() (*delivery.Order, error) {
	if s == nil {
		return nil, nil
	}
	row := *s.row // decoding notes damage in it
	o := row.order()
	history := slices.SortedFunc(slices.Values(s.history), func(a, b *order.History) int { return int(a.Version - b.Version) })
	for _, entry := range history {
		o.History = append(o.History, entry.Entry)
	}
	return undamaged(o)
}

// Order returns one order with its history; nil if there is none. On a shared engine
// the orders of callers that wait at the same time are read together. Where partners
// lie on several nodes they are not: a group would wait for the slowest node.
func (s orderStore) Order(ctx context.Context, partnerID, orderID string) (found *delivery.Order, err error) {
	if s.grouped == nil {
		err = s.Read(ctx, func(tx order.Reader) error {
			found, err = tx.Order(ctx, partnerID, orderID)
			return err
		})
		return found, err
	}
	return s.grouped.read(ctx, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
}
