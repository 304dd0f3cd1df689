package order

import (
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// allocate decides where an order's items are taken from. It changes nothing,
// and reports every product that can't be ordered, or all that are short.
func allocate(s *State, order *delivery.Order) ([]delivery.Take, error) {
	if problems := unknownProducts(s, order.PartnerID, order.Items); len(problems) > 0 {
		return nil, problems.Err()
	}
	var takes []delivery.Take
	var shortages []delivery.Shortage
	for _, line := range addedUp(order.Items) {
		stock := s.Stock[ProductKey{order.PartnerID, line.ProductID}]
		taken, enough := delivery.Allocate(stock.Levels, line.ProductID, line.Quantity)
		if !enough {
			shortages = append(shortages, delivery.Shortage{
				ProductID: line.ProductID, Available: stock.Quantity, Requested: line.Quantity,
			})
		}
		takes = append(takes, taken...)
	}
	if len(shortages) > 0 {
		return nil, delivery.InsufficientStock(shortages)
	}
	return takes, nil
}

// unknownProducts notes every item whose product does not exist or is not sold.
func unknownProducts(s *State, partnerID string, items []delivery.Item) (problems form.Problems) {
	for i, item := range items {
		if item.ProductID == 0 {
			continue // not readable; noted already
		}
		stock := s.Stock[ProductKey{partnerID, item.ProductID}]
		if stock == nil || stock.Status != delivery.ProductActive {
			problems.Add(fmt.Sprintf("items[%d].product_id", i), item.ProductID, "the id of an active product")
		}
	}
	return problems
}

// addedUp sums the lines of the same product, in the order of first mention.
func addedUp(items []delivery.Item) []delivery.Item {
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

// withdraw takes an order's allocation out of stock.
func withdraw(s *State, c *Changes, order *delivery.Order) {
	for _, take := range order.Allocation {
		move(s, c, order, delivery.MovementOut, take)
	}
}

// giveBack returns an order's allocation to where it was taken from.
func giveBack(s *State, c *Changes, order *delivery.Order) {
	for _, take := range order.Allocation {
		move(s, c, order, delivery.MovementIn, take)
	}
}

// move writes one movement and applies it to the level and the total.
func move(s *State, c *Changes, order *delivery.Order, kind delivery.MovementType, take delivery.Take) {
	key := ProductKey{order.PartnerID, take.ProductID}
	stock := s.Stock[key]
	s.LastMovement[order.PartnerID]++
	movement := delivery.Movement{
		MovementID: s.LastMovement[order.PartnerID],
		Type:       kind,
		Quantity:   take.Quantity,
		ProductID:  take.ProductID,
		Location:   take.Location,
		OrderID:    order.OrderID,
		At:         order.UpdatedAt,
	}
	level := slices.IndexFunc(stock.Levels, func(l delivery.Level) bool { return l.Location == take.Location })
	if level < 0 {
		stock.Levels = append(stock.Levels, delivery.Level{ProductID: take.ProductID, Location: take.Location})
		level = len(stock.Levels) - 1
	}
	stock.Levels[level].Quantity += movement.Change()
	stock.Quantity += movement.Change()

	c.Movements = append(c.Movements, Movement{PartnerID: order.PartnerID, Movement: movement})
	c.Stock[key] = stock
	c.LastMovement[order.PartnerID] = movement.MovementID
}
