package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	courierDeliveries = db.NewTable("courier_deliveries",
		db.Within(func(d *order.Delivery) *order.OrderKey { return &d.OrderKey }, byOrder...),
		db.Text("courier_id", func(d *order.Delivery) *string { return &d.CourierID }),
		db.Moment("delivered_at", func(d *order.Delivery) *time.Time { return &d.At }),
	)
	addDeliveries  = courierDeliveries.Insert()
	dropDeliveries = db.DeleteFrom(courierDeliveries, byOrder)
)

// writeDeliveries queues what couriers have delivered.
func writeDeliveries(p *db.Pipeline, delivered []order.Delivery) {
	db.WriteAll(p, addDeliveries, db.Pointers(delivered))
}

// deliveriesOf counts what a courier has delivered since a time, and lists the
// latest of it.
func deliveriesOf(ctx context.Context, c db.Conn, courierID string, since time.Time, limit int) (done dispatch.Done, err error) {
	err = c.Query(ctx, "SELECT count(*) FROM courier_deliveries WHERE courier_id = $1 AND delivered_at >= $2",
		[]any{courierID, since}, func(r db.Row) error { return r.Scan(&done.Count) })
	if err != nil {
		return done, err
	}
	err = courierDeliveries.Each(ctx, c, "WHERE courier_id = $1 AND delivered_at >= $2 ORDER BY delivered_at DESC, order_id LIMIT $3",
		[]any{courierID, since, limit}, func(d *order.Delivery) error {
			done.Latest = append(done.Latest, dispatch.Delivery{OrderID: d.OrderID, At: d.At})
			return nil
		})
	return done, err
}
