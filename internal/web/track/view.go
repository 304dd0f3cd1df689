package track

import (
	"cmp"
	"html/template"
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
	// StatusText names the status.
	StatusText string
	Live       int // how often to read the page again, in seconds; 0 once the order has ended

	Expected template.HTML // when it comes; empty once the order has ended
	Late     bool          // that has passed
	Coming   bool          // Expected is when a courier comes for a return
	ToPay    string        // what the courier collects; empty once the order has ended
	City     string        // whose time is shown
	Failure  string        // why the latest attempt failed
	Next     string        // when the next one is planned
	// Unplanned says that it is not planned yet.
	Unplanned bool
	// PickupFailed says that the attempt was one to pick the parcels up: nothing may sound as if a courier had
	// them, or had been at the door of the recipient of an order.
	PickupFailed bool
	Ended        time.Time // when the order ended; zero before

	Steps               []stepView
	Parcels             string
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
		StatusText: nameOf(o, l), PickupFailed: pickupFailed(o),
		City:   whereNext(o).City,
		Steps:  stepsOf(o, l),
		Origin: place(o.Origin), Destination: place(o.Destination), Map: mapOf(o),
	}
	v.explain(o, clock, now)
	v.carry(o)
	if photo != "" {
		v.Photo = "/proofs/" + photo
	}
	for i := len(o.History) - 1; i >= 0; i-- {
		entry := o.History[i]
		then := *o
		then.Status, then.History = entry.Status, o.History[:i+1]
		v.History = append(v.History, entryView{nameOf(&then, l), entry.At.In(clock)})
	}
	return v
}

// nameOf names the status of an order. An attempt that failed before the pickup was not a delivery.
func nameOf(o *delivery.Tracked, l page.Language) string {
	switch {
	case !pickupFailed(o):
		return l.Text("tracked." + string(o.Status))
	case o.IsReturn: // the reader waits for the courier
		return l.Text("track.return.failed")
	}
	return l.Text("tracked.unpicked")
}

// Title is the title of the page.
func (v orderView) Title() string { return v.StatusText + " · " + v.Language.Text("track.title") }

// AsksSender reports whether the sender has to be asked what comes next.
func (v orderView) AsksSender() bool {
	return v.Status == delivery.StatusFailed || v.Status == delivery.StatusCancelled
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
			if !v.PickupFailed { // the reasons are about deliveries
				v.Failure = v.Language.Text("failure." + string(o.Failed.Reason))
			}
			v.Unplanned = o.Failed.Next == nil
			if o.Failed.Next != nil {
				v.Next = v.Language.Within(o.Failed.Next.In(clock), now)
			}
		}
		return
	}
	v.Coming = awaitsPickup(o)
	v.Expected, v.Late = expected(o, clock, v.Language, now)
}

// awaitsPickup reports whether an order is a return that its recipient still has: what matters to them is
// when a courier comes, and not when the parcels arrive at the sender.
func awaitsPickup(o *delivery.Tracked) bool { return o.IsReturn && !wasPickedUp(o) }

// pickupFailed reports whether the latest attempt was one to pick the parcels up, and failed.
func pickupFailed(o *delivery.Tracked) bool {
	return o.Status == delivery.StatusFailed && !wasPickedUp(o)
}

func wasPickedUp(o *delivery.Tracked) bool { return reachedBy(o) >= stepAt[delivery.StatusPickedUp] }

// whereNext returns the place of the next stop that the page is about.
func whereNext(o *delivery.Tracked) delivery.Place {
	if awaitsPickup(o) {
		return o.Origin
	}
	return o.Destination
}

// nextStop returns when the courier is expected there.
func nextStop(o *delivery.Tracked, clock *time.Location) delivery.Arrival {
	if awaitsPickup(o) { // no estimate is made for a pickup
		return delivery.ArrivalOf(o.Collection, o.Collection.End, o.Collection.End, clock)
	}
	return delivery.ArrivalOf(o.Window, o.Promised, o.EstimatedDelivery, clock)
}

// expected says on which day the order is expected, and when: in one sentence, because window and
// estimate may differ. It is late once that has passed.
func expected(
	o *delivery.Tracked, clock *time.Location, l page.Language, now time.Time,
) (text template.HTML, late bool) {
	arrival := nextStop(o, clock)
	late = now.After(arrival.Until)
	day := l.Day(arrival.Until, now)
	if late || arrival.Late || awaitsPickup(o) { // words stand before it
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
	if v.PickupFailed {
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
