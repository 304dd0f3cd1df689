package order

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/movement"
)

// addItems adds the products that the items of a request name.
func (n *Needs) addItems(partnerID string, items []delivery.Item) {
	for _, item := range items {
		switch {
		case item.ProductID != 0:
			n.Products = append(n.Products, movement.ProductKey{PartnerID: partnerID, ProductID: item.ProductID})
		case item.SKU != "":
			n.SKUs = append(n.SKUs, movement.ProductCode{PartnerID: partnerID, Code: item.SKU})
		case item.Barcode != "":
			for _, code := range spellings(item.Barcode) {
				n.Barcodes = append(n.Barcodes, movement.ProductCode{PartnerID: partnerID, Code: code})
			}
		}
	}
}

// spellings returns a barcode, and if it is a GTIN its other lengths.
func spellings(code string) []string { return append([]string{code}, barcode.Lengths(code)...) }

// resolved returns the items of a request with the ids of the products that they name. An item that
// does not name exactly one keeps 0.
func resolved(s *State, partnerID string, items []delivery.Item) []delivery.Item {
	items = slices.Clone(items)
	for i, item := range items {
		if ids := namedBy(s, partnerID, item); item.ProductID == 0 && len(ids) == 1 {
			items[i].ProductID = ids[0]
		}
	}
	return items
}

// codedBy returns the products with the sku or barcode that an item has.
func codedBy(s *State, partnerID string, item delivery.Item) []int64 {
	if item.SKU != "" {
		return slices.Clone(s.SKUs[movement.ProductCode{PartnerID: partnerID, Code: item.SKU}])
	}
	ids := slices.Clone(s.Barcodes[movement.ProductCode{PartnerID: partnerID, Code: item.Barcode}])
	if len(ids) == 0 {
		for _, code := range barcode.Lengths(item.Barcode) {
			ids = append(ids, s.Barcodes[movement.ProductCode{PartnerID: partnerID, Code: code}]...)
		}
	}
	return ids
}

// namedBy returns the products that an item names by its sku or barcode. Of several those count that
// can be ordered, if there are any: a successor may have the barcode of an inactive product.
func namedBy(s *State, partnerID string, item delivery.Item) []int64 {
	ids := codedBy(s, partnerID, item)
	active := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		return !isActive(s.product(movement.ProductKey{PartnerID: partnerID, ProductID: id}))
	})
	if len(active) > 0 {
		return active
	}
	return ids
}

func isActive(product *movement.Product) bool {
	return product != nil && product.Status == delivery.ProductActive
}

// allocate decides where an order's items are taken from. It changes nothing,
// and reports every product that can't be ordered, or all that are short.
func allocate(s *State, order *delivery.Order) ([]delivery.Take, error) {
	if problems := unknownProducts(s, order.PartnerID, order.Items); len(problems) > 0 {
		return nil, problems.Err()
	}
	var takes []delivery.Take
	var shortages []delivery.Shortage
	for _, line := range delivery.AddedUp(order.Items) {
		product := s.product(movement.ProductKey{PartnerID: order.PartnerID, ProductID: line.ProductID})
		taken, enough := delivery.Allocate(product.Levels, line.ProductID, line.Quantity)
		if !enough {
			shortages = append(shortages, delivery.Shortage{
				ProductID: line.ProductID, SKU: product.SKU, Available: product.Quantity, Requested: line.Quantity,
			})
		}
		takes = append(takes, taken...)
	}
	if len(shortages) > 0 {
		return nil, delivery.InsufficientStock(shortages)
	}
	return takes, nil
}

// The rules for what names the product of an item.
var (
	activeProduct    = form.Define("active_product", "the id of an active product")
	activeSKU        = form.Define("active_sku", "the sku of an active product")
	activeBarcode    = form.Define("active_barcode", "the barcode of an active product")
	ambiguousBarcode = form.Define("ambiguous_barcode", "a product_id or sku, because several products have this barcode")
)

// unknownProducts notes every item, of those that are resolved, whose product does not exist or is not sold.
func unknownProducts(s *State, partnerID string, items []delivery.Item) (problems form.Problems) {
	for i, item := range items {
		product := s.product(movement.ProductKey{PartnerID: partnerID, ProductID: item.ProductID})
		if !item.IsNamed() || isActive(product) { // what could not be read is a fault already
			continue
		}
		at := fmt.Sprintf("items[%d].", i)
		switch {
		case item.SKU != "":
			problems.Add(at+"sku", item.SKU, activeSKU)
		case item.Barcode != "" && len(namedBy(s, partnerID, item)) > 1:
			problems.Add(at+"barcode", item.Barcode, ambiguousBarcode)
		case item.Barcode != "":
			problems.Add(at+"barcode", item.Barcode, activeBarcode)
		default:
			problems.Add(at+"product_id", item.ProductID, activeProduct)
		}
	}
	return problems
}

// withdrawStock takes an order's allocation out of stock.
func withdrawStock(s *State, c *Changes, order *delivery.Order) {
	if len(order.Allocation) > 0 {
		c.book(s.Stocks[order.PartnerID]).Withdraw(order.Allocation, order.OrderID, order.UpdatedAt)
	}
}

// hasStockOf reports whether the products of an order's allocation were asked for.
func (s *State) hasStockOf(order *delivery.Order) bool {
	return !slices.ContainsFunc(order.Allocation, func(take delivery.Take) bool {
		return s.product(movement.ProductKey{PartnerID: order.PartnerID, ProductID: take.ProductID}) == nil
	})
}

// returnStock returns an order's allocation to where it was taken from.
func returnStock(s *State, c *Changes, order *delivery.Order, at time.Time) {
	if len(order.Allocation) > 0 {
		c.book(s.Stocks[order.PartnerID]).Return(order.Allocation, order.OrderID, at)
	}
}

// book notes that a stock changes.
func (c *Changes) book(changed *movement.Stock) *movement.Stock {
	c.Stocks[changed.PartnerID] = changed
	return changed
}
