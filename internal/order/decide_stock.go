package order

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/movement"
)

// allocate decides where an order's items are taken from. It changes nothing,
// and reports every product that can't be ordered, or all that are short.
func allocate(s *State, order *delivery.Order) ([]delivery.Take, error) {
	if problems := unknownProducts(s, order.PartnerID, order.Items); len(problems) > 0 {
		return nil, problems.Err()
	}
	var takes []delivery.Take
	var shortages []delivery.Shortage
	for _, line := range AddedUp(order.Items) {
		product := s.product(movement.ProductKey{PartnerID: order.PartnerID, ProductID: line.ProductID})
		taken, enough := delivery.Allocate(product.Levels, line.ProductID, line.Quantity)
		if !enough {
			shortages = append(shortages, delivery.Shortage{
				ProductID: line.ProductID, Available: product.Quantity, Requested: line.Quantity,
			})
		}
		takes = append(takes, taken...)
	}
	if len(shortages) > 0 {
		return nil, delivery.InsufficientStock(shortages)
	}
	return takes, nil
}

var activeProduct = form.Define("active_product", "the id of an active product")

// unknownProducts notes every item whose product does not exist or is not sold.
func unknownProducts(s *State, partnerID string, items []delivery.Item) (problems form.Problems) {
	for i, item := range items {
		if item.ProductID == 0 {
			continue // could not be read, which is a fault already
		}
		product := s.product(movement.ProductKey{PartnerID: partnerID, ProductID: item.ProductID})
		if product == nil || product.Status != delivery.ProductActive {
			problems.Add(fmt.Sprintf("items[%d].product_id", i), item.ProductID, activeProduct)
		}
	}
	return problems
}

// AddedUp sums the lines of the same product, in the order of first mention.
func AddedUp(items []delivery.Item) []delivery.Item {
	var lines []delivery.Item
	for _, item := range items {
		at := slices.IndexFunc(lines, func(line delivery.Item) bool { return line.ProductID == item.ProductID })
		if at < 0 {
			lines = append(lines, item)
			continue
		}
		lines[at].Quantity += item.Quantity
	}
	return lines
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
