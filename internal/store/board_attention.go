package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// reasonSQL holds the condition for each reason, as board.Row.Reasons decides
// it; ? is the time. States and limits are written out, since they never change
// while the program runs.
var reasonSQL = map[board.Reason]string{
	board.ReasonLate:         "estimated_delivery < ?",
	board.ReasonFailedTwice:  fmt.Sprintf("failures >= %d", board.TooManyFailures),
	board.ReasonWindowMissed: "(dropoff_end < ? OR pickup_end < ? AND status IN (" + quoted(board.AtPickup) + "))",
	board.ReasonNoCourier:    "(pickup_start <= ? AND status IN (" + quoted(board.Unassigned) + "))",
	board.ReasonCourierGone:  "gone_id IS NOT NULL", // of joinGone
}

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
	return "SELECT count(*), count(*) FILTER (WHERE " + strings.Join(counted, "), count(*) FILTER (WHERE ") + ") FROM open_orders"
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
