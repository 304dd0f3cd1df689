package delivery

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Product is something the service keeps in stock for a partner (interface
// section 2.11).
type Product struct {
	ProductID  int64 // counts per partner
	Name       string
	Quantity   int64 // over all locations
	StockMin   int64
	StockMax   int64
	PriceCents int64
	Barcode    string
	Status     ProductStatus
}

// ProductStatus tells whether a product can be ordered.
type ProductStatus string

// The states of a product.
const (
	ProductActive   ProductStatus = "active"
	ProductInactive ProductStatus = "inactive"
)

// LowStock is true when no more than the wanted minimum is left.
func (p Product) LowStock() bool { return p.Quantity <= p.StockMin }

// Available is true when the product can be ordered now.
func (p Product) Available() bool { return p.Status == ProductActive && p.Quantity > 0 }

// MovementType says why a stock level changed (interface section 2.12).
type MovementType string

// The types of movements, and how the quantity of each counts.
const (
	MovementIn         MovementType = "IN"         // restock or return; adds
	MovementOut        MovementType = "OUT"        // withdrawal; takes away
	MovementAdjustment MovementType = "ADJUSTMENT" // correction; signed
	MovementTransfer   MovementType = "TRANSFER"   // two rows: minus at the source, plus at the target
)

// Movement is one line of the stock ledger. The sum of Change over a product's
// movements at a location is its level there.
type Movement struct {
	MovementID  int64 // counts per partner
	Type        MovementType
	Quantity    int64
	ProductID   int64
	ProductName string
	Location    string
	OrderID     string // the order that caused it; empty for others
	Notes       string
	At          time.Time
}

// Change is what the movement adds to the stock level; negative takes away.
func (m Movement) Change() int64 {
	if m.Type == MovementOut {
		return -m.Quantity
	}
	return m.Quantity
}

// Level is how much of a product lies at a location.
type Level struct {
	ProductID int64
	Location  string
	Quantity  int64
}

// Take is a quantity of a product taken from a location for an order.
type Take struct {
	ProductID int64  `json:"product_id"`
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
}

// Allocate decides from which locations a quantity of one product is taken:
// from a single one if any has enough (the fullest, to keep others whole),
// otherwise from the fullest on. It is false when all together have too little.
func Allocate(levels []Level, productID, quantity int64) ([]Take, bool) {
	levels = slices.Clone(levels)
	slices.SortFunc(levels, func(a, b Level) int {
		return cmp.Or(cmp.Compare(b.Quantity, a.Quantity), cmp.Compare(a.Location, b.Location))
	})
	var takes []Take
	for _, level := range levels {
		if quantity == 0 || level.Quantity <= 0 {
			break
		}
		taken := min(quantity, level.Quantity)
		takes = append(takes, Take{ProductID: productID, Location: level.Location, Quantity: taken})
		quantity -= taken
	}
	return takes, quantity == 0
}

// Shortage is one product of which too little is left (interface section 7).
type Shortage struct {
	ProductID int64 `json:"product_id"`
	Available int64 `json:"available"`
	Requested int64 `json:"requested"`
}

// InsufficientStock is the refusal that tells every shortage of an order.
func InsufficientStock(shortages []Shortage) *refusal.Error {
	return &refusal.Error{
		Code:    CodeInsufficientStock,
		Message: "there is not enough stock for this order",
		Details: struct {
			Items []Shortage `json:"items"`
		}{shortages},
	}
}
