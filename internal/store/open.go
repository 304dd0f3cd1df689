package store

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// This file keeps the rows of orders under way beside the orders: the committer
// writes them, erasing rewrites them, a repair mends them.

var (
	openValues = slices.Concat(
		integers("created_at", "updated_at", "estimated_delivery", "pickup_start", "pickup_end", "dropoff_start", "dropoff_end"),
		texts("status"), integers("version", "failures"),
		texts("service_level", "zone", "courier_id", "city", "partner_order_id", "search"))
	// A move overwrites the whole row, because a node of the release before, which
	// knows of no board, may have left it out.
	setOpen  = newSet(insertOver, "open_orders", orderKeys, openValues)
	dropOpen = newSet(deleteOld, "open_orders", orderKeys, nil)
)

// saveOpen brings the board up to date with what is written of orders.
func (tx *Tx) saveOpen(ctx context.Context, c *order.Changes) error {
	var rows []*board.Row
	for _, created := range c.Created {
		if o := created.Order; board.IsOpen(o.Status) {
			if _, moved := c.Changed[order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}]; !moved {
				rows = append(rows, board.Of(o))
			}
		}
	}
	var ended []order.OrderKey
	for key, change := range c.Changed {
		if board.IsOpen(change.Order.Status) {
			rows = append(rows, board.Of(change.Order))
		} else {
			ended = append(ended, key)
		}
	}
	if err := tx.ShowOpen(ctx, rows); err != nil {
		return err
	}
	_, err := tx.conn.apply(ctx, dropOpen, len(ended), bindOrderKeys(ended))
	return err
}

// ShowOpen adds or overwrites rows of the board.
func (tx *Tx) ShowOpen(ctx context.Context, rows []*board.Row) error {
	_, err := tx.conn.apply(ctx, setOpen, len(rows), func(i int, b binder) {
		row := rows[i]
		for _, at := range [...]time.Time{
			row.CreatedAt, row.UpdatedAt, row.EstimatedDelivery,
			row.Pickup.Start, row.Pickup.End, row.Dropoff.Start, row.Dropoff.End,
		} {
			b.integer(micros(at))
		}
		b.text(string(row.Status))
		b.integer(row.Version)
		b.integer(row.Failures)
		b.text(string(row.ServiceLevel))
		b.text(row.Zone)
		b.text(row.CourierID)
		b.text(row.City)
		b.text(row.PartnerOrderID)
		b.text(row.Search)
		b.text(row.PartnerID)
		b.text(row.OrderID)
	})
	return err
}

// HideOpen removes rows of the board, if they are there.
func (tx *Tx) HideOpen(ctx context.Context, partnerID string, orderIDs []string) error {
	_, err := tx.conn.apply(ctx, dropOpen, len(orderIDs), func(i int, b binder) {
		b.text(partnerID)
		b.text(orderIDs[i])
	})
	return err
}

// StoredVersions lists a partner's orders in a state, by the index that lists
// follow, with the versions that the board has of them.
func (tx *Tx) StoredVersions(ctx context.Context, partnerID string, status delivery.Status, after string, limit int) ([]dispatch.Versions, error) {
	return tx.versions(ctx, `SELECT o.order_id, o.version, coalesce(b.version, 0) FROM orders AS o
		LEFT JOIN open_orders AS b ON b.partner_id = o.partner_id AND b.order_id = o.order_id
		WHERE o.partner_id = $1 AND o.status = $2 AND o.order_id > $3 ORDER BY o.order_id LIMIT $4`,
		partnerID, string(status), after, limit)
}

// ShownVersions lists what the board has of a partner, with the versions of the
// orders: 0 for what does not belong there.
func (tx *Tx) ShownVersions(ctx context.Context, partnerID, after string, limit int) ([]dispatch.Versions, error) {
	return tx.versions(ctx, `SELECT b.order_id, CASE WHEN o.status IN ('delivered', 'cancelled') THEN 0 ELSE coalesce(o.version, 0) END, b.version
		FROM open_orders AS b LEFT JOIN orders AS o ON o.partner_id = b.partner_id AND o.order_id = b.order_id
		WHERE b.partner_id = $1 AND b.order_id > $2 ORDER BY b.order_id LIMIT $3`,
		partnerID, after, limit)
}

func (tx *Tx) versions(ctx context.Context, sql string, args ...any) (found []dispatch.Versions, err error) {
	err = tx.conn.query(ctx, sql, args, func(r row) error {
		var v dispatch.Versions
		err := r.scan(&v.OrderID, &v.Order, &v.OnBoard)
		found = append(found, v)
		return err
	})
	return found, err
}

// LockOrders reads orders with their histories, locked until the transaction
// ends.
func (tx *Tx) LockOrders(ctx context.Context, partnerID string, orderIDs []string) (map[string]*delivery.Order, error) {
	keys := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		keys[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	return tx.ordersByID(ctx, lockOrders, keys)
}

// OrdersOf reads the orders of rows of the board, with their histories; those
// that have gone meanwhile are left out.
func (tx *Tx) OrdersOf(ctx context.Context, rows []*board.Row) (map[string]*delivery.Order, error) {
	keys := make([]order.OrderKey, len(rows))
	for i := range rows {
		keys[i] = order.OrderKey{PartnerID: rows[i].PartnerID, OrderID: rows[i].OrderID}
	}
	return tx.ordersByID(ctx, findOrders, keys)
}

func (tx *Tx) ordersByID(ctx context.Context, set *setStatement, keys []order.OrderKey) (map[string]*delivery.Order, error) {
	byKey, err := tx.ordersByKey(ctx, set, keys)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*delivery.Order, len(byKey))
	for key, o := range byKey {
		found[key.OrderID] = o
	}
	return found, nil
}
