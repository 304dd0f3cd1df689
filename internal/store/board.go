package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
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
		db.Text("recipient", func(r *board.Row) *string { return &r.Recipient }),
		db.Text("street", func(r *board.Row) *string { return &r.Street }),
		db.Integer("cod", func(r *board.Row) *int64 { return &r.COD }),
		db.Text("courier_id", func(r *board.Row) *string { return &r.CourierID }),
		db.Integer("flags", func(r *board.Row) *int64 { return (*int64)(&r.Flags) }),
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

	showOrders = openOrders.Upsert()
	hideOrders = db.DeleteFrom(openOrders, byOrder)
)

// writeBoard queues rows that the board shows from now on, and removes those of
// the orders that have ended.
func writeBoard(p *db.Pipeline, shown []*board.Row, ended []order.OrderKey) {
	db.Write(p, showOrders, shown)
	db.Write(p, hideOrders, db.Pointers(ended))
}

// sortColumn holds what each order of the board sorts by: a column, or what board.Row.Due computes.
var sortColumn = map[dispatch.Sort]string{
	dispatch.SortOldest: "created_at",
	dispatch.SortWindow: "dropoff_end",
	dispatch.SortDue:    "CASE WHEN dropoff_end < estimated_delivery THEN dropoff_end ELSE estimated_delivery END",
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
		// Forms that are the same are looked for all the same, so that the statement is always the same.
		forms := board.Forms(f.Search)
		c.Add(`(search LIKE ? ESCAPE '\' OR search LIKE ? ESCAPE '\' OR search LIKE ? ESCAPE '\')`,
			anywhere(forms[0]), anywhere(forms[1]), anywhere(forms[2]))
	}
	if len(f.Lines) > 0 {
		lines := paddedLines(f.Lines)
		values := make([]any, 0, 2*len(lines))
		for _, line := range lines {
			values = append(values, "\n", "%\n"+likeLiteral.Replace(strings.ToLower(line))+"\n%")
		}
		condition := `search || ? LIKE ? ESCAPE '\'`
		c.Add("("+condition+strings.Repeat(" OR "+condition, len(lines)-1)+")", values...)
	}
	if f.After.OrderID != "" {
		c.Add("("+sortColumn[f.Sort]+", order_id) > (?, ?)", f.After.At, f.After.OrderID)
	}
	return c
}

// anywhere returns the pattern of texts that contain one.
func anywhere(text string) string { return "%" + likeLiteral.Replace(text) + "%" }

// paddedLines repeats the last line until their number is a power of two, so that there are few
// different statements.
func paddedLines(lines []string) []string {
	for lines = slices.Clone(lines); len(lines)&(len(lines)-1) != 0; {
		lines = append(lines, lines[len(lines)-1])
	}
	return lines
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

// unlikeOrders finds orders under way that the board does not show as they are, and rows
// of the board whose orders have ended or do not exist. They are written together, so
// that only damage makes them disagree. Version 0 stands for none.
var unlikeOrders = `SELECT 'the dispatch board shows ' || coalesce(b.order_id, o.order_id) || ' as of version '
		|| coalesce(b.version, 0) || ', want ' || coalesce(o.version, 0)
	FROM (SELECT partner_id, order_id, version FROM orders
		WHERE partner_id < '` + delivery.FirstTestID + "' AND status NOT IN (" + quoted(board.EndedStatuses) + `)) AS o
	FULL JOIN open_orders AS b ON b.partner_id = o.partner_id AND b.order_id = o.order_id
	WHERE b.version IS DISTINCT FROM o.version`

// reasonSQL holds the condition for each reason, as board.Row.Reasons decides
// it; ? is the time. States and limits are written out, since they never change
// while the program runs.
var reasonSQL = map[board.Reason]string{
	board.ReasonLate:         "(estimated_delivery < ? OR dropoff_end < ?)",
	board.ReasonFailedTwice:  fmt.Sprintf("failures >= %d", board.TooManyFailures),
	board.ReasonWindowMissed: "(dropoff_end < ? OR pickup_end < ? AND status IN (" + quoted(board.AtPickup) + "))",
	board.ReasonNoCourier:    "(pickup_start <= ? AND status IN (" + quoted(board.Unassigned) + "))",
	board.ReasonCourierGone:  "gone_id IS NOT NULL", // of joinGone

	board.ReasonCancellationRequested: hasFlag(board.FlagCancellationRequested),
	board.ReasonEditedAfterPickup:     hasFlag(board.FlagEditedAfterPickup),
	board.ReasonShortPick:             hasFlag(board.FlagShortPick),
}

func hasFlag(flag board.Flags) string { return fmt.Sprintf("(flags & %d <> 0)", flag) }

func conditionsOf(reasons []board.Reason) []string {
	all := make([]string, len(reasons))
	for i, reason := range reasons {
		all[i] = reasonSQL[reason]
	}
	return all
}

func quoted[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = "'" + string(word) + "'"
	}
	return strings.Join(texts, ", ")
}

