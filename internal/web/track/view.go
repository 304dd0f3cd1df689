package track

import (
	"cmp"
	"html/template"
	"slices"
	"time"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
)

// orderView is what the page of an order shows. Nothing else of the order reaches the
// template.
type orderView struct {
	Language page.Language
	Test     bool
	IsReturn bool
	Sender   senderView
	OrderID  string
	Number   string // by which the sender knows the order
	Status   delivery.Status
	Live     int // how often to read the page again, in seconds; 0 once the order has ended

	Expected template.HTML // when it comes; empty once the order has ended
	Late     bool          // that has passed
	ToPay    string        // what the courier collects; empty once the order has ended
	City     string        // whose time is shown
	Failure  string        // why the latest attempt failed
	Next     string        // when the next one is planned
	Ended    time.Time     // when the order ended; zero before

	Steps               []stepView
	Parcels             string
	Unpicked            bool   // the attempt to pick them up has failed
	Courier             string // the first name
	Vehicle             string
	Origin, Destination string
	Map                 *mapView // nil if a place is not known
	Photo               string   // the path of the picture
	History             []entryView
}

// senderView is who has sent the order.
type senderView struct {
	Name, Initial string
	Logo          string // the path of the picture
	Support       string // an address
}

// stepView is one of the five steps of a delivery.
type stepView struct {
	Name    string
	Done    bool
	Current bool
	Minor   bool // named only where there is room
}

type entryView struct {
	Name string
	At   time.Time
}

func viewOf(
	o *delivery.Tracked, sender partner.Sender, photo string, l page.Language, clock *time.Location, now time.Time,
) orderView {
	v := orderView{
		Language: l, Test: delivery.IsTest(o.PartnerID), IsReturn: o.IsReturn, Sender: viewOfSender(sender),
		OrderID: o.OrderID, Number: cmp.Or(o.PartnerOrderID, o.OrderID), Status: o.Status,
		City:   o.Destination.City,
		Steps:  stepsOf(o, l),
		Origin: place(o.Origin), Destination: place(o.Destination), Map: mapOf(o),
	}
	// The recipient was not called on: neither the words about the door nor the courier's name may say so.
	v.Unpicked = o.Status == delivery.StatusFailed && !o.IsReturn && !wasPickedUp(o.History)
	v.explain(o, clock, now)
	v.carry(o)
	if photo != "" {
		v.Photo = "/proofs/" + photo
	}
	for i := len(o.History) - 1; i >= 0; i-- {
		entry := o.History[i]
		name := l.Text("tracked." + string(entry.Status))
		if entry.Status == delivery.StatusFailed && !o.IsReturn && !wasPickedUp(o.History[:i]) {
			name = l.Text("tracked.unpicked")
		}
		v.History = append(v.History, entryView{name, entry.At.In(clock)})
	}
	return v
}

// Title is the title of the page.
func (v orderView) Title() string { return v.StatusText() + " · " + v.Language.Text("track.title") }

// AsksSender reports whether the sender has to be asked what comes next.
func (v orderView) AsksSender() bool {
	return v.Status == delivery.StatusFailed || v.Status == delivery.StatusCancelled
}

// StatusText names the status.
func (v orderView) StatusText() string {
	if v.Unpicked {
		return v.Language.Text("tracked.unpicked")
	}
	return v.Language.Text("tracked." + string(v.Status))
}

func viewOfSender(s partner.Sender) senderView {
	v := senderView{Name: s.Name, Support: s.SupportURL}
	for _, letter := range s.Name {
		if unicode.IsLetter(letter) || unicode.IsDigit(letter) {
			v.Initial = string(unicode.ToUpper(letter))
			break
		}
	}
	if s.LogoVersion != "" {
		v.Logo = "/logos/" + s.PartnerID + "/" + s.LogoVersion
	}
	return v
}

func place(p delivery.Place) string { return p.City + ", " + p.Province }

// explain sets what the page says about when the order comes, came, or why it did not.
func (v *orderView) explain(o *delivery.Tracked, clock *time.Location, now time.Time) {
	if len(delivery.NextStatuses(o.Status)) == 0 {
		v.Ended = o.UpdatedAt.In(clock)
		if n := len(o.History); n > 0 {
			v.Ended = o.History[n-1].At.In(clock)
		}
		return
	}
	v.Live = liveSeconds
	if cash := delivery.ToCollect(o.COD, o.IsReturn); cash != nil {
		v.ToPay = v.Language.Money(cash.AmountCents, cash.Currency)
	}
	if o.Status == delivery.StatusFailed {
		if o.Failed != nil {
			if !v.Unpicked {
				v.Failure = v.Language.Text("failure." + string(o.Failed.Reason))
			}
			if o.Failed.Next != nil {
				v.Next = v.Language.Within(o.Failed.Next.In(clock), now)
			}
		}
		return
	}
	v.Expected, v.Late = expected(o, clock, v.Language, now)
}

