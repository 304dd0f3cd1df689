package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// usageRow is what a partner has used of its quotas.
type usageRow struct {
	partnerID          string
	orders             int64 // created, ever
	day, ordersEarlier int64 // see Usage.Day; what was created before that day
	storedBytes        int64
}

var (
	usageKey   = db.Key(db.Text("partner_id", func(u *usageRow) *string { return &u.partnerID }))
	usageOfDay = []db.Column[*usageRow]{
		db.Integer("day", func(u *usageRow) *int64 { return &u.day }),
		db.Integer("orders_earlier", func(u *usageRow) *int64 { return &u.ordersEarlier }),
	}
	usageTotals = []db.Column[*usageRow]{
		db.Integer("orders", func(u *usageRow) *int64 { return &u.orders }),
		db.Integer("stored_bytes", func(u *usageRow) *int64 { return &u.storedBytes }),
	}
	partnerUsage = db.NewTable("partner_usage", usageKey, append(usageOfDay, usageTotals...)...)

	addUsages    = partnerUsage.Insert()
	findUsages   = db.LookUpBy(db.ByID("partner_id"), partnerUsage)
	lockUsages   = db.LockBy(db.ByID("partner_id"), partnerUsage)
	beginDays    = db.UpdateOf(partnerUsage, usageKey, usageOfDay)
	increaseUses = db.IncreaseOf(partnerUsage, usageKey, usageTotals)
)

// readUsages queues the reading of what partners have used.
func readUsages(p *db.Pipeline, keys []order.UsageKey, locked bool) *db.Found[*usageRow] {
	byKey := findUsages
	if locked {
		byKey = lockUsages
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = key.PartnerID
	}
	return db.Find(p, byKey, ids)
}

// usagesOf returns what partners have used, by partner. The orders of a day are
// counted when the day is first asked for. From then on the row knows them; it is
// written if it is locked.
func usagesOf(ctx context.Context, c db.Conn, rows []*usageRow, keys []order.UsageKey, locked bool) (map[string]*order.Usage, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	days := make(map[string]int64, len(keys))
	for _, key := range keys {
		days[key.PartnerID] = key.Day
	}
	usages := make(map[string]*order.Usage, len(rows))
	for _, row := range rows {
		if day := days[row.partnerID]; day > row.day {
			created, err := createdSince(ctx, c, row.partnerID, day)
			if err != nil {
				return nil, err
			}
			row.day, row.ordersEarlier = day, row.orders-created
			if locked {
				if err := db.WriteAllNow(ctx, c, beginDays, row); err != nil {
					return nil, err
				}
			}
		}
		usages[row.partnerID] = &order.Usage{Day: row.day, Orders: row.orders - row.ordersEarlier, Bytes: row.storedBytes}
	}
	return usages, nil
}

// createdSince counts the orders that were created on a day or later. It follows the
// primary key, because order ids begin with the time of creation.
func createdSince(ctx context.Context, c db.Conn, partnerID string, day int64) (count int64, err error) {
	first, err := delivery.FirstOrderID(partnerID, time.Unix(0, 0).UTC().AddDate(0, 0, int(day)))
	if err == nil {
		err = c.Query(ctx, "SELECT count(*) FROM orders WHERE partner_id = $1 AND order_id >= $2", []any{partnerID, first},
			func(r db.Row) error { return r.Scan(&count) })
	}
	return count, err
}

// writeUsages queues what partners have used in addition. Rows of partners with a
// quota are locked already; those of others are locked by this statement, which must
// therefore be the last but for that of the figures.
func writeUsages(p *db.Pipeline, used []order.Used) {
	rows := make([]*usageRow, len(used))
	for i, u := range used {
		rows[i] = &usageRow{partnerID: u.PartnerID, orders: u.Orders, storedBytes: u.Bytes}
	}
	db.Write(p, increaseUses, rows)
}