// ownReasons lists the conditions of the reasons that a row alone decides, in
// the order of board.Reasons, and needsAttention holds if any of them does. $1
// is the time.
var ownReasons, needsAttention = func() (own []string, either string) {
	for _, reason := range board.Reasons {
		if reason != board.ReasonCourierGone {
			own = append(own, strings.ReplaceAll(reasonSQL[reason], "?", "$1"))
		}
	}
	return own, "(" + strings.Join(own, " OR ") + ")"
}()

// countOpen counts in one look at each row: all, those that need attention, by
// reason and by state. Grouping by state would sort them all, which takes three
// times as long.
var countOpen = func() string {
	counted := append([]string{needsAttention}, ownReasons...)
	for _, status := range board.OpenStatuses {
		counted = append(counted, "status = '"+string(status)+"'")
	}
	return "SELECT count(*), count(*) FILTER (WHERE " + strings.Join(counted,
		"), count(*) FILTER (WHERE ") + ") FROM open_orders"
}()

// countGone counts the orders of couriers who are not active: all, and those
// that need attention for no other reason. SQLite takes the tables of a CROSS
// JOIN as they come: these few couriers first, then their orders by the index.
var countGone = "SELECT count(*), count(*) FILTER (WHERE NOT " + needsAttention + `)
	FROM couriers CROSS JOIN open_orders
	WHERE active = 0 AND open_orders.courier_id = couriers.courier_id AND open_orders.courier_id <> ''`

// countBoard counts orders under way by state, and what needs attention.
func countBoard(ctx context.Context, c db.Conn, now time.Time) (dispatch.Counts, error) {
	counts := dispatch.Counts{Statuses: map[delivery.Status]int64{}, Reasons: map[board.Reason]int64{}}
	numbers := make([]int64, len(ownReasons)+len(board.OpenStatuses))
	into := append(make([]any, 0, 2+len(numbers)), &counts.Open, &counts.Attention)
	for i := range numbers {
		into = append(into, &numbers[i])
	}
	if err := c.Query(ctx, countOpen, []any{now}, func(r db.Row) error { return r.Scan(into...) }); err != nil {
		return counts, err
	}
	var gone, goneOnly int64
	err := c.Query(ctx, countGone, []any{now}, func(r db.Row) error { return r.Scan(&gone, &goneOnly) })
	counts.Attention += goneOnly
	for _, reason := range board.Reasons {
		if reason == board.ReasonCourierGone {
			counts.Reasons[reason] = gone
			continue
		}
		counts.Reasons[reason], numbers = numbers[0], numbers[1:]
	}
	for i, status := range board.OpenStatuses {
		counts.Statuses[status] = numbers[i]
	}
	return counts, err
}

// Feed is the store as the feed of the board sees it.
func (s *Store) Feed() feed.Store {
	return view[feed.Reader, feed.Reader]{database: s.Database, reader: func(c db.Conn) feed.Reader {
		return feedTx{dispatchTx{auditing{c}}, s.Database}
	}}
}

// feedTx is a transaction of the feed.
type feedTx struct {
	dispatchTx
	database *db.Database
}

// Clock returns the time by the clock of the database; the zero time if it has none.
func (tx feedTx) Clock(ctx context.Context) (time.Time, error) {
	return tx.database.Clock(ctx, tx.conn)
}

// AllRows returns all rows of the board, in no particular order.
func (tx feedTx) AllRows(ctx context.Context) ([]*board.Row, error) {
	return openListed.All(ctx, tx.conn, "")
}

// EachVersion calls each with the id and version of every row of the board.
func (tx feedTx) EachVersion(ctx context.Context, each func(orderID string, version int64)) error {
	return tx.conn.Query(ctx, "SELECT order_id, version FROM open_orders", nil, func(r db.Row) error {
		var orderID string
		var version int64
		err := r.Scan(&orderID, &version)
		each(orderID, version)
		return err
	})
}

var findOpenListed = db.LookUpBy(byOrder, openListed)

// Rows returns the rows of orders; those that are not on the board are left out.
func (tx feedTx) Rows(ctx context.Context, orderIDs []string) ([]*board.Row, error) {
	keys := make([]order.OrderKey, 0, len(orderIDs))
	for _, id := range orderIDs {
		if partnerID, ok := delivery.PartnerOfOrder(id); ok {
			keys = append(keys, order.OrderKey{PartnerID: partnerID, OrderID: id})
		}
	}
	return db.FindNow(ctx, tx.conn, findOpenListed, keys...)
}
