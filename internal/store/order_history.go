package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	orderHistory = newTable("order_history",
		key(
			text("partner_id", func(h *order.History) *string { return &h.PartnerID }),
			text("order_id", func(h *order.History) *string { return &h.OrderID }),
			integer("version", func(h *order.History) *int64 { return &h.Version })),
		text("status", func(h *order.History) *string { return (*string)(&h.Entry.Status) }),
		text("notes", func(h *order.History) *string { return &h.Entry.Notes }),
		moment("created_at", func(h *order.History) *time.Time { return &h.Entry.At }),
		moment("recorded_at", func(h *order.History) *time.Time { return &h.Entry.RecordedAt }),
	)
	findHistory = lookUpBy(byOrder, orderHistory)
	addHistory  = orderHistory.insert()

	dropHistories = deleteFrom(orderHistory, byOrder)
	// eraseHistories gives all entries of an order the same notes.
	eraseHistories = updateOf(orderHistory, orderHistory.pick("partner_id", "order_id"), orderHistory.pick("notes"))
)

func byVersion(a, b *order.History) int { return cmp.Compare(a.Version, b.Version) }

// addHistories adds to each order the states that it entered after the first.
// An order that was never moved has no rows.
func addHistories(ctx context.Context, c conn, orders map[order.OrderKey]*delivery.Order) error {
	var keys []order.OrderKey
	for key, o := range orders {
		if o.Version > 1 {
			keys = append(keys, key)
		}
	}
	rows, err := findNow(ctx, c, findHistory, keys...)
	slices.SortFunc(rows, byVersion)
	for _, row := range rows {
		o := orders[row.OrderKey]
		o.History = append(o.History, row.Entry)
	}
	return err
}

// addHistoriesTo adds their histories to the orders of a list.
func addHistoriesTo(ctx context.Context, c conn, listed []*delivery.Order) error {
	byKey := make(map[order.OrderKey]*delivery.Order, len(listed))
	for _, o := range listed {
		byKey[order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}] = o
	}
	return addHistories(ctx, c, byKey)
}
