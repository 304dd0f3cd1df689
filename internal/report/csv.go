package report

import (
	"bytes"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// CSV returns the figures as a CSV file: a heading, and a row for each line. A status
// has two columns: how many orders have left it, and how long these were in it, in
// seconds. Lines of days have what the books have, if that was asked for, in dollars.
func (a *Answer) CSV(layout csvfile.Layout) []byte {
	var out bytes.Buffer
	w := csvfile.NewWriter(&out, layout, a.columns()...)
	for _, line := range a.Lines {
		cells := []csvfile.Value{csvfile.Plain(line.Day.String())}
		if a.ByCourier {
			cells = append(cells, csvfile.Plain(line.CourierID), csvfile.Words(line.CourierName))
		}
		for _, number := range line.numbers() {
			cells = append(cells, csvfile.Whole(number))
		}
		if a.hasMoney() {
			cells = append(cells, moneyCells(a.MoneyOn(line.Day))...)
		}
		w.Row(cells...)
	}
	_ = w.Flush() // a buffer takes everything
	return out.Bytes()
}

// columns returns the headings.
func (a *Answer) columns() []string {
	columns := []string{"date"}
	if a.ByCourier {
		columns = append(columns, "courier_id", "courier_name")
	}
	columns = append(columns, "orders", "assigned", "delivered", "on_time", "failed_attempts", "cancelled",
		"webhooks_delivered")
	for _, status := range figures.Passing {
		columns = append(columns, string(status)+"_count", string(status)+"_seconds")
	}
	if a.hasMoney() {
		columns = append(columns, "revenue_cad", "collected_cad", "collected_usd")
	}
	return columns
}

// hasMoney reports whether lines have columns of money.
func (a *Answer) hasMoney() bool { return a.Money != nil && !a.ByCourier }

// moneyCells returns what was charged and collected on a day. Charges are in CAD.
func moneyCells(days []DayMoney) []csvfile.Value {
	var cad, usd DayMoney
	for _, m := range days {
		switch m.Currency {
		case delivery.CAD:
			cad = m
		case delivery.USD:
			usd = m
		}
	}
	return []csvfile.Value{csvfile.Dollars(cad.Revenue), csvfile.Dollars(cad.Collected), csvfile.Dollars(usd.Collected)}
}

// numbers returns what the columns after the date and the courier hold.
func (l Line) numbers() []int64 {
	numbers := make([]int64, 0, 7+2*len(l.Stays))
	numbers = append(numbers, l.Orders, l.Assigned, l.Delivered, l.OnTime, l.FailedAttempts, l.Cancelled,
		l.WebhooksDelivered)
	for _, stay := range l.Stays {
		numbers = append(numbers, stay.Ended, stay.Seconds())
	}
	return numbers
}
