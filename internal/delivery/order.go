package delivery

import (
	"slices"
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

// ServiceLevels lists all service levels, slowest first.
var ServiceLevels = []ServiceLevel{Standard, Express, SameDay}

// Shipment holds everything that decides a price: the parcels, both ends, the
// service level, and amounts to collect or insure. Quotes and orders share it, so
// that the same input costs the same in both.
type Shipment struct {
	ServiceLevel ServiceLevel
	Pickup       Contact
	Dropoff      Contact
	Parcels      []Parcel // 1 to 50
	COD          *Money   // cash to collect on delivery; nil if not given
	Insurance    *Money   // nil if not given
}

// Item is a line of products taken from the partner's stock (docs/contract.md, Orders). A request names
// the product by one of ProductID, SKU and Barcode.
type Item struct {
	ProductID int64  // in a request 0 if it names the product by another
	SKU       string // of an order, the product's when it was created; may be empty
	Barcode   string // of a request only
	Quantity  int64
	Name      string // of an order, the product's when it was created
}

// IsNamed reports whether the item has something that names its product.
func (i Item) IsNamed() bool { return i.ProductID != 0 || i.SKU != "" || i.Barcode != "" }

// OrderRequest is a valid request to create an order (docs/contract.md, Orders in requests).
type OrderRequest struct {
	PartnerOrderID string
	Shipment
	Reference    string
	Instructions string
	Metadata     []byte // a JSON object, byte for byte as sent; nil if not given
	Items        []Item // without the products' names
	QuoteID      string // the quote whose price is to be honoured; may be empty
}

const (
	maxMetadataBytes = 16 << 10
	// MaxItemLines is how many lines of products an order may have.
	MaxItemLines = 1000
	maxQuantity  = 1_000_000_000
)

var (
	serviceLevelRule = form.OneOf(ServiceLevels...)
	referenceRule    = form.Length(0, 100)
	quoteIDRule      = form.Length(1, 1000)
)

// EachOrderOnce is the rule for lists of orders.
var EachOrderOnce = form.Define("each_order_once", "each order once")

// ReadOrderRequest reads a request to create an order.
func ReadOrderRequest(f *form.Form) OrderRequest {
	return OrderRequest{
		PartnerOrderID: f.Text("partner_order_id", form.Required, identifierRule),
		Shipment:       readShipment(f, inOrder),
		Reference:      f.Text("reference", form.Optional, referenceRule),
		Instructions:   f.Text("instructions", form.Optional, noteRule),
		Metadata:       ReadMetadata(f),
		Items:          readItems(f),
		QuoteID:        f.Text("quote_id", form.Optional, quoteIDRule),
	}
}

// ReadMetadata reads the metadata of an order; nil if there is none.
func ReadMetadata(f *form.Form) []byte { return f.Raw("metadata", maxMetadataBytes) }

// ReadQuoteRequest reads a request for a quote. It requires only the service level, the postal code and
// country of both ends, and the weight of each parcel. Other fields may be absent but not invalid.
func ReadQuoteRequest(f *form.Form) Shipment { return readShipment(f, inQuote) }

// ReadQuotesRequest reads a request for quotes at all service levels: what ReadQuoteRequest reads
// but the level.
func ReadQuotesRequest(f *form.Form) Shipment { return readLoad(f, inQuote) }

// ReadPriced reads a shipment for the price of an order: as ReadQuoteRequest, but city and province are
// required.
func ReadPriced(f *form.Form) Shipment { return readShipment(f, inPrice) }

func readShipment(f *form.Form, n needs) Shipment {
	level := ServiceLevel(f.Text("service_level", form.Required, serviceLevelRule))
	s := readLoad(f, n)
	s.ServiceLevel = level
	return s
}

// readLoad reads a shipment without its service level.
func readLoad(f *form.Form, n needs) Shipment {
	return Shipment{
		Pickup:    readContact(f.Object("pickup", form.Required), n),
		Dropoff:   readContact(f.Object("dropoff", form.Required), n),
		Parcels:   readParcels(f, n.unpriced),
		COD:       readMoney(f.Object("cod", form.Optional)),
		Insurance: readMoney(f.Object("insurance", form.Optional)),
	}
}

func readItems(f *form.Form) []Item {
	forms := f.Objects("items", form.Optional, 0, MaxItemLines)
	items := make([]Item, len(forms))
	for i, entry := range forms {
		items[i] = readItem(entry)
	}
	return items
}

var (
	productCodeRule = form.Length(1, MaxProductCode)
	oneProductName  = form.Define("one_product_name", "exactly one of product_id, sku and barcode")
)

// MaxProductCode is the greatest length of the sku or barcode of a product, in characters.
const MaxProductCode = 255

// readItem reads an item. One that does not name its product by exactly one field names none.
func readItem(f *form.Form) (item Item) {
	names := slices.DeleteFunc([]string{"product_id", "sku", "barcode"}, func(name string) bool { return !f.Has(name) })
	if len(names) == 0 {
		f.Fault("product_id", oneProductName)
		names = []string{""}
	}
	switch names[0] {
	case "product_id":
		item.ProductID, _ = f.Integer("product_id", form.Required, 1, 1<<53)
	case "sku":
		item.SKU = f.Text("sku", form.Required, productCodeRule)
	case "barcode":
		item.Barcode = f.Text("barcode", form.Required, productCodeRule)
	}
	for _, name := range names[1:] {
		f.Fault(name, oneProductName)
		item = Item{}
	}
	item.Quantity, _ = f.Integer("quantity", form.Required, 1, maxQuantity)
	return item
}

// MaxReason is the greatest length of the reason of a cancellation, in
// characters.
const MaxReason = 500

// ReadCancelRequest reads the optional reason of a cancellation.
func ReadCancelRequest(f *form.Form) (reason string) {
	return f.Text("reason", form.Optional, form.Length(0, MaxReason))
}

// Courier is the person who carries an order. Partners see the name, phone and
// vehicle.
type Courier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Vehicle   string `json:"vehicle"`
}

