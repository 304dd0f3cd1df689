package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	courierDeliveries = newTable("courier_deliveries",
		within(func(d *order.Delivery) *order.OrderKey { return &d.OrderKey }, byOrder...),
		text("courier_id", func(d *order.Delivery) *string { return &d.CourierID }),
		moment("delivered_at", func(d *order.Delivery) *time.Time { return &d.At }),
	)
	addDeliveries  = courierDeliveries.insert()
	dropDeliveries = deleteFrom(courierDeliveries, byOrder)
)

// writeDeliveries queues what couriers have delivered.
func writeDeliveries(p *pipeline, delivered []order.Delivery) {
	writeAll(p, addDeliveries, pointers(delivered))
}

// deliveriesOf counts what a courier has delivered since a time, and lists the
// latest of it.
func deliveriesOf(ctx context.Context, c conn, courierID string, since time.Time, limit int) (done dispatch.Done, err error) {
	err = c.query(ctx, "SELECT count(*) FROM courier_deliveries WHERE courier_id = $1 AND delivered_at >= $2",
		[]any{courierID, since}, func(r row) error { return r.scan(&done.Count) })
	if err != nil {
		return done, err
	}
	err = courierDeliveries.each(ctx, c, "WHERE courier_id = $1 AND delivered_at >= $2 ORDER BY delivered_at DESC, order_id LIMIT $3",
		[]any{courierID, since, limit}, func(d *order.Delivery) error {
			done.Latest = append(done.Latest, dispatch.Delivery{OrderID: d.OrderID, At: d.At})
			return nil
		})
	return done, err
}
