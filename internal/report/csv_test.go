package report_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/report"
)

const headings = "orders,assigned,delivered,on_time,failed_attempts,cancelled,webhooks_delivered," +
	"pending_count,pending_seconds,accepted_count,accepted_seconds,courier_assigned_count,courier_assigned_seconds,picked_up_count,picked_up_seconds," +
	"in_transit_count,in_transit_seconds,out_for_delivery_count,out_for_delivery_seconds,failed_count,failed_seconds\n"

func TestCSV(t *testing.T) {
	t.Parallel()
	day, _ := date.Parse("2026-06-18")
	row := &figures.Row{Key: figures.Key{Day: day, CourierID: "cou_1"}, Counts: figures.Counts{
		Orders: 7, Assigned: 6, Delivered: 5, OnTime: 4, FailedAttempts: 3, Cancelled: 2, WebhooksDelivered: 1,
	}}
	row.Stays[0] = figures.Stay{Ended: 2, Millis: 1500}
	lines := []report.Line{{Row: row, CourierName: "=Amélie"}}
	const numbers = "7,6,5,4,3,2,1,2,2,0,0,0,0,0,0,0,0,0,0,0,0\n"
	for _, c := range []struct {
		answer report.Answer
		want   string
	}{
		{report.Answer{}, "date," + headings},
		{report.Answer{Lines: lines}, "date," + headings + "2026-06-18," + numbers},
		{
			report.Answer{Lines: lines, Money: []report.DayMoney{
				{Day: day - 1, Currency: delivery.CAD, Revenue: 9}, {Day: day, Currency: delivery.CAD, Revenue: -100, Collected: 5},
				{Day: day, Currency: delivery.USD, Collected: 1234}, {Day: day + 1, Currency: delivery.CAD, Revenue: 9},
			}},
			"date," + strings.TrimSpace(headings) + ",revenue_cad,collected_cad,collected_usd\n" +
				"2026-06-18," + strings.TrimSpace(numbers) + ",-1.00,0.05,12.34\n",
		},
		{
			report.Answer{Lines: lines, ByCourier: true, Money: []report.DayMoney{}},
			"date,courier_id,courier_name," + headings + "2026-06-18,cou_1,'=Amélie," + numbers,
		},
	} {
		if got := string(c.answer.CSV(csvfile.Layout{})); got != c.want {
			t.Errorf("%+v: got\n%swant\n%s", c.answer, got, c.want)
		}
	}
}