// CarriedBy reports whether the order is assigned to a courier, or was when it
// ended.
func (o *Order) CarriedBy(courierID string) bool {
	return o.Courier != nil && o.Courier.CourierID == courierID
}

// FirstName returns the first word of the courier's name, the only part that is
// shown to the public. It is empty if the name has no word.
func (c *Courier) FirstName() string {
	words := strings.FieldsFunc(c.Name, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// HistoryEntry records that an order entered a status.
type HistoryEntry struct {
	Status Status
	At     time.Time // when it happened
	// RecordedAt is when the service recorded it, which may be hours later: couriers
	// are without a connection at times.
	RecordedAt time.Time
	Notes      string
	// Version is that of the order from then on. Changes besides moves have versions, too.
	Version int64
}

// Order is a delivery order (docs/contract.md, Orders in responses). The fields before Status are
// fixed at creation.
type Order struct {
	OrderID   string
	PartnerID string
	OrderRequest
	RateCents   int64
	Currency    Currency
	TrackingURL string
	CreatedAt   time.Time // UTC, to the millisecond
	// Warnings are what was probably not meant when the order was created.
	Warnings []Warning

	Status            Status
	Version           int64 // 1 at creation, one more with every change
	UpdatedAt         time.Time
	EstimatedDelivery time.Time
	Promised          time.Time // the estimated delivery that the creation answered
	Courier           *Courier  // nil while none is assigned
	// History holds every status entered so far, oldest first. Lists leave it out.
	History      []HistoryEntry
	Cancellation *Cancellation // set once cancelled
	// MovedIn is the version into which the latest entry of History brought the order.
	MovedIn int64
	Course  Course
	// Allocation holds the locations that the items were taken from, so that a
	// cancellation can return them.
	Allocation []Take
	// Events counts the events of this order so far. LastEvent is the id that the
	// newest was decided with, by which a repeated command is known; empty before the
	// first. The event itself may have a later id, see outbox.Follow.
	Events    int64
	LastEvent string
	// Damage is a *DamagedError if what is stored of the order cannot be read, and nil
	// otherwise. Of a damaged order only ids, state, version and times are known: it
	// must not be shown, moved or rewritten.
	Damage error
}

// Cancellation records why and when an order was cancelled.
type Cancellation struct {
	Reason string // empty if none was given
	At     time.Time
}

// Stored is an order as it is stored: the record of its creation, and what may have
// changed since.
type Stored struct {
	PartnerID         string
	OrderID           string
	Document          []byte // must not be changed; in a list valid only until the function that is given it returns
	Status            Status
	EstimatedDelivery time.Time
	UpdatedAt         time.Time
	// What follows is empty in lists, which do not show it.
	Version      int64
	Events       int64 // see Order
	Courier      *Courier
	Moves        []HistoryEntry // the history after the creation
	Cancellation *Cancellation
	Course       Course
}
