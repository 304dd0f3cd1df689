package shared

import (
	"net/http"

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
	return f.answer(c, q, figures.Filter{PartnerID: c.Account})
}

// OfAll responds with the figures of all partners and couriers, or of one.
func (f Figures) OfAll(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	return f.answer(c, q, figures.Filter{PartnerID: q.Text("partner_id"), CourierID: q.Text("courier_id")})
}

var byRule = form.OneOf("courier")

// answer responds with the figures that the parameters ask for, in the format that
// Accept asks for.
func (f Figures) answer(c *httpd.Call, q *httpd.Query, filter figures.Filter) (httpd.Reply, error) {
	filter.First, filter.Last = q.Day("from"), q.Day("to")
	filter.ByCourier = q.OneOf("by", byRule) != ""
	layout := q.CSVLayout()
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, err := f.Reports.Figures(c.Context(), report.Question{Filter: filter})
	if err != nil {
		return httpd.Reply{}, err
	}
	if httpd.Preferred(c.Header.Values("Accept"), figureFormats, formatJSON) == formatCSV {
		c.ReplyHeader.Set("Content-Type", "text/csv; charset=utf-8")
		return httpd.Reply{Status: http.StatusOK, Body: found.CSV(layout)}, nil
	}
	return httpd.OK(figuresOf(found, filter.ByCourier))
}

type figuresAnswer struct {
	From string      `json:"from"`
	To   string      `json:"to"`
	Days []dayAnswer `json:"days"`
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

func figuresOf(found *report.Answer, byCourier bool) figuresAnswer {
	answer := figuresAnswer{From: found.First.String(), To: found.Last.String(), Days: make([]dayAnswer, len(found.Lines))}
	for i, line := range found.Lines {
		day := dayAnswer{
			Date: line.Day.String(), Orders: line.Orders, Assigned: line.Assigned, Delivered: line.Delivered,
			OnTime: line.OnTime, FailedAttempts: line.FailedAttempts, Cancelled: line.Cancelled,
			WebhooksDelivered: line.WebhooksDelivered, TimeInStatus: staysOf(line.Counts),
		}
		if byCourier {
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
