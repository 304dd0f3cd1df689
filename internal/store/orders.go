package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
)

// orderColumns are what an order is read from.
var orderColumns = slices.Concat(
	texts("partner_id", "order_id", "status"),
	integers("version", "events", "updated_at", "estimated_delivery"),
	texts("last_event", "courier"),
	integers("cancelled_at"),
	texts("cancellation_reason", "allocation", "document"),
)

// scanOrder reads one row of orderColumns, and tells how many bytes it took.
func scanOrder(r row) (o *delivery.Order, size int, err error) {
	var (
		stored              delivery.Order
		cancelled           delivery.Cancellation
		courier, allocation string
		content             []byte
	)
	if err := r.scan(&stored.PartnerID, &stored.OrderID, (*string)(&stored.Status),
		&stored.Version, &stored.Events, &stored.UpdatedAt, &stored.EstimatedDelivery,
		&stored.LastEvent, &courier, &cancelled.At, &cancelled.Reason, &allocation, &content); err != nil {
		return nil, 0, err
	}
	if o, err = record.Decode(content); err != nil {
		return nil, 0, fmt.Errorf("order %s: %w", stored.OrderID, err)
	}
	o.PartnerID, o.Status, o.Version, o.Events = stored.PartnerID, stored.Status, stored.Version, stored.Events
	o.LastEvent, o.UpdatedAt, o.EstimatedDelivery = stored.LastEvent, stored.UpdatedAt, stored.EstimatedDelivery
	if !cancelled.At.IsZero() {
		o.Cancellation = &cancelled
	}
	if err := fromJSON(courier, &o.Courier); err != nil {
		return nil, 0, err
	}
	return o, len(content), fromJSON(allocation, &o.Allocation)
}

// Order reads one order with its history; nil if there is none.
func (tx *Tx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	found, err := tx.ordersByKey(ctx, findOrders, []order.OrderKey{{PartnerID: partnerID, OrderID: orderID}})
	return found[order.OrderKey{PartnerID: partnerID, OrderID: orderID}], err
}

var (
	orderKeys   = texts("partner_id", "order_id")
	findOrders  = newSet(lookUp, "orders", orderKeys, orderColumns)
	lockOrders  = newSet(lookUpLock, "orders", orderKeys, orderColumns)
	findHistory = newSet(lookUp, "order_history", orderKeys,
		slices.Concat(orderKeys, integers("version"), texts("status", "notes"), integers("created_at")))
)

// ordersByKey reads orders with their histories.
func (tx *Tx) ordersByKey(ctx context.Context, set *setStatement, keys []order.OrderKey) (map[order.OrderKey]*delivery.Order, error) {
	found, err := tx.bareOrders(ctx, set, keys)
	if err != nil {
		return nil, err
	}
	return found, tx.histories(ctx, found)
}

// bareOrders reads orders as if each had only begun.
func (tx *Tx) bareOrders(ctx context.Context, set *setStatement, keys []order.OrderKey) (map[order.OrderKey]*delivery.Order, error) {
	found := make(map[order.OrderKey]*delivery.Order, len(keys))
	err := tx.conn.find(ctx, set, len(keys), bindOrderKeys(keys), func(r row) error {
		o, _, err := scanOrder(r)
		if err != nil {
			return err
		}
		o.History = []delivery.HistoryEntry{{Status: delivery.StatusPending, At: o.CreatedAt}}
		found[order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}] = o
		return nil
	})
	return found, err
}

// histories adds to each order the states that it entered after the first.
func (tx *Tx) histories(ctx context.Context, orders map[order.OrderKey]*delivery.Order) error {
	var keys []order.OrderKey
	for key, o := range orders {
		if o.Version > 1 {
			keys = append(keys, key)
		}
	}
	versions := make(map[order.OrderKey][]int64, len(keys))
	return tx.conn.find(ctx, findHistory, len(keys), bindOrderKeys(keys), func(r row) error {
		var key order.OrderKey
		var version int64
		var entry delivery.HistoryEntry
		if err := r.scan(&key.PartnerID, &key.OrderID, &version, (*string)(&entry.Status), &entry.Notes, &entry.At); err != nil {
			return err
		}
		// Sets come back in no order; versions tell it.
		at, _ := slices.BinarySearch(versions[key], version)
		versions[key] = slices.Insert(versions[key], at, version)
		orders[key].History = slices.Insert(orders[key].History, at+1, entry)
		return nil
	})
}

// Orders lists a partner's orders, newest first, without history. It stops
// early, and says so, when what it has read takes up order.MaxPageBytes.
func (tx *Tx) Orders(ctx context.Context, filter order.Filter) (found []*delivery.Order, stopped bool, err error) {
	where, args, err := orderConditions(filter)
	if err != nil {
		return nil, false, err
	}
	args = append(args, filter.Limit, filter.Offset)
	text := fmt.Sprintf("SELECT %s FROM orders WHERE %s ORDER BY order_id DESC LIMIT $%d OFFSET $%d",
		names(orderColumns), where, len(args)-1, len(args))
	room := order.MaxPageBytes
	err = tx.conn.query(ctx, text, args, func(r row) error {
		if room <= 0 {
			return errPageFull
		}
		o, size, err := scanOrder(r)
		found, room = append(found, o), room-size
		return err
	})
	if errors.Is(err, errPageFull) {
		return found, true, nil
	}
	return found, false, err
}

// orderConditions turns a filter into a WHERE clause. A period is a range of order
// ids, because they begin with the time of creation.
func orderConditions(filter order.Filter) (where string, args []any, err error) {
	parts := []string{"partner_id = $1"}
	args = []any{filter.PartnerID}
	add := func(condition, value string) {
		args = append(args, value)
		parts = append(parts, condition+" $"+strconv.Itoa(len(args)))
	}
	addTime := func(condition string, at time.Time) {
		if !at.IsZero() && err == nil {
			var id string
			id, err = delivery.FirstOrderID(filter.PartnerID, at)
			add(condition, id)
		}
	}
	if filter.Status != "" {
		add("status =", string(filter.Status))
	}
	if filter.PartnerOrderID != "" {
		add("partner_order_id =", filter.PartnerOrderID)
	}
	if filter.Before != "" {
		add("order_id <", filter.Before)
	}
	addTime("order_id >=", filter.CreatedFrom)
	addTime("order_id <", filter.CreatedTo)
	return strings.Join(parts, " AND "), args, err
}

// Courier is an active courier; nil if there is none.
func (tx *Tx) Courier(ctx context.Context, courierID string) (found *delivery.Courier, err error) {
	err = tx.conn.query(ctx, "SELECT courier_id, name, phone, vehicle FROM couriers WHERE courier_id = $1 AND active = 1",
		[]any{courierID}, func(r row) error {
			found = &delivery.Courier{}
			return r.scan(&found.CourierID, &found.Name, &found.Phone, &found.Vehicle)
		})
	return found, err
}
