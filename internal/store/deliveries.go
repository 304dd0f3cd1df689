package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// This file keeps what couriers have to do and have done.

var (
	addDeliveries  = newSet(insertNew, "courier_deliveries", orderKeys, append(texts("courier_id"), integers("delivered_at")...))
	dropDeliveries = newSet(deleteOld, "courier_deliveries", orderKeys, nil)
	findFacts      = newSet(lookUp, "events", eventKeys, eventColumns)
)

// saveDelivered notes which courier has delivered an order.
func (tx *Tx) saveDelivered(ctx context.Context, c *order.Changes) error {
	var delivered []*delivery.Order
	for _, change := range c.Changed {
		if o := change.Order; o.Status == delivery.StatusDelivered && o.Courier != nil {
			delivered = append(delivered, o)
		}
	}
	return tx.all(ctx, addDeliveries, len(delivered), func(i int, b binder) {
		b.text(delivered[i].Courier.CourierID)
		b.integer(micros(delivered[i].UpdatedAt))
		b.text(delivered[i].PartnerID)
		b.text(delivered[i].OrderID)
	})
}

// Deliveries counts what a courier has delivered since a time, and lists the
// latest of it.
func (tx *Tx) Deliveries(ctx context.Context, courierID string, since time.Time, limit int) (done dispatch.Done, err error) {
	err = tx.conn.query(ctx, "SELECT count(*) FROM courier_deliveries WHERE courier_id = $1 AND delivered_at >= $2",
		[]any{courierID, since}, func(r row) error { return r.scan(&done.Count) })
	if err != nil {
		return done, err
	}
	err = tx.conn.query(ctx, `SELECT order_id, delivered_at FROM courier_deliveries WHERE courier_id = $1 AND delivered_at >= $2
		ORDER BY delivered_at DESC, order_id LIMIT $3`, []any{courierID, since, limit}, func(r row) error {
		var d dispatch.Delivery
		err := r.scan(&d.OrderID, &d.At)
		done.Latest = append(done.Latest, d)
		return err
	})
	return done, err
}

// NextAttempts tells when the next attempts of failed orders are planned, as
// their latest events do; those for which none is planned are left out.
func (tx *Tx) NextAttempts(ctx context.Context, orders []*delivery.Order) (map[string]time.Time, error) {
	planned := map[string]time.Time{}
	return planned, tx.conn.find(ctx, findFacts, len(orders), func(i int, b binder) {
		b.text(orders[i].PartnerID)
		b.text(orders[i].OrderID)
		b.integer(orders[i].Events)
	}, func(r row) error {
		event, err := scanEvent(r)
		if err == nil && event.Facts.NextAttempt != nil {
			planned[event.OrderID] = *event.Facts.NextAttempt
		}
		return err
	})
}
