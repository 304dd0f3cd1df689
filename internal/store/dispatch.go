package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// The transaction as the dispatch room sees it.
var (
	_ dispatch.Reader = (*Tx)(nil)
	_ dispatch.Writer = (*Tx)(nil)
)

// Dispatch is the store as the dispatch room sees it.
func (s *Store) Dispatch() dispatch.Store { return View[dispatch.Reader, dispatch.Writer]{s} }

// clauses gathers the conditions of a WHERE clause and their parameters.
type clauses struct {
	parts []string
	args  []any
}

// add adds a condition in which each ? stands for the next of the values.
func (c *clauses) add(condition string, values ...any) {
	for _, value := range values {
		c.args = append(c.args, value)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(c.args)), 1)
	}
	c.parts = append(c.parts, condition)
}

func (c *clauses) String() string {
	if len(c.parts) == 0 {
		return "1 = 1"
	}
	return strings.Join(c.parts, " AND ")
}

// reasonSQL asks in SQL what board.Row.Reasons asks; ? is the time. States
// and limits are written out, since they never change.
var reasonSQL = map[board.Reason]string{
	board.ReasonLate:         "estimated_delivery < ?",
	board.ReasonFailedTwice:  fmt.Sprintf("failures >= %d", board.TooManyFailures),
	board.ReasonWindowMissed: "(dropoff_end < ? OR pickup_end < ? AND status IN (" + quoted(board.AtPickup) + "))",
	board.ReasonNoCourier:    "(pickup_start <= ? AND status IN (" + quoted(board.Unassigned) + "))",
	board.ReasonCourierGone:  "gone_id IS NOT NULL",
}

// openWithGone is the board, and with it the courier of each order who is not
// active, if that is so. A condition with a subquery would do for lists, but
// distributed databases count no such thing.
const openWithGone = `open_orders LEFT JOIN (SELECT courier_id AS gone_id FROM couriers WHERE active = 0) AS gone ON gone_id = courier_id`

func quoted[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = "'" + string(word) + "'"
	}
	return strings.Join(texts, ", ")
}

// sortColumn is what each order of the board sorts by.
var sortColumn = map[dispatch.Sort]string{
	dispatch.SortOldest: "created_at",
	dispatch.SortWindow: "dropoff_end",
}

// boardConditions turns a filter into a WHERE clause. That of another filter
// has the same text wherever the same fields are given, so that few statements
// are prepared.
func boardConditions(f dispatch.Filter, now time.Time) *clauses {
	c := &clauses{}
	for _, field := range []struct{ condition, value string }{
		{"partner_id = ?", f.PartnerID}, {"service_level = ?", string(f.ServiceLevel)},
	} {
		if field.value != "" {
			c.add(field.condition, field.value)
		}
	}
	switch f.CourierID {
	case "":
	case dispatch.NoCourier:
		c.add("courier_id = ''")
	default:
		c.add("courier_id = ? AND courier_id <> ''", f.CourierID) // as the index says
	}
	if len(f.Statuses) > 0 {
		c.add("status IN ("+strings.Repeat("?, ", len(board.OpenStatuses)-1)+"?)", padded(f.Statuses)...)
	}
	if f.Zone != "" {
		c.add(`zone LIKE ? ESCAPE '\'`, likeLiteral.Replace(f.Zone)+"%")
	}
	if !f.CreatedFrom.IsZero() {
		c.add("created_at >= ?", f.CreatedFrom)
	}
	if !f.CreatedTo.IsZero() {
		c.add("created_at < ?", f.CreatedTo)
	}
	if !f.DueBefore.IsZero() {
		c.add("dropoff_end >= ? AND dropoff_end < ?", now, f.DueBefore)
	}
	if len(f.Attention) > 0 {
		c.addReasons(f.Attention, now)
	}
	if f.Search != "" {
		c.add(`search LIKE ? ESCAPE '\'`, "%"+likeLiteral.Replace(strings.ToLower(f.Search))+"%")
	}
	if f.Line != "" {
		c.add(`search || ? LIKE ? ESCAPE '\'`, "\n", "%\n"+likeLiteral.Replace(strings.ToLower(f.Line))+"\n%")
	}
	if f.After.OrderID != "" {
		c.add("("+sortColumn[f.Sort]+", order_id) > (?, ?)", f.After.At, f.After.OrderID)
	}
	return c
}

// padded repeats the last state, so that the number of parameters is the same.
func padded(statuses []delivery.Status) []any {
	args := make([]any, len(board.OpenStatuses))
	for i := range args {
		args[i] = string(statuses[min(i, len(statuses)-1)])
	}
	return args
}

// addReasons selects what needs attention for any of the reasons.
func (c *clauses) addReasons(reasons []board.Reason, now time.Time) {
	var either clauses
	either.args = c.args
	for _, reason := range reasons {
		text := reasonSQL[reason]
		times := make([]any, strings.Count(text, "?"))
		for i := range times {
			times[i] = now
		}
		either.add(text, times...)
	}
	c.args = either.args
	c.parts = append(c.parts, "("+strings.Join(either.parts, " OR ")+")")
}

