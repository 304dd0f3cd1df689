package store

import (
	"context"
	"time"

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
	usageKey   = key(text("partner_id", func(u *usageRow) *string { return &u.partnerID }))
	usageOfDay = []column[*usageRow]{
		integer("day", func(u *usageRow) *int64 { return &u.day }),
		integer("orders_earlier", func(u *usageRow) *int64 { return &u.ordersEarlier }),
	}
	usageTotals = []column[*usageRow]{
		integer("orders", func(u *usageRow) *int64 { return &u.orders }),
		integer("stored_bytes", func(u *usageRow) *int64 { return &u.storedBytes }),
	}
	partnerUsage = newTable("partner_usage", usageKey, append(usageOfDay, usageTotals...)...)

	addUsages    = partnerUsage.insert()
	findUsages   = lookUpBy(byID("partner_id"), partnerUsage)
	lockUsages   = lockBy(byID("partner_id"), partnerUsage)
	beginDays    = updateOf(partnerUsage, usageKey, usageOfDay)
	increaseUses = increaseOf(partnerUsage, usageKey, usageTotals)
)

// readUsages queues the reading of what partners have used.
func readUsages(p *pipeline, keys []order.UsageKey, locked bool) *found[*usageRow] {
	byKey := findUsages
	if locked {
		byKey = lockUsages
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = key.PartnerID
	}
	return find(p, byKey, ids)
}

// usagesOf returns what partners have used, by partner. The orders of a day are
// counted when the day is first asked for. From then on the row knows them; it is
// written if it is locked.
func usagesOf(ctx context.Context, c conn, rows []*usageRow, keys []order.UsageKey, locked bool) (map[string]*order.Usage, error) {
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
				if err := writeAllNow(ctx, c, beginDays, row); err != nil {
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
func createdSince(ctx context.Context, c conn, partnerID string, day int64) (count int64, err error) {
	first, err := delivery.FirstOrderID(partnerID, time.Unix(0, 0).UTC().AddDate(0, 0, int(day)))
	if err == nil {
		err = c.query(ctx, "SELECT count(*) FROM orders WHERE partner_id = $1 AND order_id >= $2", []any{partnerID, first},
			func(r row) error { return r.scan(&count) })
	}
	return count, err
}

// writeUsages queues what partners have used in addition. Rows of partners with a
// quota are locked already; those of others are locked by this statement, which must
// therefore be the last but for that of the figures.
func writeUsages(p *pipeline, used []order.Used) {
	rows := make([]*usageRow, len(used))
	for i, u := range used {
		rows[i] = &usageRow{partnerID: u.PartnerID, orders: u.Orders, storedBytes: u.Bytes}
	}
	write(p, increaseUses, rows)
}
