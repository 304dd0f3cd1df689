package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/figures"
)

var (
	countedDay     = integer("day", func(r *figures.Row) *int64 { return (*int64)(&r.Day) })
	countedCourier = text("courier_id", func(r *figures.Row) *string { return &r.CourierID })

	counted = newTable("figures",
		key(text("partner_id", func(r *figures.Row) *string { return &r.PartnerID }), countedDay, countedCourier),
		append([]column[*figures.Row]{
			integer("orders", func(r *figures.Row) *int64 { return &r.Orders }),
			integer("assigned", func(r *figures.Row) *int64 { return &r.Assigned }),
			integer("delivered", func(r *figures.Row) *int64 { return &r.Delivered }),
			integer("on_time", func(r *figures.Row) *int64 { return &r.OnTime }),
			integer("failed_attempts", func(r *figures.Row) *int64 { return &r.FailedAttempts }),
			integer("cancelled", func(r *figures.Row) *int64 { return &r.Cancelled }),
			integer("webhooks_delivered", func(r *figures.Row) *int64 { return &r.WebhooksDelivered }),
		}, stayColumns()...)...)

	addFigures = counted.addition()
)

// stayColumns returns two columns for each status that orders leave again.
func stayColumns() (columns []column[*figures.Row]) {
	for i, status := range figures.Passing {
		columns = append(columns,
			integer(string(status)+"_ended", func(r *figures.Row) *int64 { return &r.Stays[i].Ended }),
			integer(string(status)+"_ms", func(r *figures.Row) *int64 { return &r.Stays[i].Millis }))
	}
	return columns
}

// writeFigures queues what a transaction adds to the figures. The rows are locked by
// this statement, in the order of their keys, and until the commit; so it must be the
// last one of every transaction.
func writeFigures(p *pipeline, added *figures.Tally) { write(p, addFigures, added.Rows()) }

// sumFigures returns the sums by day, and by courier if asked for, sorted.
func sumFigures(ctx context.Context, c conn, f figures.Filter) (sums []*figures.Row, err error) {
	selected := &conditions{}
	selected.addText("partner_id = ?", f.PartnerID)
	selected.addText("courier_id = ?", f.CourierID)
	selected.add("day >= ? AND day <= ?", int64(f.First), int64(f.Last))
	by := []column[*figures.Row]{countedDay}
	if f.ByCourier {
		by = append(by, countedCourier)
	}
	kept := names(specs(by))
	tail, args := selected.clause("GROUP BY " + kept + " ORDER BY " + kept)
	sum := each(specs(counted.rest), ", ", func(_ int, c columnSpec) string { return "CAST(sum(" + c.name + ") AS BIGINT)" })
	err = c.query(ctx, "SELECT "+kept+", "+sum+" FROM figures "+tail, args, func(r row) error {
		found := new(figures.Row)
		sums = append(sums, found)
		return r.scan(append(into(by, found), into(counted.rest, found)...)...)
	})
	return sums, err
}