// Board lists orders under way.
func (tx *Tx) Board(ctx context.Context, f dispatch.Filter, now time.Time) (found []*board.Row, err error) {
	where := boardConditions(f, now)
	by := sortColumn[f.Sort]
	from := "open_orders"
	if slices.Contains(f.Attention, board.ReasonCourierGone) {
		from = openWithGone
	}
	// Search is long, and nobody is shown it.
	text := fmt.Sprintf("SELECT partner_id, order_id, %s FROM %s WHERE %s ORDER BY %s, order_id LIMIT $%d",
		names(openValues[:len(openValues)-1]), from, where, by, len(where.args)+1)
	err = tx.conn.query(ctx, text, append(where.args, f.Limit), func(r row) error {
		o := &board.Row{}
		err := r.scan(&o.PartnerID, &o.OrderID, &o.CreatedAt, &o.UpdatedAt, &o.EstimatedDelivery,
			&o.Pickup.Start, &o.Pickup.End, &o.Dropoff.Start, &o.Dropoff.End, (*string)(&o.Status), &o.Version, &o.Failures,
			(*string)(&o.ServiceLevel), &o.Zone, &o.CourierID, &o.City, &o.PartnerOrderID)
		found = append(found, o)
		return err
	})
	return found, err
}

// ownReasons are those that an order's row tells by itself; $1 is the time.
var ownReasons, needsAttention = func() (conditions []string, any string) {
	for _, reason := range board.Reasons {
		if reason != board.ReasonCourierGone {
			conditions = append(conditions, strings.ReplaceAll(reasonSQL[reason], "?", "$1"))
		}
	}
	return conditions, "(" + strings.Join(conditions, " OR ") + ")"
}()

// countOpen counts in one look at each order: all, those that need attention,
// by reason and by state. Grouping by state would sort them all, which takes
// three times as long.
var countOpen = func() string {
	conditions := append([]string{needsAttention}, ownReasons...)
	for _, status := range board.OpenStatuses {
		conditions = append(conditions, "status = '"+string(status)+"'")
	}
	return "SELECT count(*), count(*) FILTER (WHERE " + strings.Join(conditions, "), count(*) FILTER (WHERE ") + ") FROM open_orders"
}()

// countGone counts the orders of couriers who are not active: all, and those
// that nothing else calls attention to. SQLite takes the tables of a CROSS JOIN
// as they come: these few couriers first, then their orders by the index.
var countGone = "SELECT count(*), count(*) FILTER (WHERE NOT " + needsAttention + `)
	FROM couriers CROSS JOIN open_orders
	WHERE active = 0 AND open_orders.courier_id = couriers.courier_id AND open_orders.courier_id <> ''`

// CountOpen counts orders under way by state, and what needs attention.
func (tx *Tx) CountOpen(ctx context.Context, now time.Time) (dispatch.Counts, error) {
	counts := dispatch.Counts{Statuses: map[delivery.Status]int64{}, Reasons: map[board.Reason]int64{}}
	numbers := make([]int64, len(ownReasons)+len(board.OpenStatuses))
	into := append(make([]any, 0, 2+len(numbers)), &counts.Open, &counts.Attention)
	for i := range numbers {
		into = append(into, &numbers[i])
	}
	err := tx.conn.query(ctx, countOpen, []any{now}, func(r row) error { return r.scan(into...) })
	if err != nil {
		return counts, err
	}
	var gone, goneOnly int64
	err = tx.conn.query(ctx, countGone, []any{now}, func(r row) error { return r.scan(&gone, &goneOnly) })
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

// EndedOrders lists orders of one partner in one final state, newest first. It
// stops early where Orders does.
func (tx *Tx) EndedOrders(ctx context.Context, f dispatch.Filter) (found []*delivery.Order, stopped bool, err error) {
	found, stopped, err = tx.Orders(ctx, order.Filter{
		PartnerID: f.PartnerID, Status: f.Statuses[0], CreatedFrom: f.CreatedFrom, CreatedTo: f.CreatedTo,
		Before: f.After.OrderID, Limit: f.Limit,
	})
	if err != nil {
		return nil, false, err
	}
	return found, stopped, tx.addHistories(ctx, found)
}

// addHistories adds their histories to orders of a list.
func (tx *Tx) addHistories(ctx context.Context, orders []*delivery.Order) error {
	byKey := make(map[order.OrderKey]*delivery.Order, len(orders))
	for _, o := range orders {
		o.History = []delivery.HistoryEntry{{Status: delivery.StatusPending, At: o.CreatedAt}}
		byKey[order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}] = o
	}
	return tx.histories(ctx, byKey)
}

// OrdersCalled finds orders by their partner's own name for them: one look into
// each partner's index. CROSS JOIN keeps SQLite from reading all orders first.
func (tx *Tx) OrdersCalled(ctx context.Context, partnerID, partnerOrderID string, limit int) (found []*delivery.Order, err error) {
	text := "SELECT " + qualifiedBy("o", orderColumns) + ` FROM partners AS p CROSS JOIN orders AS o
		WHERE o.partner_id = p.partner_id AND o.partner_order_id = $1 AND ($2 = '' OR p.partner_id = $2) LIMIT $3`
	err = tx.conn.query(ctx, text, []any{partnerOrderID, partnerID, limit}, func(r row) error {
		o, _, err := scanOrder(r)
		found = append(found, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, tx.addHistories(ctx, found)
}

func qualifiedBy(alias string, columns []columnSpec) string {
	return each(columns, ", ", func(_ int, c columnSpec) string { return alias + "." + c.name })
}
