package portal

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// liveSeconds is how often the open page of an order reads itself again.
const liveSeconds = 20

// orderView is what the page of an order shows.
type orderView struct {
	*sheet
	Order       *delivery.Order
	Failed      *delivery.FailedAttempt // the latest attempt; nil if it has not failed
	Proofs      []*delivery.Proof
	Live        int  // how often to read the page again, in seconds; 0 once the order has ended
	Late        bool // the estimated delivery has passed
	Cancellable bool
	Ends        []endView
	History     []delivery.HistoryEntry // newest first
	Samples     []sample
}

// endView is one end of a delivery.
type endView struct {
	Title string
	delivery.Contact
	Times string // the window, in the zone of the place
}

// order shows one order.
func (room *Room) order(s *sheet) (int, []byte, error) {
	found, err := room.follow(s)
	if err != nil {
		return 0, nil, err
	}
	view := s.viewOfOrder(found)
	if view.Proofs, err = room.config.Proofs.List(s.Context(), s.Account, found.OrderID); err != nil {
		return 0, nil, err
	}
	shown := leaf{
		template: "portal-order", title: found.PartnerOrderID, data: view, otherMode: "/portal/orders",
		back: &page.Link{Text: s.Text("portal.orders"), Path: s.Link("/portal/orders")},
	}
	if s.May(partner.PermissionOrders) {
		shown.action = &page.Link{Text: s.Text("portal.order.again"), Path: s.Link("/portal/orders/new", "from", found.OrderID)}
	}
	return s.show(shown)
}

// follow returns the order in the path, if it is one of the account.
func (room *Room) follow(s *sheet) (*delivery.Tracked, error) {
	id := s.ID("order_id")
	if owner, _ := delivery.PartnerOfOrder(id); owner != s.Account {
		return nil, refusal.NotFound("order")
	}
	return room.config.Orders.Follow(s.Context(), id)
}

func (s *sheet) viewOfOrder(found *delivery.Tracked) orderView {
	o, now := found.Order, s.room.config.Site.Now()
	v := orderView{
		sheet: s, Order: o, Failed: found.Failed,
		Cancellable: delivery.MayMove(o.Status, delivery.StatusCancelled, delivery.ActorPartner),
		Ends: []endView{
			{s.Text("portal.order.pickup"), o.Pickup, s.window(o.Pickup)},
			{s.Text("portal.order.dropoff"), o.Dropoff, s.window(o.Dropoff)},
		},
		History: slices.Clone(o.History),
		Samples: s.samples(o),
	}
	slices.Reverse(v.History)
	if len(delivery.NextStatuses(o.Status)) > 0 {
		v.Live, v.Late = liveSeconds, now.After(o.EstimatedDelivery)
	}
	return v
}

// Warnings says what was probably not meant when the order was created, until it has
// ended.
func (v orderView) Warnings() (texts []string) {
	if v.Live == 0 {
		return nil
	}
	keys := map[delivery.WarningCode]string{
		delivery.WarningDropoffBeforePickup: "portal.order.warning.before", delivery.WarningLate: "portal.order.warning.late",
	}
	for _, w := range v.Order.Warnings {
		text := w.Message
		if key := keys[w.Code]; key != "" {
			text = v.Text(key)
		}
		texts = append(texts, text)
	}
	return texts
}

// Entered returns when the order entered its status.
func (v orderView) Entered() time.Time {
	if len(v.History) == 0 {
		return v.Order.UpdatedAt
	}
	return v.History[0].At
}

// Note returns the note of an entry of the history. Couriers choose the reason of a
// failed attempt from a list.
func (v orderView) Note(entry delivery.HistoryEntry) string {
	if reason := delivery.FailureReason(entry.Notes); slices.Contains(delivery.FailureReasons, reason) {
		return v.Text("failure." + string(reason))
	}
	return entry.Notes
}

// Money returns an amount with its currency, unless that is the usual one.
func (v orderView) Money(cents int64, currency delivery.Currency) string {
	text := v.Language.Dollars(cents)
	if currency != delivery.CAD {
		text += " " + string(currency)
	}
	return text
}

// Count returns a quantity.
func (v orderView) Count(n int64) string { return v.Language.Number(int(n)) }

// Size returns the sides of a parcel.
func (v orderView) Size(p delivery.Parcel) string {
	return v.decimal(p.LengthCm) + " × " + v.decimal(p.WidthCm) + " × " + v.decimal(p.HeightCm) + " cm"
}

// Weight returns the weight of a parcel.
func (v orderView) Weight(p delivery.Parcel) string { return v.decimal(p.WeightKg) + " kg" }

func (s *sheet) decimal(n float64) string { return s.localNumber(strconv.FormatFloat(n, 'f', -1, 64)) }

// localNumber returns a number with the decimal sign of the reader's language.
func (s *sheet) localNumber(number string) string {
	if s.Language == page.French {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}

// window returns the time window of an end of a delivery in the zone of the place.
func (s *sheet) window(c delivery.Contact) string {
	now, clock := s.room.config.Site.Now(), pricing.Clock(c.Address.Province)
	start, end := c.Window.Start.In(clock), c.Window.End.In(clock)
	if start.Format(time.DateOnly) == end.Format(time.DateOnly) {
		from, to := s.Language.Between(start, end)
		return s.Text("portal.order.window", "day", s.Language.Day(start, now), "from", from, "to", to, "zone", start.Format("MST"))
	}
	return s.Text("portal.order.windows", "from", s.Language.Moment(start, now), "to", s.Language.Moment(end, now), "zone", start.Format("MST"))
}

// labelFormats maps what the parameter format may name.
var labelFormats = map[string]label.Format{"": label.FormatPDF, "pdf": label.FormatPDF, "zpl": label.FormatZPL}

// label responds with the labels of an order's parcels.
func (room *Room) label(s *sheet) (int, []byte, error) {
	format, known := labelFormats[s.parameter("format")]
	if !known {
		return 0, nil, refusal.New(refusal.CodeBadRequest, "format must be pdf or zpl")
	}
	found, err := room.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	file, err := label.NewFile(found, format, pricing.Clock(found.Dropoff.Address.Province))
	if err != nil {
		return 0, nil, err
	}
	visit.SetFile(s.Header, file.Name, string(file.Format))
	return http.StatusOK, file.Data, nil
}
