package delivery

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// ReturnTo is where a return order brings goods.
type ReturnTo string

// The ends of return orders.
const (
	ReturnToSender    ReturnTo = "sender"    // to the pickup of the order that delivered the goods
	ReturnToWarehouse ReturnTo = "warehouse" // to a location of the service, which receives them
)

// ReturnEnds lists them.
var ReturnEnds = []ReturnTo{ReturnToSender, ReturnToWarehouse}

// Origin says what a return order brings back.
type Origin struct {
	OrderID  string   `json:"order_id"` // that delivered the goods
	Reason   string   `json:"reason,omitempty"`
	To       ReturnTo `json:"to"`
	Location string   `json:"location,omitempty"` // of the warehouse
}

// ErasedEmail replaces the address of a recipient whose personal data was erased.
const ErasedEmail = "erased@erased.invalid"

// Recipient returns the contact of the recipient: the dropoff, or the pickup of a return order.
func (o *Order) Recipient() *Contact {
	if o.Course.Origin != nil {
		return &o.Pickup
	}
	return &o.Dropoff
}

// ReturnRequest is a request to bring goods back that an order has delivered.
type ReturnRequest struct {
	Reason         string
	To             ReturnTo
	Location       string // of the warehouse; empty for the one that the items were taken from
	Window         Window // of the pickup, where the goods were delivered
	PartnerOrderID string // empty for the return's own id
	ServiceLevel   ServiceLevel
	Items          []Item   // nil for all that can still be returned
	Parcels        []Parcel // nil for those of the order
}

// LocationRule is the rule for the codes of locations.
var LocationRule = form.Length(1, 64)

// ReadReturnRequest reads a request to bring goods back.
func ReadReturnRequest(f *form.Form) ReturnRequest {
	wanted := ReturnRequest{
		Reason:         f.Text("reason", form.Required, form.Length(1, MaxReason)),
		To:             ReturnTo(f.Text("to", form.Required, form.OneOf(ReturnEnds...))),
		Location:       f.Text("location", form.Optional, LocationRule),
		Window:         readWindow(f.Object("pickup", form.Required).Object("time_window", form.Required)),
		PartnerOrderID: f.Text("partner_order_id", form.Optional, identifierRule),
		ServiceLevel:   ServiceLevel(f.Text("service_level", form.Optional, serviceLevelRule)),
	}
	if f.Has("items") {
		wanted.Items = readItems(f)
	}
	if f.Has("parcels") {
		wanted.Parcels = readParcels(f, form.Required)
	}
	return wanted
}

// Content returns the content of the return order, to an end. The window of its dropoff is that of its
// pickup.
func (r *ReturnRequest) Content(origin *Order, end Contact) OrderRequest {
	content := OrderRequest{
		PartnerOrderID: r.PartnerOrderID, Items: r.Items,
		Shipment: Shipment{
			ServiceLevel: cmp.Or(r.ServiceLevel, Standard), Pickup: origin.Dropoff, Dropoff: end, Parcels: r.Parcels,
		},
	}
	if r.Items == nil {
		content.Items = origin.Returnable()
	}
	if r.Parcels == nil {
		content.Parcels = origin.Parcels
	}
	content.Pickup.Window, content.Dropoff.Window = r.Window, r.Window
	for i := range content.Items {
		content.Items[i].SKU, content.Items[i].Barcode = "", "" // by which the request names it
		for _, item := range origin.Items {
			if item.ProductID == content.Items[i].ProductID {
				content.Items[i].Name, content.Items[i].SKU = item.Name, item.SKU
			}
		}
	}
	return content
}

// Location is a warehouse or hub of the service with its address.
type Location struct {
	Code string
	Contact
	UpdatedAt time.Time
}

// ReadLocation reads who and where a location is.
func ReadLocation(f *form.Form) Contact {
	return Contact{
		Name: f.Text("name", form.Required, NameRule), Phone: f.Text("phone", form.Required, PhoneRule),
		Email: f.Text("email", form.Required, EmailRule), Address: readAddress(f.Object("address", form.Required), inOrder),
	}
}

// ReturnOrder is what one return order brings back.
type ReturnOrder struct {
	OrderID string         `json:"order_id"`
	Items   []ReturnedItem `json:"items,omitempty"`
	Parcels int64          `json:"parcels,omitempty"` // counted only for an order without items
}

// ReturnedItem is what a return order brings back of a product.
type ReturnedItem struct {
	ProductID int64 `json:"product_id"`
	Quantity  int64 `json:"quantity"`
}

// The rules of returns, which over all returns of an order bring back at most what it has delivered.
var (
	atMostDelivered = form.Define("at_most_delivered", "at most {quantity} of product {product}, which were delivered "+
		"and are in no other return")
	parcelsDelivered = form.Define("parcels_delivered", "at most {count} parcels, which were delivered and are in no "+
		"other return")
	nothingLeft = form.Define("nothing_left", "goods that were delivered and are in no other return")
)

// Returnable returns the items of the order that no return brings back, added up by product.
func (o *Order) Returnable() []Item {
	left := AddedUp(o.Items)
	for _, back := range o.Course.Returns {
		for _, item := range back.Items {
			if i := slices.IndexFunc(left, func(l Item) bool { return l.ProductID == item.ProductID }); i >= 0 {
				left[i].Quantity -= item.Quantity
			}
		}
	}
	return slices.DeleteFunc(left, func(item Item) bool { return item.Quantity <= 0 })
}

// ReturnableParcels returns how many parcels of an order without items no return brings back.
func (o *Order) ReturnableParcels() int64 {
	left := int64(len(o.Parcels))
	for _, back := range o.Course.Returns {
		left -= back.Parcels
	}
	return left
}

// MayReturn refuses a return of more than the order has delivered.
func (o *Order) MayReturn(items []Item, parcels int64) error {
	var problems form.Problems
	if len(o.Items) == 0 {
		switch left := o.ReturnableParcels(); {
		case len(items) > 0:
			problems.Add("items", nil, nothingLeft)
		case left <= 0:
			problems.Add("parcels", nil, nothingLeft)
		case parcels > left:
			problems.Add("parcels", nil, parcelsDelivered.With("count", left))
		}
		return problems.Err()
	}
	if len(items) == 0 {
		problems.Add("items", nil, nothingLeft)
	}
	left := o.Returnable()
	for _, item := range AddedUp(items) {
		had := int64(0)
		if i := slices.IndexFunc(left, func(l Item) bool { return l.ProductID == item.ProductID }); i >= 0 {
			had = left[i].Quantity
		}
		if item.Quantity > had {
			problems.Add("items", item.Quantity, atMostDelivered.With("quantity", had, "product", item.ProductID))
		}
	}
	return problems.Err()
}

// AddedUp returns one item for each product, in the order in which the products are first mentioned.
func AddedUp(items []Item) []Item {
	var total []Item
	for _, item := range items {
		if i := slices.IndexFunc(total, func(t Item) bool { return t.ProductID == item.ProductID }); i >= 0 {
			total[i].Quantity += item.Quantity
			continue
		}
		total = append(total, item)
	}
	return total
}
