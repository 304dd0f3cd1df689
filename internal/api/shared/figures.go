package shared

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/report"
)

// The formats of figures.
const (
	formatJSON = "application/json"
	formatCSV  = "text/csv"
)

var figureFormats = map[string]string{formatJSON: formatJSON, formatCSV: formatCSV}

// Figures responds with the figures of a period.
type Figures struct{ Reports *report.Service }

// OfAccount responds with the figures of a partner.
func (f Figures) OfAccount(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	question := report.Question{Filter: figures.Filter{PartnerID: c.Account}}
	return f.answer(c, q, question, func(found *report.Answer) any { return figuresOf(found) })
}

// OfAll responds with the figures of all partners and couriers, or of one, and with those of the books to a caller who
// may read them.
func (f Figures) OfAll(c *httpd.Call, readsBooks bool) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := figures.Filter{PartnerID: q.Text("partner_id"), CourierID: q.Text("courier_id")}
	return f.answer(c, q, report.Question{Filter: filter, Money: readsBooks}, func(found *report.Answer) any {
		return houseFiguresAnswer{figuresOf(found), moneyOf(found)}
	})
}

var byRule = form.OneOf("courier")

// answer responds with the figures that the parameters ask for, in the format that
// Accept asks for.
func (f Figures) answer(
	c *httpd.Call, q *httpd.Query, question report.Question, inJSON func(*report.Answer) any,
) (httpd.Reply, error) {
	question.First, question.Last = q.Day("from"), q.Day("to")
	question.ByCourier = q.OneOf("by", byRule) != ""
	layout := q.CSVLayout()
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, err := f.Reports.Figures(c.Context(), question)
	if err != nil {
		return httpd.Reply{}, err
	}
	if httpd.Preferred(c.Header.Values("Accept"), figureFormats, formatJSON) == formatCSV {
		c.ReplyHeader.Set("Content-Type", "text/csv; charset=utf-8")
		return httpd.Reply{Status: http.StatusOK, Body: found.CSV(layout)}, nil
	}
	return httpd.OK(inJSON(found))
}

type figuresAnswer struct {
	From string      `json:"from"`
	To   string      `json:"to"`
	Days []dayAnswer `json:"days"`
}

// houseFiguresAnswer are the figures that operators get.
type houseFiguresAnswer struct {
	figuresAnswer
	Money *moneyAnswer `json:"money"` // null for those who may not read the books, and for one courier
}

type moneyAnswer struct {
	Days []dayMoneyAnswer `json:"days"`
}

type dayMoneyAnswer struct {
	Day       string            `json:"day"`
	Currency  delivery.Currency `json:"currency"`
	Revenue   int64             `json:"revenue_cents"`
	Collected int64             `json:"collected_cents"`
}

func moneyOf(found *report.Answer) *moneyAnswer {
	if found.Money == nil {
		return nil
	}
	answer := &moneyAnswer{make([]dayMoneyAnswer, len(found.Money))}
	for i, m := range found.Money {
		answer.Days[i] = dayMoneyAnswer{m.Day.String(), m.Currency, m.Revenue, m.Collected}
	}
	return answer
}

type dayAnswer struct {
	Date              string      `json:"date"`
	CourierID         *string     `json:"courier_id,omitzero"`
	CourierName       *string     `json:"courier_name,omitzero"`
	Orders            int64       `json:"orders"`
	Assigned          int64       `json:"assigned"`
	Delivered         int64       `json:"delivered"`
	OnTime            int64       `json:"on_time"`
	FailedAttempts    int64       `json:"failed_attempts"`
	Cancelled         int64       `json:"cancelled"`
	WebhooksDelivered int64       `json:"webhooks_delivered"`
	TimeInStatus      staysAnswer `json:"time_in_status"`
}

// staysAnswer has the stays in the order of figures.Passing.
type staysAnswer struct {
	Pending         stayAnswer `json:"pending"`
	Accepted        stayAnswer `json:"accepted"`
	CourierAssigned stayAnswer `json:"courier_assigned"`
	PickedUp        stayAnswer `json:"picked_up"`
	InTransit       stayAnswer `json:"in_transit"`
	OutForDelivery  stayAnswer `json:"out_for_delivery"`
	Failed          stayAnswer `json:"failed"`
}

type stayAnswer struct {
	Count   int64 `json:"count"`
	Seconds int64 `json:"seconds"`
}

func figuresOf(found *report.Answer) figuresAnswer {
	answer := figuresAnswer{From: found.First.String(), To: found.Last.String(), Days: make([]dayAnswer, len(found.Lines))}
	for i, line := range found.Lines {
		day := dayAnswer{
			Date: line.Day.String(), Orders: line.Orders, Assigned: line.Assigned, Delivered: line.Delivered,
			OnTime: line.OnTime, FailedAttempts: line.FailedAttempts, Cancelled: line.Cancelled,
			WebhooksDelivered: line.WebhooksDelivered, TimeInStatus: staysOf(line.Counts),
		}
		if found.ByCourier {
			day.CourierID, day.CourierName = &line.CourierID, &line.CourierName
		}
		answer.Days[i] = day
	}
	return answer
}

func staysOf(counts figures.Counts) staysAnswer {
	var in [len(figures.Passing)]stayAnswer
	for i, stay := range counts.Stays {
		in[i] = stayAnswer{stay.Ended, stay.Seconds()}
	}
	return staysAnswer{
		Pending: in[0], Accepted: in[1], CourierAssigned: in[2], PickedUp: in[3], InTransit: in[4], OutForDelivery: in[5],
		Failed: in[6],
	}
}