// expected says on which day the order is expected, and when: in one sentence, because window and
// estimate may differ. It is late once that has passed.
func expected(
	o *delivery.Tracked, clock *time.Location, l page.Language, now time.Time,
) (text template.HTML, late bool) {
	arrival := delivery.ArrivalOf(o.Window, o.Promised, o.EstimatedDelivery, clock)
	late = now.After(arrival.Until)
	day := l.Day(arrival.Until, now)
	if late || arrival.Late { // words stand before it
		day = l.DayWithin(arrival.Until, now)
	}
	zone := l.Zone(arrival.Until)
	if !arrival.From.IsZero() {
		from, to := l.Between(arrival.From, arrival.Until)
		return l.Rich("track.between", "day", day, "from", from, "to", to, "zone", zone), late
	}
	key := "track.by"
	if arrival.Late && !late {
		key = "track.later"
	}
	return l.Rich(key, "day", day, "time", l.Clock(arrival.Until), "zone", zone), late
}

// carried are the statuses in which a courier has the parcels.
var carried = map[delivery.Status]string{
	delivery.StatusCourierAssigned: "track.courier.coming",
	delivery.StatusPickedUp:        "track.courier.bringing",
	delivery.StatusInTransit:       "track.courier.bringing",
	delivery.StatusOutForDelivery:  "track.courier.bringing",
	delivery.StatusDelivered:       "track.courier.brought",
	delivery.StatusFailed:          "track.courier.has",
}

// carry sets what the page says about the parcels and who has them.
func (v *orderView) carry(o *delivery.Tracked) {
	v.Parcels = v.Language.Count("track.parcels", o.Parcels)
	if key := carried[o.Status]; key != "" && o.Courier != nil && o.Courier.FirstName != "" {
		v.Courier, v.Vehicle = o.Courier.FirstName, o.Courier.Vehicle
	}
}

// Carrying says who has the parcels.
func (v orderView) Carrying() template.HTML {
	key := carried[v.Status]
	if v.Unpicked {
		key = carried[delivery.StatusCourierAssigned]
	}
	return v.Language.Rich(key, "courier", v.Courier, "parcels", v.Parcels)
}

// stepAt is the step that an order has reached in a status.
var stepAt = map[delivery.Status]int{
	delivery.StatusPending: 0, delivery.StatusAccepted: 0,
	delivery.StatusCourierAssigned: 1,
	delivery.StatusPickedUp:        2, delivery.StatusInTransit: 2,
	delivery.StatusOutForDelivery: 3,
	delivery.StatusDelivered:      4,
}

// stepNames are the five steps.
var stepNames = [5]delivery.Status{
	delivery.StatusPending, delivery.StatusCourierAssigned, delivery.StatusPickedUp, delivery.StatusOutForDelivery,
	delivery.StatusDelivered,
}

// reachedBy returns the step that an order has reached. A failed attempt and a cancellation leave it where it was.
func reachedBy(o *delivery.Tracked) int {
	reached, ordinary := stepAt[o.Status]
	if !ordinary {
		for _, entry := range o.History {
			reached = max(reached, stepAt[entry.Status])
		}
	}
	return reached
}

// wasPickedUp reports whether the parcels of an order were picked up, by its history.
func wasPickedUp(history []delivery.TrackedStatus) bool {
	return slices.ContainsFunc(history, func(entry delivery.TrackedStatus) bool {
		return stepAt[entry.Status] >= stepAt[delivery.StatusPickedUp]
	})
}

// stepsOf returns the five steps of a delivery, done as far as the order has come.
func stepsOf(o *delivery.Tracked, l page.Language) []stepView {
	reached := reachedBy(o)
	steps := make([]stepView, len(stepNames))
	for i, status := range stepNames {
		steps[i] = stepView{
			Name: l.Text("tracked." + string(status)), Done: i <= reached, Current: i == reached, Minor: i%2 == 1,
		}
	}
	return steps
}
