package delivery

import (
	"strings"
	"time"
	"unicode"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// ServiceLevel is how fast a delivery is promised.
type ServiceLevel string

// The service levels.
const (
	Standard ServiceLevel = "standard" // 3 to 5 business days
	Express  ServiceLevel = "express"  // 1 to 2 business days
	SameDay  ServiceLevel = "same_day"
)

// ServiceLevels lists them, slowest first.
var ServiceLevels = []ServiceLevel{Standard, Express, SameDay}

// Shipment is all that decides a price: what goes from where to where, and how
// fast. Quotes and orders share it, so the same input costs the same in both.
type Shipment struct {
	ServiceLevel ServiceLevel
	Pickup       Contact
	Dropoff      Contact
	Parcels      []Parcel // 1 to 50
	COD          *Money   // cash to collect on delivery; nil when not given
	Insurance    *Money
}

// Item is a line of products taken from the partner's stock (interface
// section 4.8).
type Item struct {
	ProductID int64
	Quantity  int64
	Name      string // the product's name when the order was created
}

// OrderRequest is a valid request to create an order (interface section 2.8).
type OrderRequest struct {
	PartnerOrderID string
	Shipment
	Reference    string
	Instructions string
	Metadata     []byte // a JSON object as it was written; nil when not given
	Items        []Item // without names
	QuoteID      string // honours the price of an earlier quote; may be empty
}

const (
	maxMetadataBytes = 16 << 10
	maxItemLines     = 1000
	maxQuantity      = 1_000_000_000
)

var (
	serviceLevelRule = form.OneOf(ServiceLevels...)
	referenceRule    = form.Length(0, 100)
	quoteIDRule      = form.Length(1, 1000)
)

// ReadOrderRequest reads and checks a request to create an order. The request
// is valid only if there are no problems.
func ReadOrderRequest(root form.Source) (OrderRequest, form.Problems) {
	var problems form.Problems
	f := form.New(root, &problems)
	request := OrderRequest{
		PartnerOrderID: f.Text("partner_order_id", form.Required, identifierRule),
		Shipment:       readShipment(f, orderDepth),
		Reference:      f.Text("reference", form.Optional, referenceRule),
		Instructions:   f.Text("instructions", form.Optional, noteRule),
		Metadata:       f.Raw("metadata", maxMetadataBytes),
		Items:          readItems(f),
		QuoteID:        f.Text("quote_id", form.Optional, quoteIDRule),
	}
	return request, problems
}

// ReadQuoteRequest reads and checks a request for a quote: both postal codes,
// cities, provinces and countries and every weight must be there, and what
// else is there must be valid.
func ReadQuoteRequest(root form.Source) (Shipment, form.Problems) {
	var problems form.Problems
	shipment := readShipment(form.New(root, &problems), quoteDepth)
	return shipment, problems
}

func readShipment(f *form.Form, d depth) Shipment {
	return Shipment{
		ServiceLevel: ServiceLevel(f.Text("service_level", form.Required, serviceLevelRule)),
		Pickup:       readContact(f.Object("pickup", form.Required), d),
		Dropoff:      readContact(f.Object("dropoff", form.Required), d),
		Parcels:      readParcels(f, d),
		COD:          readMoney(f.Object("cod", form.Optional)),
		Insurance:    readMoney(f.Object("insurance", form.Optional)),
	}
}

func readItems(f *form.Form) []Item {
	forms := f.Objects("items", form.Optional, 0, maxItemLines)
	items := make([]Item, len(forms))
	for i, entry := range forms {
		items[i].ProductID, _ = entry.Integer("product_id", form.Required, 1, 1<<53)
		items[i].Quantity, _ = entry.Integer("quantity", form.Required, 1, maxQuantity)
	}
	return items
}

// MaxReason is how many characters the reason of a cancellation may have.
const MaxReason = 500

// ReadCancelRequest reads the optional reason of a cancellation.
func ReadCancelRequest(root form.Source) (reason string, problems form.Problems) {
	f := form.New(root, &problems)
	return f.Text("reason", form.Optional, form.Length(0, MaxReason)), problems
}

// Courier is who carries an order. Partners see name, phone and vehicle.
type Courier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Vehicle   string `json:"vehicle"`
}

// CarriedBy tells whether a courier carries the order, or did to its end.
func (o *Order) CarriedBy(courierID string) bool {
	return o.Courier != nil && o.Courier.CourierID == courierID
}

// FirstName is all of a courier's name that the public gets to see.
func (c *Courier) FirstName() string {
	words := strings.FieldsFunc(c.Name, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// HistoryEntry tells when an order entered a state.
type HistoryEntry struct {
	Status Status
	At     time.Time
	Notes  string
}

// Order is a delivery order (interface section 2.9). All but the fields from
// Status on is fixed at creation.
type Order struct {
	OrderID   string
	PartnerID string
	OrderRequest
	RateCents   int64
	Currency    Currency
	TrackingURL string
	CreatedAt   time.Time // UTC, to the millisecond

	Status            Status
	Version           int64 // counts changes from 1; guards every change
	UpdatedAt         time.Time
	EstimatedDelivery time.Time
	Courier           *Courier // nil while none is assigned
	// History has every state entered so far, oldest first. Lists leave it out.
	History      []HistoryEntry
	Cancellation *Cancellation // set once cancelled
	// Allocation tells from which locations the items were taken, so that a
	// cancellation returns them there.
	Allocation []Take
	// Events counts the events of this order so far, and LastEvent is the id of
	// the newest; empty before the first.
	Events    int64
	LastEvent string
}

// Cancellation tells why and when an order was cancelled.
type Cancellation struct {
	Reason string // empty if none was given
	At     time.Time
}
