package dispatch

import (
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Open is what the board knows of an order that is under way.
type Open struct {
	PartnerID         string
	OrderID           string
	PartnerOrderID    string
	Status            delivery.Status
	Version           int64 // the order's
	CreatedAt         time.Time
	UpdatedAt         time.Time
	EstimatedDelivery time.Time
	Pickup, Dropoff   delivery.Window
	Failures          int64 // how many attempts have failed
	ServiceLevel      delivery.ServiceLevel
	Zone              string // where it goes: the first half of the postal code
	City              string // where it goes
	CourierID         string // empty while none is assigned
	// Search is all that the order may be asked for by, in lower case. It has
	// personal data in it, which erasing removes with that of the order.
	Search string
}

// IsOpen tells whether an order is under way, and so belongs on the board.
func IsOpen(status delivery.Status) bool { return !slices.Contains(final, status) }

// final are the states that no move leads out of.
var final = func() (found []delivery.Status) {
	for _, status := range delivery.Statuses {
		if len(delivery.NextStatuses(status)) == 0 {
			found = append(found, status)
		}
	}
	return found
}()

// OpenStatuses lists the states of orders under way.
var OpenStatuses = slices.DeleteFunc(slices.Clone(delivery.Statuses), func(s delivery.Status) bool { return !IsOpen(s) })

// OpenOf makes the row of an order. It needs the order's history.
func OpenOf(o *delivery.Order) Open {
	row := Open{
		PartnerID: o.PartnerID, OrderID: o.OrderID, PartnerOrderID: o.PartnerOrderID,
		Status: o.Status, Version: o.Version,
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, EstimatedDelivery: o.EstimatedDelivery,
		Pickup: o.Pickup.Window, Dropoff: o.Dropoff.Window,
		ServiceLevel: o.ServiceLevel, Zone: zoneOf(o.Dropoff.Address), City: o.Dropoff.Address.City,
		Search: searchOf(o),
	}
	for _, entry := range o.History {
		if entry.Status == delivery.StatusFailed {
			row.Failures++
		}
	}
	if o.Courier != nil {
		row.CourierID = o.Courier.CourierID
	}
	return row
}

// zoneLength is how much of a postal code names a zone: Canada Post's forward
// sortation area, which is what dispatchers share out rounds by.
const zoneLength = 3

func zoneOf(a delivery.Address) string {
	code := delivery.NormalPostalCode(a.PostalCode)
	return code[:min(zoneLength, len(code))]
}

// searchOf is what a search looks through. Line breaks keep a search from
// matching across two of its parts.
func searchOf(o *delivery.Order) string {
	parts := make([]string, 0, 5+2*len(o.Parcels))
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(o.OrderID)
	add(o.PartnerOrderID)
	add(o.Reference)
	add(o.Dropoff.Name)
	add(o.Dropoff.Address.City)
	for _, parcel := range o.Parcels {
		add(parcel.ParcelID)
		add(parcel.Barcode)
	}
	return strings.ToLower(strings.Join(parts, "\n"))
}

// Reason is why an order needs somebody's attention.
type Reason string

// The reasons.
const (
	ReasonLate         Reason = "late"          // the estimated delivery has passed
	ReasonFailedTwice  Reason = "failed_twice"  // two attempts failed, or more
	ReasonWindowMissed Reason = "window_missed" // a window has passed in which a courier was expected
	ReasonNoCourier    Reason = "no_courier"    // the pickup's window has begun, and nobody is assigned
	ReasonCourierGone  Reason = "courier_gone"  // the courier is not active any more
)

// Reasons lists them.
var Reasons = []Reason{ReasonLate, ReasonFailedTwice, ReasonWindowMissed, ReasonNoCourier, ReasonCourierGone}

// TooManyFailures is how many failed attempts need attention.
const TooManyFailures = 2

// The states in which nobody is assigned yet, and those in which nothing has
// been picked up yet.
var (
	Unassigned = []delivery.Status{delivery.StatusPending, delivery.StatusAccepted}
	AtPickup   = []delivery.Status{delivery.StatusPending, delivery.StatusAccepted, delivery.StatusCourierAssigned}
)

// Reasons tells why the order, which this courier carries if any, needs
// attention at a time; none for one that does not. The store asks the same in
// SQL; a test holds both together.
func (row *Open) Reasons(now time.Time, courier Courier) []Reason {
	reasons := []Reason{}
	if !IsOpen(row.Status) {
		return reasons
	}
	if row.EstimatedDelivery.Before(now) {
		reasons = append(reasons, ReasonLate)
	}
	if row.Failures >= TooManyFailures {
		reasons = append(reasons, ReasonFailedTwice)
	}
	if row.Dropoff.End.Before(now) || row.Pickup.End.Before(now) && slices.Contains(AtPickup, row.Status) {
		reasons = append(reasons, ReasonWindowMissed)
	}
	if slices.Contains(Unassigned, row.Status) && !row.Pickup.Start.After(now) {
		reasons = append(reasons, ReasonNoCourier)
	}
	if row.CourierID != "" && !courier.Active {
		reasons = append(reasons, ReasonCourierGone)
	}
	return reasons
}
