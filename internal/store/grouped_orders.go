package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// storedOrder is an order with its history, as it is stored.
type storedOrder struct {
	row   *orderRow
	moves []delivery.HistoryEntry // the history after the creation
}

// orderReads reads single orders in groups.
type orderReads struct {
	groups groupedReads[order.OrderKey, *storedOrder]
	traces *traces
}

func groupOrders(g *guard) *orderReads {
	r := &orderReads{traces: &g.traces}
	r.groups.find = func(ctx context.Context, take func() []order.OrderKey) (found map[order.OrderKey]*storedOrder, err error) {
		err = g.readOnce(ctx, func(c conn) error {
			found, err = findStored(ctx, c, take())
			return err
		})
		return found, err
	}
	return r
}

// read returns one order. Its span is the caller's part of the group's transaction.
func (r *orderReads) read(ctx context.Context, key order.OrderKey) (*storedOrder, error) {
	ctx, span := r.traces.start(ctx, "read transaction")
	found, err := r.groups.read(ctx, key)
	ended(span, err)
	return found, err
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
	rows := historyRows.after(done)
	slices.SortFunc(rows, byVersion)
	for _, row := range rows {
		if o := byKey[row.OrderKey]; o != nil {
			o.moves = append(o.moves, row.Entry)
		}
	}
	return byKey, nil
}

// storedByKey reads one order and its history; nil if there is none.
func storedByKey(ctx context.Context, c conn, by *lookup[order.OrderKey, orderRow], key order.OrderKey) (*storedOrder, error) {
	rows, err := findNow(ctx, c, by, key)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found := &storedOrder{row: rows[0]}
	if found.row.Version == 1 {
		return found, nil
	}
	moves, err := findNow(ctx, c, findHistory, key)
	slices.SortFunc(moves, byVersion)
	for _, row := range moves {
		found.moves = append(found.moves, row.Entry)
	}
	return found, err
}

// order returns the order, or its damage as the error. Callers that share a stored order
// may call it at the same time; they must not change its courier and allocation.
func (s *storedOrder) order() (*delivery.Order, error) {
	row := *s.row // decoding notes damage in it
	o := row.order()
	o.History = append(o.History, s.moves...)
	return undamaged(o)
}

// stored returns the order without decoding it, or its damage as the error. Callers that
// share it must not change it.
func (s *storedOrder) stored() (*delivery.Stored, error) {
	if err := s.row.damage(); err != nil {
		return nil, err
	}
	stored := s.row.stored()
	stored.Courier, stored.Moves, stored.Cancellation = s.row.Courier, s.moves, s.row.cancellation()
	return &stored, nil
}

// find returns one order as it is stored; nil if there is none. On a shared engine the
// orders of callers that wait at the same time are read together. Where partners lie on
// several nodes they are not: a group would wait for the slowest node.
func (s orderStore) find(ctx context.Context, partnerID, orderID string) (found *storedOrder, err error) {
	key := order.OrderKey{PartnerID: partnerID, OrderID: orderID}
	if s.grouped != nil {
		return s.grouped.read(ctx, key)
	}
	err = s.engine.read(ctx, func(c conn) error {
		found, err = storedByKey(ctx, c, findOrders, key)
		return err
	})
	return found, err
}

// Order returns one order with its history; nil if there is none.
func (s orderStore) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	found, err := s.find(ctx, partnerID, orderID)
	if err != nil || found == nil {
		return nil, err
	}
	return found.order()
}

// Stored returns what Order returns without decoding it.
func (s orderStore) Stored(ctx context.Context, partnerID, orderID string) (*delivery.Stored, error) {
	found, err := s.find(ctx, partnerID, orderID)
	if err != nil || found == nil {
		return nil, err
	}
	return found.stored()
}
