package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// storedOrder is an order with its history, as it is stored.
type storedOrder struct {
	row   *orderRow
	moves []delivery.HistoryEntry // the history after the creation
}

// orderReads reads single orders, which nothing decodes, in groups.
type orderReads = db.Grouped[order.OrderKey, *storedOrder]

// storedByKeys reads orders and their histories in one round trip.
func storedByKeys(ctx context.Context, c db.Conn, keys []order.OrderKey) (map[order.OrderKey]*storedOrder, error) {
	p := db.NewPipeline(c)
	orderRows, historyRows := db.Find(p, findStored, keys), db.Find(p, findHistory, keys)
	done, err := p.Flush(ctx)
	if err != nil {
		return nil, err
	}
	byKey := make(map[order.OrderKey]*storedOrder, len(keys))
	for _, row := range orderRows.After(done) {
		byKey[order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID}] = &storedOrder{row: row}
	}
	rows := historyRows.After(done)
	slices.SortFunc(rows, byVersion)
	for _, row := range rows {
		if o := byKey[row.OrderKey]; o != nil {
			o.moves = append(o.moves, row.Entry)
		}
	}
	return byKey, nil
}

// storedByKey reads one order and its history; nil if there is none.
func storedByKey(ctx context.Context, c db.Conn, by *db.Lookup[*order.OrderKey, *orderRow], key order.OrderKey) (*storedOrder, error) {
	rows, err := db.FindNow(ctx, c, by, key)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found := &storedOrder{row: rows[0]}
	if found.row.Version == 1 {
		return found, nil
	}
	moves, err := db.FindNow(ctx, c, findHistory, key)
	slices.SortFunc(moves, byVersion)
	for _, row := range moves {
		found.moves = append(found.moves, row.Entry)
	}
	return found, err
}

// order returns the order, or its damage as the error. The row must be a whole one.
func (s *storedOrder) order() (*delivery.Order, error) {
	o := s.row.order()
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
	stored.Events, stored.Courier, stored.Moves, stored.Cancellation = s.row.Events, s.row.Courier, s.moves, s.row.cancellation()
	return &stored, nil
}

// read reads one order; nil if there is none.
func (s orderStore) read(ctx context.Context, by *db.Lookup[*order.OrderKey, *orderRow], key order.OrderKey) (found *storedOrder, err error) {
	err = s.database.Read(ctx, func(c db.Conn) error {
		found, err = storedByKey(ctx, c, by, key)
		return err
	})
	return found, err
}

// Order returns one order with its history; nil if there is none.
func (s orderStore) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	found, err := s.read(ctx, findOrders, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
	if err != nil || found == nil {
		return nil, err
	}
	return found.order()
}

// Stored returns what Order returns without decoding it. On a shared engine the orders of
// callers that wait at the same time are read together. Where partners lie on several nodes
// they are not: a group would wait for the slowest node.
func (s orderStore) Stored(ctx context.Context, partnerID, orderID string) (*delivery.Stored, error) {
	key := order.OrderKey{PartnerID: partnerID, OrderID: orderID}
	var found *storedOrder
	var err error
	if s.grouped != nil {
		found, err = s.grouped.Read(ctx, key)
	} else {
		found, err = s.read(ctx, findStored, key)
	}
	if err != nil || found == nil {
		return nil, err
	}
	return found.stored()
}
