package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// The rows of orders that are under way.
var (
	openKey = db.Key(
		db.Text("partner_id", func(r *board.Row) *string { return &r.PartnerID }),
		db.Text("order_id", func(r *board.Row) *string { return &r.OrderID }))
	openShown = []db.Column[*board.Row]{
		db.Text("partner_order_id", func(r *board.Row) *string { return &r.PartnerOrderID }),
		db.Text("status", func(r *board.Row) *string { return (*string)(&r.Status) }),
		db.Integer("version", func(r *board.Row) *int64 { return &r.Version }),
		db.Integer("failures", func(r *board.Row) *int64 { return &r.Failures }),
		db.Text("service_level", func(r *board.Row) *string { return (*string)(&r.ServiceLevel) }),
		db.Text("zone", func(r *board.Row) *string { return &r.Zone }),
		db.Text("city", func(r *board.Row) *string { return &r.City }),
		db.Text("courier_id", func(r *board.Row) *string { return &r.CourierID }),
		db.Moment("created_at", func(r *board.Row) *time.Time { return &r.CreatedAt }),
		db.Moment("updated_at", func(r *board.Row) *time.Time { return &r.UpdatedAt }),
		db.Moment("estimated_delivery", func(r *board.Row) *time.Time { return &r.EstimatedDelivery }),
		db.Moment("pickup_start", func(r *board.Row) *time.Time { return &r.Pickup.Start }),
		db.Moment("pickup_end", func(r *board.Row) *time.Time { return &r.Pickup.End }),
		db.Moment("dropoff_start", func(r *board.Row) *time.Time { return &r.Dropoff.Start }),
		db.Moment("dropoff_end", func(r *board.Row) *time.Time { return &r.Dropoff.End }),
	}
	openOrders = db.NewTable("open_orders", openKey,
		append(slices.Clone(openShown), db.Text("search", func(r *board.Row) *string { return &r.Search }))...)
	// openListed is the same table for lists: its search text is long, and is
	// never shown.
	openListed = db.NewTable("open_orders", openKey, openShown...)

	// A move overwrites the whole row: it may be missing, because a node of an
	// older release does not write it.
	showOrders = openOrders.Upsert()
	hideOrders = db.DeleteFrom(openOrders, byOrder)
)

// writeBoard queues rows that the board shows from now on, and removes those of
// the orders that have ended.
func writeBoard(p *db.Pipeline, shown []*board.Row, ended []order.OrderKey) {
	db.Write(p, showOrders, shown)
	db.Write(p, hideOrders, db.Pointers(ended))
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
func listBoard(ctx context.Context, c db.Conn, f dispatch.Filter, now time.Time) ([]*board.Row, error) {
	join := ""
	if slices.Contains(f.Attention, board.ReasonCourierGone) {
		join = joinGone
	}
	tail, args := boardConditions(f, now).Clause("ORDER BY "+sortColumn[f.Sort]+", order_id LIMIT ?", f.Limit)
	return openListed.All(ctx, c, join+tail, args...)
}

// boardConditions returns the conditions of a filter. Filters that give the same
// fields have the same text, so that few statements are prepared.
func boardConditions(f dispatch.Filter, now time.Time) *db.Conditions {
	c := &db.Conditions{}
	c.AddText("partner_id = ?", f.PartnerID)
	c.AddText("service_level = ?", string(f.ServiceLevel))
	switch f.CourierID {
	case "":
	case dispatch.NoCourier:
		c.Add("courier_id = ''")
	default:
		c.Add("courier_id = ? AND courier_id <> ''", f.CourierID) // the index has this condition
	}
	if len(f.Statuses) > 0 {
		c.Add("status IN ("+strings.Repeat("?, ", len(board.OpenStatuses)-1)+"?)", padded(f.Statuses)...)
	}
	if f.Zone != "" {
		c.Add(`zone LIKE ? ESCAPE '\'`, likeLiteral.Replace(f.Zone)+"%")
	}
	c.AddTime("created_at >= ?", f.CreatedFrom)
	c.AddTime("created_at < ?", f.CreatedTo)
	if !f.DueBefore.IsZero() {
		c.Add("dropoff_end >= ? AND dropoff_end < ?", now, f.DueBefore)
	}
	if len(f.Attention) > 0 {
		c.AddAny(conditionsOf(f.Attention), now)
	}
	if f.Search != "" {
		// A phone number has its digits in the text. What is not one is looked for twice, so that the statement is always the same.
		text := strings.ToLower(f.Search)
		phone := cmp.Or(board.PhoneDigits(text), text)
		c.Add(`(search LIKE ? ESCAPE '\' OR search LIKE ? ESCAPE '\')`, "%"+likeLiteral.Replace(text)+"%", "%"+likeLiteral.Replace(phone)+"%")
	}
	if f.Line != "" {
		c.Add(`search || ? LIKE ? ESCAPE '\'`, "\n", "%\n"+likeLiteral.Replace(strings.ToLower(f.Line))+"\n%")
	}
	if f.After.OrderID != "" {
		c.Add("("+sortColumn[f.Sort]+", order_id) > (?, ?)", f.After.At, f.After.OrderID)
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
func storedVersions(ctx context.Context, c db.Conn, partnerID string, status delivery.Status, after string, limit int) ([]dispatch.Versions, error) {
	return versions(ctx, c, `SELECT o.order_id, o.version, coalesce(b.version, 0) FROM orders AS o
		LEFT JOIN open_orders AS b ON b.partner_id = o.partner_id AND b.order_id = o.order_id
		WHERE o.partner_id = $1 AND o.status = $2 AND o.order_id > $3 ORDER BY o.order_id LIMIT $4`,
		partnerID, string(status), after, limit)
}

// shownVersions lists what the board has of a partner, with the versions of the
// orders: 0 for an order that has ended or does not exist.
func shownVersions(ctx context.Context, c db.Conn, partnerID, after string, limit int) ([]dispatch.Versions, error) {
	return versions(ctx, c, `SELECT b.order_id, CASE WHEN o.status IN (`+quoted(board.EndedStatuses)+`) THEN 0 ELSE coalesce(o.version, 0) END, b.version
		FROM open_orders AS b LEFT JOIN orders AS o ON o.partner_id = b.partner_id AND o.order_id = b.order_id
		WHERE b.partner_id = $1 AND b.order_id > $2 ORDER BY b.order_id LIMIT $3`,
		partnerID, after, limit)
}

func versions(ctx context.Context, c db.Conn, sql string, args ...any) (found []dispatch.Versions, err error) {
	err = c.Query(ctx, sql, args, func(r db.Row) error {
		var v dispatch.Versions
		err := r.Scan(&v.OrderID, &v.Order, &v.OnBoard)
		found = append(found, v)
		return err
	})
	return found, err
}
