package portal

import (
	"bytes"
	"net/url"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	ordersFilePath = "/portal/orders.csv"
	// ordersInFile is how many orders a file may have, and ordersAtOnce how many are read at once.
	ordersInFile, ordersAtOnce = 10_000, 500
)

// ordersFilter reads what the list of orders is narrowed by: a search, a status, and days, which are those of the
// place where the latest order is picked up.
func (pages *Pages) ordersFilter(s *sheet) (order.Filter, *page.Form, error) {
	sent := &page.Form{Action: "/portal/orders", Values: url.Values{}}
	filter := order.Filter{
		PartnerID: s.Account, Status: delivery.Status(s.parameter("status")), PartnerOrderID: s.parameter("q"),
	}
	if !filter.Status.Known() {
		filter.Status = ""
	}
	from, to := s.day(sent, "from"), s.day(sent, "to")
	if from.IsZero() && to.IsZero() {
		return filter, sent, nil
	}
	latest, err := pages.config.Orders.List(s.Context(), order.Filter{PartnerID: s.Account, Limit: 1})
	if err != nil {
		return filter, sent, err
	}
	clock := time.UTC
	if len(latest.Orders) > 0 {
		clock = pages.config.Calendar.ClockAt(latest.Orders[0].Pickup.Address)
	}
	if !from.IsZero() {
		filter.CreatedFrom = time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, clock)
	}
	if !to.IsZero() { // the day that is named is a part of the period
		filter.CreatedTo = time.Date(to.Year(), to.Month(), to.Day()+1, 0, 0, 0, 0, clock)
	}
	return filter, sent, nil
}

// day reads a day of the filter; zero if none is given.
func (s *sheet) day(sent *page.Form, name string) time.Time {
	text := s.parameter(name)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil { // a field of dates shows no other text
		sent.Faults = append(sent.Faults, page.Fault{Field: name, Text: s.Text("audit.day")})
		return time.Time{}
	}
	sent.Values.Set(name, text)
	return at
}

// chosenOrders returns the parameters of the list of orders that have a value, as pairs.
func chosenOrders(filter order.Filter, sent *page.Form) (pairs []string) {
	for _, pair := range [][2]string{
		{"q", filter.PartnerOrderID}, {"status", string(filter.Status)}, {"from", sent.Values.Get("from")},
		{"to", sent.Values.Get("to")},
	} {
		if pair[1] != "" {
			pairs = append(pairs, pair[0], pair[1])
		}
	}
	return pairs
}

// Days returns the fields of the period.
func (v ordersView) Days() []page.Field {
	return []page.Field{
		v.Form.With(page.Field{Name: "from", Label: v.Text("audit.from"), Type: "date"}),
		v.Form.With(page.Field{Name: "to", Label: v.Text("audit.to"), Type: "date"}),
	}
}

// ordersFile returns the orders that the list is narrowed to as CSV, the newest first.
func (pages *Pages) ordersFile(s *sheet) (int, []byte, error) {
	filter, sent, err := pages.ordersFilter(s)
	if err != nil {
		return 0, nil, err
	}
	if len(sent.Faults) > 0 {
		return 0, nil, form.Fault(sent.Faults[0].Field, s.parameter(sent.Faults[0].Field), page.DateRule)
	}
	var file bytes.Buffer
	lines := csvfile.NewWriter(&file, page.CSVLayout(s.PageRequest),
		"order_id", "partner_order_id", "reference", "status", "service_level", "created_at", "estimated_delivery",
		"updated_at", "name", "phone", "email", "line1", "line2", "city", "province", "postal_code", "parcels",
		"cod", "cod_currency", "rate", "currency")
	filter.Limit = ordersAtOnce
	for count := 0; ; {
		found, err := pages.find(s, filter)
		if err != nil {
			return 0, nil, err
		}
		if count += len(found.Orders); count > ordersInFile {
			return 0, nil, refusal.New(refusal.CodePayloadTooLarge, "the period has more than 10,000 orders: choose a shorter one")
		}
		for _, o := range found.Orders {
			writeOrder(lines, o)
		}
		if filter.Before = found.Next; found.Next == "" {
			break
		}
	}
	if err := lines.Flush(); err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, "orders.csv", file.Bytes())
}

func writeOrder(lines *csvfile.Writer, o *delivery.Order) {
	to, cod, codCurrency := &o.Dropoff, csvfile.Plain(""), csvfile.Plain("")
	if o.COD != nil {
		cod, codCurrency = csvfile.Dollars(o.COD.AmountCents), csvfile.Plain(string(o.COD.Currency))
	}
	lines.Row(
		csvfile.Plain(o.OrderID), csvfile.Words(o.PartnerOrderID), csvfile.Words(o.Reference),
		csvfile.Plain(string(o.Status)), csvfile.Plain(string(o.ServiceLevel)), csvfile.Plain(timestamp.Format(o.CreatedAt)),
		csvfile.Plain(timestamp.Format(o.EstimatedDelivery)), csvfile.Plain(timestamp.Format(o.UpdatedAt)),
		csvfile.Words(to.Name), csvfile.Code(to.Phone), csvfile.Words(to.Email), csvfile.Words(to.Address.Line1),
		csvfile.Words(to.Address.Line2), csvfile.Words(to.Address.City), csvfile.Words(to.Address.Province),
		csvfile.Words(to.Address.PostalCode), csvfile.Whole(int64(len(o.Parcels))), cod, codCurrency,
		csvfile.Dollars(o.RateCents), csvfile.Plain(string(o.Currency)))
}
