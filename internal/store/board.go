package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// The rows of orders that are under way.
var (
	openKey = key(
		text("partner_id", func(r *board.Row) *string { return &r.PartnerID }),
		text("order_id", func(r *board.Row) *string { return &r.OrderID }))
	openShown = []column[*board.Row]{
		text("partner_order_id", func(r *board.Row) *string { return &r.PartnerOrderID }),
		text("status", func(r *board.Row) *string { return (*string)(&r.Status) }),
		integer("version", func(r *board.Row) *int64 { return &r.Version }),
		integer("failures", func(r *board.Row) *int64 { return &r.Failures }),
		text("service_level", func(r *board.Row) *string { return (*string)(&r.ServiceLevel) }),
		text("zone", func(r *board.Row) *string { return &r.Zone }),
		text("city", func(r *board.Row) *string { return &r.City }),
		text("courier_id", func(r *board.Row) *string { return &r.CourierID }),
		moment("created_at", func(r *board.Row) *time.Time { return &r.CreatedAt }),
		moment("updated_at", func(r *board.Row) *time.Time { return &r.UpdatedAt }),
		moment("estimated_delivery", func(r *board.Row) *time.Time { return &r.EstimatedDelivery }),
		moment("pickup_start", func(r *board.Row) *time.Time { return &r.Pickup.Start }),
		moment("pickup_end", func(r *board.Row) *time.Time { return &r.Pickup.End }),
		moment("dropoff_start", func(r *board.Row) *time.Time { return &r.Dropoff.Start }),
		moment("dropoff_end", func(r *board.Row) *time.Time { return &r.Dropoff.End }),
	}
	openOrders = newTable("open_orders", openKey,
		append(slices.Clone(openShown), text("search", func(r *board.Row) *string { return &r.Search }))...)
	// openListed is the same table for lists: its search text is long, and is
	// never shown.
	openListed = newTable("open_orders", openKey, openShown...)

	// A move overwrites the whole row: it may be missing, because a node of an
	// older release does not write it.
	showOrders = openOrders.upsert()
	hideOrders = deleteFrom(openOrders, byOrder)
)

// writeBoard queues rows that the board shows from now on, and removes those of
// the orders that have ended.
func writeBoard(p *pipeline, shown []*board.Row, ended []order.OrderKey) {
	write(p, showOrders, shown)
	write(p, hideOrders, pointers(ended))
}

// sortColumn holds the column that each order of the board sorts by.
var sortColumn = map[dispatch.Sort]string{
	dispatch.SortOldest: "created_at",
	dispatch.SortWindow: "dropoff_end",
	dispatch.SortDue:    "estimated_delivery",
}

// joinGone adds the courier of each row who is not active, if that is so. A
// condition with a subquery would do for lists, but distributed databases count
// no such thing.
const joinGone = "LEFT JOIN (SELECT courier_id AS gone_id FROM couriers WHERE active = 0) AS gone ON gone_id = courier_id "

// listBoard lists orders under way in the filter's order, as of a time.
func listBoard(ctx context.Context, c conn, f dispatch.Filter, now time.Time) ([]*board.Row, error) {
	join := ""
	if slices.Contains(f.Attention, board.ReasonCourierGone) {
		join = joinGone
	}
	tail, args := boardConditions(f, now).clause("ORDER BY "+sortColumn[f.Sort]+", order_id LIMIT ?", f.Limit)
	return openListed.all(ctx, c, join+tail, args...)
}

// boardConditions returns the conditions of a filter. Filters that give the same
// fields have the same text, so that few statements are prepared.
func boardConditions(f dispatch.Filter, now time.Time) *conditions {
	c := &conditions{}
	c.addText("partner_id = ?", f.PartnerID)
	c.addText("service_level = ?", string(f.ServiceLevel))
	switch f.CourierID {
	case "":
	case dispatch.NoCourier:
		c.add("courier_id = ''")
	default:
		c.add("courier_id = ? AND courier_id <> ''", f.CourierID) // the index has this condition
	}
	if len(f.Statuses) > 0 {
		c.add("status IN ("+strings.Repeat("?, ", len(board.OpenStatuses)-1)+"?)", padded(f.Statuses)...)
	}
	if f.Zone != "" {
		c.add(`zone LIKE ? ESCAPE '\'`, likeLiteral.Replace(f.Zone)+"%")
	}
	c.addTime("created_at >= ?", f.CreatedFrom)
	c.addTime("created_at < ?", f.CreatedTo)
	if !f.DueBefore.IsZero() {
		c.add("dropoff_end >= ? AND dropoff_end < ?", now, f.DueBefore)
	}
	if len(f.Attention) > 0 {
		c.addAny(conditionsOf(f.Attention), now)
	}
	if f.Search != "" {
		// A phone number has its digits in the text. What is not one is looked for twice, so that the statement is always the same.
		text := strings.ToLower(f.Search)
		phone := cmp.Or(board.PhoneDigits(text), text)
		c.add(`(search LIKE ? ESCAPE '\' OR search LIKE ? ESCAPE '\')`, "%"+likeLiteral.Replace(text)+"%", "%"+likeLiteral.Replace(phone)+"%")
	}
	if f.Line != "" {
		c.add(`search || ? LIKE ? ESCAPE '\'`, "\n", "%\n"+likeLiteral.Replace(strings.ToLower(f.Line))+"\n%")
	}
	if f.After.OrderID != "" {
		c.add("("+sortColumn[f.Sort]+", order_id) > (?, ?)", f.After.At, f.After.OrderID)
	}
	return c
}

// padded repeats the last state, so that the number of parameters is always the
// same.
func padded(statuses []delivery.Status) []any {
	args := make([]any, len(board.OpenStatuses))
	for i := range args {
		args[i] = string(statuses[min(i, len(statuses)-1)])
	}
	return args
}

// storedVersions lists a partner's orders in a state, by the index that lists
// follow, with the versions that the board has of them.
func storedVersions(ctx context.Context, c conn, partnerID string, status delivery.Status, after string, limit int) ([]dispatch.Versions, error) {
	return versions(ctx, c, `SELECT o.order_id, o.version, coalesce(b.version, 0) FROM orders AS o
		LEFT JOIN open_orders AS b ON b.partner_id = o.partner_id AND b.order_id = o.order_id
		WHERE o.partner_id = $1 AND o.status = $2 AND o.order_id > $3 ORDER BY o.order_id LIMIT $4`,
		partnerID, string(status), after, limit)
}

// shownVersions lists what the board has of a partner, with the versions of the
// orders: 0 for an order that has ended or does not exist.
func shownVersions(ctx context.Context, c conn, partnerID, after string, limit int) ([]dispatch.Versions, error) {
	return versions(ctx, c, `SELECT b.order_id, CASE WHEN o.status IN (`+quoted(board.EndedStatuses)+`) THEN 0 ELSE coalesce(o.version, 0) END, b.version
		FROM open_orders AS b LEFT JOIN orders AS o ON o.partner_id = b.partner_id AND o.order_id = b.order_id
		WHERE b.partner_id = $1 AND b.order_id > $2 ORDER BY b.order_id LIMIT $3`,
		partnerID, after, limit)
}

func versions(ctx context.Context, c conn, sql string, args ...any) (found []dispatch.Versions, err error) {
	err = c.query(ctx, sql, args, func(r row) error {
		var v dispatch.Versions
		err := r.scan(&v.OrderID, &v.Order, &v.OnBoard)
		found = append(found, v)
		return err
	})
	return found, err
}
