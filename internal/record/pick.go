package record

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// Pick is what the warehouse sees of an order: what to pick, and for when. It has nothing of the
// recipient.
type Pick struct {
	OrderID        string             `json:"order_id"`
	PartnerID      string             `json:"partner_id"`
	PartnerName    string             `json:"partner_name,omitzero"` // in lists
	PartnerOrderID string             `json:"partner_order_id"`
	Status         delivery.Status    `json:"status"`
	Version        int64              `json:"version"`
	State          delivery.PickState `json:"state"`
	TimeWindow     PickWindow         `json:"time_window"`
	Parcels        int                `json:"parcels"`
	Courier        *PickCourier       `json:"courier"` // null while none is assigned
	Lines          []PickLine         `json:"lines"`
	PackedAt       time.Time          `json:"packed_at,omitzero"`
}

// PickWindow is when the courier comes.
type PickWindow struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// PickCourier is the courier who comes.
type PickCourier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
}

// PickLine is a product that the order takes from a location.
type PickLine struct {
	ProductID int64  `json:"product_id"`
	Name      string `json:"name"`
	Barcode   string `json:"barcode,omitzero"` // in lists
	SKU       string `json:"sku,omitzero"`
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
	Picked    int64  `json:"picked"`
	Short     bool   `json:"short"`
	// InStock is how many units the location has besides those that orders have taken; nil for answers
	// to a single pick.
	InStock *int64 `json:"in_stock,omitempty"`
}

// PickOf returns what the warehouse sees of an order.
func PickOf(o *delivery.Order) Pick {
	pick := Pick{
		OrderID: o.OrderID, PartnerID: o.PartnerID, PartnerOrderID: o.PartnerOrderID, Status: o.Status, Version: o.Version,
		State: o.PickState(), TimeWindow: PickWindow(o.Pickup.Window), Parcels: len(o.Parcels),
		Lines: make([]PickLine, 0, len(o.Allocation)), PackedAt: o.Course.Picking.PackedAt(),
	}
	if o.Courier != nil {
		pick.Courier = &PickCourier{o.Courier.CourierID, o.Courier.Name}
	}
	for _, line := range o.PickLines() {
		pick.Lines = append(pick.Lines, PickLine{
			ProductID: line.ProductID, Name: o.ItemName(line.ProductID), SKU: o.ItemSKU(line.ProductID),
			Location: line.Location, Quantity: line.Quantity, Picked: line.Picked, Short: line.Short,
		})
	}
	return pick
}

// EncodePick returns what PickOf does as JSON.
func EncodePick(o *delivery.Order) []byte {
	encoded, _ := strictjson.Marshal(PickOf(o)) // it has nothing that cannot be encoded
	return encoded
}
