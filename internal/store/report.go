package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/report"
)

var (
	countedDay     = db.Integer("day", func(r *figures.Row) *int64 { return (*int64)(&r.Day) })
	countedCourier = db.Text("courier_id", func(r *figures.Row) *string { return &r.CourierID })

	counted = db.NewTable("figures",
		db.Key(db.Text("partner_id", func(r *figures.Row) *string { return &r.PartnerID }), countedDay, countedCourier),
		append([]db.Column[*figures.Row]{
			db.Integer("orders", func(r *figures.Row) *int64 { return &r.Orders }),
			db.Integer("assigned", func(r *figures.Row) *int64 { return &r.Assigned }),
			db.Integer("delivered", func(r *figures.Row) *int64 { return &r.Delivered }),
			db.Integer("on_time", func(r *figures.Row) *int64 { return &r.OnTime }),
			db.Integer("failed_attempts", func(r *figures.Row) *int64 { return &r.FailedAttempts }),
			db.Integer("cancelled", func(r *figures.Row) *int64 { return &r.Cancelled }),
			db.Integer("webhooks_delivered", func(r *figures.Row) *int64 { return &r.WebhooksDelivered }),
		}, stayColumns()...)...)

	addFigures = counted.Addition()
)

// stayColumns returns two columns for each status that orders leave again.
func stayColumns() (columns []db.Column[*figures.Row]) {
	for i, status := range figures.Passing {
		columns = append(columns,
			db.Integer(string(status)+"_ended", func(r *figures.Row) *int64 { return &r.Stays[i].Ended }),
			db.Integer(string(status)+"_ms", func(r *figures.Row) *int64 { return &r.Stays[i].Millis }))
	}
	return columns
}

// writeFigures queues what a transaction adds to the figures. The rows are locked by
// this statement, in the order of their keys, and until the commit; so it must be the
// last one of every transaction.
func writeFigures(p *db.Pipeline, added *figures.Tally) { db.Write(p, addFigures, added.Rows()) }

// sumFigures returns the sums by day, and by courier if asked for, sorted.
func sumFigures(ctx context.Context, c db.Conn, f figures.Filter) (sums []*figures.Row, err error) {
	selected := &db.Conditions{}
	selected.AddText("partner_id = ?", f.PartnerID)
	selected.AddText("courier_id = ?", f.CourierID)
	selected.Add("day >= ? AND day <= ?", int64(f.First), int64(f.Last))
	by := []db.Column[*figures.Row]{countedDay}
	if f.ByCourier {
		by = append(by, countedCourier)
	}
	kept := db.Names(by)
	totals := make([]string, len(counted.Rest))
	for i, c := range counted.Rest {
		totals[i] = "CAST(sum(" + c.Name + ") AS BIGINT)"
	}
	tail, args := selected.Clause("GROUP BY " + kept + " ORDER BY " + kept)
	err = c.Query(ctx, "SELECT "+kept+", "+strings.Join(totals, ", ")+" FROM figures "+tail, args, func(r db.Row) error {
		found := new(figures.Row)
		sums = append(sums, found)
		return r.Scan(append(db.Into(by, found), db.Into(counted.Rest, found)...)...)
	})
	return sums, err
}

// Reports is the store as package report sees it.
func (s *Store) Reports() report.Store { return reportStore{s.Database} }

// reportStore only reads.
type reportStore struct{ database *db.Database }

// Read runs fn on a consistent view of the data.
func (s reportStore) Read(ctx context.Context, fn func(report.Reader) error) error {
	return s.database.Read(ctx, func(c db.Conn) error { return fn(reportTx{c}) })
}

// reportTx is a transaction of package report.
type reportTx struct{ conn db.Conn }

// Figures returns the sums by day, and by courier if the filter asks for that.
func (tx reportTx) Figures(ctx context.Context, filter figures.Filter) ([]*figures.Row, error) {
	return sumFigures(ctx, tx.conn, filter)
}

// Money returns what was charged and collected by day and currency. What was sent on to partners stays collected.
func (tx reportTx) Money(
	ctx context.Context, partnerID string, first, last date.Day,
) (days []report.DayMoney, err error) {
	selected := &db.Conditions{}
	selected.AddText("partner_id = ?", partnerID)
	selected.Add("day >= ? AND day <= ?", int64(first), int64(last))
	selected.Add("(account = ? OR account = ? AND act <> ?)", string(money.Revenue), string(money.Collected),
		string(money.ActRemittance))
	tail, args := selected.Clause("GROUP BY day, currency ORDER BY day, currency")
	days = []report.DayMoney{}
	query := fmt.Sprintf(`SELECT day, currency, CAST(-sum(CASE WHEN account = '%[1]s' THEN cents ELSE 0 END) AS BIGINT),
		CAST(-sum(CASE WHEN account = '%[1]s' THEN 0 ELSE cents END) AS BIGINT)
		FROM journal JOIN journal_lines USING (partner_id, day, entry_id) `, money.Revenue)
	err = tx.conn.Query(ctx, query+tail, args, func(r db.Row) error {
		var m report.DayMoney
		if err := r.Scan((*int64)(&m.Day), (*string)(&m.Currency), &m.Revenue, &m.Collected); err != nil {
			return err
		}
		days = append(days, m)
		return nil
	})
	return days, err
}

// CourierNames returns the names of couriers by their ids, active or not.
func (tx reportTx) CourierNames(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := couriersByID(ctx, tx.conn, ids)
	names := make(map[string]string, len(found))
	for id, courier := range found {
		names[id] = courier.Name
	}
	return names, err
}
