package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/simulate"
)

// Simulation is the store as the simulation sees it.
func (s *Store) Simulation() simulate.Store {
	reader := func(c db.Conn) simulate.Reader { return simulateTx{c} }
	return view[simulate.Reader, simulate.Reader]{s.Database, reader, reader}
}

// simulateTx is a transaction of the simulation.
type simulateTx struct{ conn db.Conn }

// restingOrders is what the simulation reads of orders.
var restingOrders = orders.Only("status", "version", "updated_at", "course", "document")

// PartnerIDs lists all partners by id.
func (tx simulateTx) PartnerIDs(ctx context.Context) ([]string, error) {
	return partnerIDs(ctx, tx.conn)
}

// Resting lists orders that have been in a status since a time or longer, by the
// index that lists follow. An order whose record cannot be read has no reference.
func (tx simulateTx) Resting(
	ctx context.Context, partnerID string, status delivery.Status, since time.Time, after string, limit int,
) ([]simulate.Order, error) {
	rows, err := restingOrders.All(ctx, tx.conn,
		"WHERE partner_id = $1 AND status = $2 AND order_id > $3 AND updated_at <= $4 ORDER BY order_id LIMIT $5",
		partnerID, string(status), after, since, limit)
	if err != nil {
		return nil, err
	}
	return tx.resting(ctx, rows)
}

// underSimulation is the condition of the index orders_simulated.
const underSimulation = "partner_id >= '" + delivery.FirstTestID +
	"' AND status <> 'delivered' AND status <> 'cancelled'"

// RestingTests lists test orders under way that have not moved since a time or longer,
// by the index orders_simulated.
func (tx simulateTx) RestingTests(
	ctx context.Context, since time.Time, after simulate.Order, limit int,
) ([]simulate.Order, error) {
	rows, err := restingOrders.All(ctx, tx.conn,
		"WHERE "+underSimulation+
			" AND updated_at <= $1 AND (updated_at, order_id) > ($2, $3) ORDER BY updated_at, order_id LIMIT $4",
		since, after.UpdatedAt, after.OrderID, limit)
	if err != nil {
		return nil, err
	}
	return tx.resting(ctx, rows)
}

// HasTests reports whether any test order is under way.
func (tx simulateTx) HasTests(ctx context.Context) (bool, error) {
	return db.Exists(ctx, tx.conn, "SELECT order_id FROM orders WHERE "+underSimulation+" LIMIT 1")
}

// resting returns rows as the simulation reads them.
func (tx simulateTx) resting(ctx context.Context, rows []*orderRow) ([]simulate.Order, error) {
	failures, err := tx.countFailures(ctx, rows)
	found := make([]simulate.Order, len(rows))
	for i, row := range rows {
		found[i] = simulate.Order{
			OrderID: row.OrderID, Status: row.Status, Version: row.Version, UpdatedAt: row.UpdatedAt,
			Failures: failures[row.OrderID],
		}
		if unseen := row.Course.Unseen(); len(unseen) > 0 {
			found[i].Unseen = unseen[len(unseen)-1].Version
		}
		found[i].HandedOver = len(row.Course.Transfers) > 0
		if row.Course.RequestOpen() {
			found[i].Requested, found[i].Reason = true, row.Course.Request.Reason
		}
		if o, err := record.Decode(row.document); err == nil {
			found[i].Reference = o.Reference
		}
	}
	return found, err
}

// countFailures counts the failed attempts of orders, by id.
func (tx simulateTx) countFailures(ctx context.Context, rows []*orderRow) (map[string]int, error) {
	var moved []order.OrderKey
	for _, row := range rows {
		if row.Version > 1 {
			moved = append(moved, order.OrderKey{PartnerID: row.PartnerID, OrderID: row.OrderID})
		}
	}
	history, err := db.FindNow(ctx, tx.conn, findHistory, moved...)
	failures := map[string]int{}
	for _, entry := range history {
		if entry.Entry.Status == delivery.StatusFailed {
			failures[entry.OrderID]++
		}
	}
	return failures, err
}
