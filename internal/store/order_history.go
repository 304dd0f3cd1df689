package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	orderHistory = db.NewTable("order_history",
		db.Key(
			db.Text("partner_id", func(h *order.History) *string { return &h.PartnerID }),
			db.Text("order_id", func(h *order.History) *string { return &h.OrderID }),
			db.Integer("version", func(h *order.History) *int64 { return &h.Version })),
		db.Text("status", func(h *order.History) *string { return (*string)(&h.Entry.Status) }),
		db.Text("notes", func(h *order.History) *string { return &h.Entry.Notes }),
		db.Moment("created_at", func(h *order.History) *time.Time { return &h.Entry.At }),
		db.Moment("recorded_at", func(h *order.History) *time.Time { return &h.Entry.RecordedAt }),
	)
	findHistory = db.LookUpBy(byOrder, orderHistory)
	addHistory  = orderHistory.Insert()

	dropHistories = db.DeleteFrom(orderHistory, byOrder)
	// eraseHistories gives all entries of an order the same notes.
	eraseHistories = db.UpdateOf(orderHistory, orderHistory.Pick("partner_id", "order_id"), orderHistory.Pick("notes"))
)

func byVersion(a, b *order.History) int { return cmp.Compare(a.Version, b.Version) }

// addHistories adds to each order the states that it entered after the first.
// An order that was never moved has no rows.
func addHistories(ctx context.Context, c db.Conn, orders map[order.OrderKey]*delivery.Order) error {
	var keys []order.OrderKey
	for key, o := range orders {
		if o.Version > 1 {
			keys = append(keys, key)
		}
	}
	rows, err := db.FindNow(ctx, c, findHistory, keys...)
	slices.SortFunc(rows, byVersion)
	for _, row := range rows {
		o := orders[row.OrderKey]
		o.History = append(o.History, row.Entry)
	}
	return err
}

// addHistoriesTo adds their histories to the orders of a list.
func addHistoriesTo(ctx context.Context, c db.Conn, listed []*delivery.Order) error {
	byKey := make(map[order.OrderKey]*delivery.Order, len(listed))
	for _, o := range listed {
		byKey[order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}] = o
	}
	return addHistories(ctx, c, byKey)
}
