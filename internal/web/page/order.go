package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// OrderView is an order as the pages of partners and of operators show it.
// templates/order.html has the parts that they share.
type OrderView struct {
	Order    *delivery.Order
	Stops    []Stop
	language Language
}

// Stop is one end of a delivery.
type Stop struct {
	Title string
	delivery.Contact
	Times string // the window, in the zone of the place
}

// OrderView returns the view of an order. clock returns the time zone of an address.
func (s Sheet) OrderView(o *delivery.Order, clock func(delivery.Address) *time.Location) OrderView {
	l, now := s.Language, s.Site.Now()
	return OrderView{o, []Stop{
		{l.Text("order.pickup"), o.Pickup, l.Window(o.Pickup.Window, clock(o.Pickup.Address), now)},
		{l.Text("order.dropoff"), o.Dropoff, l.Window(o.Dropoff.Window, clock(o.Dropoff.Address), now)},
	}, l}
}

// Window returns a window of time in a zone.
func (l Language) Window(w delivery.Window, zone *time.Location, now time.Time) string {
	start, end := w.Start.In(zone), w.End.In(zone)
	if start.Format(time.DateOnly) == end.Format(time.DateOnly) {
		from, to := l.Between(start, end)
		return l.Text("order.window", "day", l.Day(start, now), "from", from, "to", to, "zone", l.Zone(start))
	}
	return l.Text("order.windows", "from", l.Moment(start, now), "to", l.Within(end, now), "zone", l.Zone(start))
}

// RecipientsPage returns the address of the page that recipients see.
func (v OrderView) RecipientsPage() string { return v.Order.TrackingURL + "/html" }

// HasEnded reports whether the order can no longer change its status.
func (v OrderView) HasEnded() bool { return len(delivery.NextStatuses(v.Order.Status)) == 0 }

// Entered returns when the order entered its status.
func (v OrderView) Entered() time.Time {
	if len(v.Order.History) == 0 {
		return v.Order.UpdatedAt
	}
	return v.Order.History[len(v.Order.History)-1].At
}

// Warnings says what was probably not meant when the order was created, until it has
// ended.
func (v OrderView) Warnings() (texts []string) {
	if v.HasEnded() {
		return nil
	}
	for _, w := range v.Order.Warnings {
		texts = append(texts, v.language.Warning(w))
	}
	return texts
}

// Assigned returns the name of the courier that an entry of the history has assigned, if it is
// still the order's; otherwise it is empty.
func (v OrderView) Assigned(entry delivery.HistoryEntry) string {
	for _, later := range slices.Backward(v.Order.History) {
		if later.Status == delivery.StatusCourierAssigned && v.Order.Courier != nil {
			if later == entry {
				return v.Order.Courier.Name
			}
			return ""
		}
	}
	return ""
}

// Note returns the note of an entry of the history. Couriers choose the reason of a
// failed attempt from a list.
func (v OrderView) Note(entry delivery.HistoryEntry) string {
	if reason := delivery.FailureReason(entry.Notes); slices.Contains(delivery.FailureReasons, reason) {
		return v.language.Text("failure." + string(reason))
	}
	return entry.Notes
}

// Money returns an amount with its currency, unless that is the usual one.
func (v OrderView) Money(cents int64, currency delivery.Currency) string {
	return v.language.Money(cents, currency)
}

// Money returns an amount with its currency, unless that is the usual one.
func (l Language) Money(cents int64, currency delivery.Currency) string {
	text := l.Dollars(cents)
	if currency != delivery.CAD {
		text += " " + string(currency)
	}
	return text
}

// Count returns a quantity.
func (v OrderView) Count(n int64) string { return v.language.Number(int(n)) }

// Size returns the sides of a parcel.
func (v OrderView) Size(p delivery.Parcel) string {
	return v.language.decimal(p.LengthCm) + " × " + v.language.decimal(p.WidthCm) + " × " +
		v.language.decimal(p.HeightCm) + " cm"
}

// Weight returns the weight of a parcel.
func (v OrderView) Weight(p delivery.Parcel) string { return v.language.decimal(p.WeightKg) + " kg" }

func (l Language) decimal(n float64) string {
	return l.LocalNumber(strconv.FormatFloat(n, 'f', -1, 64))
}

// LocalNumber returns a number as the language writes it: with its separators if it is
// whole, otherwise with its decimal sign.
func (l Language) LocalNumber(number string) string {
	if whole, err := strconv.Atoi(number); err == nil {
		return l.Number(whole)
	}
	if l == French {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}
