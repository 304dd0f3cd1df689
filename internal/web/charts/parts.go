package charts

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/web/page"
)

// figure is a number of the period, and how it has changed.
type figure struct {
	Key    string // of its phrase
	Value  string
	Change string // from the period before; empty if there is nothing to compare
}

// cards returns the figures of a period in all, with how they have changed.
func (s *sheet) cards(now, before figures.Counts) []figure {
	card := func(key string, value, earlier int64) figure {
		return figure{Key: key, Value: s.Language.Number(int(value)), Change: s.change(value, earlier)}
	}
	onTime := figure{Key: "portal.figure.on_time", Value: s.Language.Share(now.OnTime, now.Delivered)}
	if before.Delivered > 0 {
		onTime.Change = s.Text("portal.figure.before", "n", s.Language.Share(before.OnTime, before.Delivered))
	}
	return []figure{
		card("portal.figures.orders", now.Orders, before.Orders),
		card("portal.figures.delivered", now.Delivered, before.Delivered),
		onTime,
		card("portal.figure.failed", now.FailedAttempts, before.FailedAttempts),
		card("portal.figures.cancelled", now.Cancelled, before.Cancelled),
		card("portal.figure.webhooks", now.WebhooksDelivered, before.WebhooksDelivered),
	}
}

// change returns how a number has changed; empty if it was 0 before.
func (s *sheet) change(now, before int64) string {
	if before == 0 {
		return ""
	}
	sign, difference := "+", now-before
	switch {
	case difference < 0:
		sign, difference = "−", -difference
	case difference == 0:
		sign = "±"
	}
	return s.Text("portal.figures.change", "change", sign+s.Language.Percent(difference, before), "n",
		s.Language.Number(int(before)))
}

// charts returns the charts of the days of a period.
func (v *figuresView) charts(lines []report.Line, total figures.Counts) []page.Chart {
	number := func(n int64) string { return v.Language.Number(int(n)) }
	orders := page.Chart{
		Title: v.Text("portal.figures.chart.orders"), Tones: []string{"orders", "delivered"},
		Names: []string{v.Text("portal.figures.orders"), v.Text("portal.figures.delivered")},
	}
	punctual := page.Chart{
		Title: v.Text("portal.figures.chart.on_time"), Tones: []string{"delivered", "late"}, Stacked: true, Top: 100,
		Names: []string{v.Text("portal.figure.on_time"), v.Text("portal.figures.late")},
	}
	failed := page.Chart{
		Title: v.Text("portal.figure.failed"), Tones: []string{"failed"}, Names: []string{v.Text("portal.figure.failed")},
	}
	about := func(counts figures.Counts) [3]string {
		return [3]string{
			v.Text("portal.figures.note.orders", "orders", number(counts.Orders), "delivered", number(counts.Delivered)),
			v.Text("portal.figures.note.on_time", "on", number(counts.OnTime), "delivered", number(counts.Delivered)),
			v.Text("portal.figures.note.failed", "n", number(counts.FailedAttempts)),
		}
	}
	for _, line := range lines {
		label, notes, onTime, late := v.date(line.Day), about(line.Counts), int64(0), int64(0)
		if line.Delivered > 0 {
			onTime = line.OnTime * 100 / line.Delivered
			late = 100 - onTime
		}
		step := func(note string, values ...int64) page.Step {
			return page.Step{Label: label, Note: label + v.Text("page.colon") + " " + note, Values: values}
		}
		orders.Steps = append(orders.Steps, step(notes[0], line.Orders, line.Delivered))
		punctual.Steps = append(punctual.Steps, step(notes[1], onTime, late))
		failed.Steps = append(failed.Steps, step(notes[2], line.FailedAttempts))
	}
	notes := about(total)
	orders.About, punctual.About, failed.About = notes[0], notes[1], notes[2]
	return []page.Chart{orders, punctual, failed}
}

// stayRow is how long orders were in a status.
type stayRow struct {
	Status delivery.Status
	figures.Stay
	Mean    time.Duration
	Longest time.Duration // of the means of all statuses
}

// Part and Whole are the length of the bar, in milliseconds.
func (r stayRow) Part() int64 { return r.Mean.Milliseconds() }

// Whole is the length of the longest bar.
func (r stayRow) Whole() int64 { return r.Longest.Milliseconds() }

// staysOf returns the statuses that orders have left, in the order of a delivery.
func staysOf(total figures.Counts) []stayRow {
	var rows []stayRow
	var longest time.Duration
	for i, stay := range total.Stays {
		if stay.Ended > 0 {
			rows = append(rows, stayRow{Status: figures.Passing[i], Stay: stay, Mean: stay.Mean()})
			longest = max(longest, stay.Mean())
		}
	}
	for i := range rows {
		rows[i].Longest = longest
	}
	return rows
}

// courierRow has the sums of a courier in a period.
type courierRow struct {
	report.Line
}

// Name returns the name of the courier, or the id if the name is gone.
func (r courierRow) Name() string { return cmp.Or(r.CourierName, r.CourierID) }

// couriersOf sums up lines by courier, those with the most deliveries first. What no
// courier did is left out.
func couriersOf(lines []report.Line) []courierRow {
	var rows []courierRow
	at := map[string]int{}
	for _, line := range lines {
		if line.CourierID == "" {
			continue
		}
		i, known := at[line.CourierID]
		if !known {
			i = len(rows)
			at[line.CourierID] = i
			rows = append(rows, courierRow{report.Line{Row: &figures.Row{Key: line.Key}, CourierName: line.CourierName}})
		}
		rows[i].Counts = rows[i].Plus(line.Counts)
	}
	slices.SortFunc(rows, func(a, b courierRow) int {
		return cmp.Or(cmp.Compare(b.Delivered, a.Delivered), cmp.Compare(a.Name(), b.Name()))
	})
	return rows
}

// dayRow has the figures of a day.
type dayRow struct {
	report.Line
	Revenue, Collected string
}

// busyDays returns the days on which anything was counted or charged, the latest first.
func (v *figuresView) busyDays(now *report.Answer) (busy []dayRow) {
	for _, line := range slices.Backward(now.Lines) {
		booked := now.MoneyOn(line.Day)
		if line.Counts == (figures.Counts{}) && len(booked) == 0 {
			continue
		}
		row := dayRow{Line: line}
		row.Revenue, row.Collected = v.amounts(booked)
		busy = append(busy, row)
	}
	return busy
}
