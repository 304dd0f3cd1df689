package delivery

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Product is a product that the service holds in stock for a partner (docs/contract.md, Products
// and movements).
type Product struct {
	ProductID  int64 // counts from 1 for each partner
	Name       string
	Quantity   int64 // over all locations
	StockMin   int64
	StockMax   int64
	PriceCents int64
	Barcode    string
	SKU        string // the partner's own, which no other of its products has; empty if it has none
	Status     ProductStatus
}

// ProductStatus says whether a product is offered.
type ProductStatus string

// The statuses of a product.
const (
	ProductActive   ProductStatus = "active"
	ProductInactive ProductStatus = "inactive"
)

// LowStock reports whether the stock has fallen to the minimum or below.
func (p Product) LowStock() bool { return p.Quantity <= p.StockMin }

// IsLow reports whether the product is to be restocked: it is offered, and its stock is low.
func (p Product) IsLow() bool { return p.Status == ProductActive && p.LowStock() }

// Available reports whether the product can be ordered now.
func (p Product) Available() bool { return p.Status == ProductActive && p.Quantity > 0 }

// MovementType is the reason for which a stock level changed (docs/contract.md, Products and
// movements).
type MovementType string

// The types of movements, and how the quantity of each changes the level.
const (
	MovementIn         MovementType = "IN"         // restock or return; added
	MovementOut        MovementType = "OUT"        // withdrawal; subtracted
	MovementAdjustment MovementType = "ADJUSTMENT" // correction; added, may be negative
	MovementTransfer   MovementType = "TRANSFER"   // two movements: negative at the source, positive at the target
)

// MovementTypes lists all types of movements.
var MovementTypes = []MovementType{MovementIn, MovementOut, MovementAdjustment, MovementTransfer}

// Movement is one line of the journal of stock. The sum of Change over a product's
// movements at a location is its level there.
type Movement struct {
	MovementID  int64 // counts from 1 for each partner
	Type        MovementType
	Quantity    int64
	ProductID   int64
	ProductName string
	Location    string
	OrderID     string // the order that caused it; empty if none did
	Notes       string
	At          time.Time
}

// Change returns what the movement adds to the stock level. It is negative if
// the movement lowers the level.
func (m Movement) Change() int64 {
	if m.Type == MovementOut {
		return -m.Quantity
	}
	return m.Quantity
}

// Level is the quantity of a product at a location.
type Level struct {
	ProductID int64
	Location  string
	Quantity  int64
}

// Take is a quantity of a product that an order takes from a location.
type Take struct {
	ProductID int64  `json:"product_id"`
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
}

// Allocate decides from which locations a quantity of one product is taken: from
// the fullest one first, so from as few locations as possible. It is false if
// all locations together hold less than the quantity.
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

// Shortage is a product that an order wants more of than is left (docs/contract.md, Errors).
type Shortage struct {
	ProductID int64  `json:"product_id"`
	SKU       string `json:"sku,omitempty"`
	Available int64  `json:"available"`
	Requested int64  `json:"requested"`
}

// InsufficientStock returns the refusal of an order, with all its shortages.
func InsufficientStock(shortages []Shortage) *refusal.Error {
	return &refusal.Error{
		Code:    CodeInsufficientStock,
		Message: "there is not enough stock for this order",
		Details: shortageDetails{shortages},
	}
}

// SKUTaken returns the refusal of a product with a sku that another product of its partner has.
func SKUTaken(sku string, productID int64) *refusal.Error {
	return &refusal.Error{
		Code:    CodeSKUTaken,
		Message: fmt.Sprintf("product %d has the sku %q already", productID, sku),
		Details: skuDetails{productID, sku},
	}
}

type skuDetails struct {
	ProductID int64  `json:"product_id"` // of the product that has the sku
	SKU       string `json:"sku"`
}

type shortageDetails struct {
	Items []Shortage `json:"items"`
}

// ShortagesOf returns the shortages that a refusal by InsufficientStock holds; nil for
// other errors.
func ShortagesOf(err error) []Shortage {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return nil
	}
	details, _ := refused.Details.(shortageDetails)
	return details.Items
}
