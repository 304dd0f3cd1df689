package delivery

import "time"

// Tracked is what the recipient of an order may know of it, and so everybody who has its tracking
// URL (docs/contract.md, Tracking): no names, streets, phone numbers, e-mail addresses, notes,
// metadata or prices. The sender's number of the order and the amount to collect are on the page only.
type Tracked struct {
	PartnerID           string
	OrderID             string
	PartnerOrderID      string
	Status              Status
	ServiceLevel        ServiceLevel
	EstimatedDelivery   time.Time
	Promised            time.Time // the estimate that the creation answered
	CreatedAt           time.Time
	UpdatedAt           time.Time
	Origin, Destination Place
	Window              Window // of the dropoff
	Collection          Window // of the pickup, of a return only: the recipient waits for it
	Parcels             int
	COD                 *Money          // nil if not given
	IsReturn            bool            // the recipient is at the origin, and gives parcels back
	Courier             *TrackedCourier // nil as long as none is assigned
	History             []TrackedStatus // oldest first
	// Failed is the latest attempt, if it has failed and its event is still kept.
	Failed *FailedAttempt
}

// Place is an address as far as strangers may know it.
type Place struct {
	City, Province string
	// Area is the beginning of the postal code, which says which clocks the place has.
	Area string
}

// AreaOf returns the beginning of a postal code that names no street: the town of a rural code,
// whose second character is 0, and otherwise the forward sortation area.
func AreaOf(postalCode string) string {
	const area, town = 3, 5
	code := NormalPostalCode(postalCode)
	if len(code) > town && code[1] == '0' {
		return code[:town]
	}
	return code[:min(len(code), area)]
}

// Address returns what is known of the place as an address.
func (p Place) Address() Address {
	return Address{City: p.City, Province: p.Province, PostalCode: p.Area}
}

// TrackedCourier is a courier as strangers may know them.
type TrackedCourier struct {
	FirstName string // empty if the courier's name has no words
	Vehicle   string
}

// TrackedStatus records when an order entered a status.
type TrackedStatus struct {
	Status Status
	At     time.Time
}
