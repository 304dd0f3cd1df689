package order

import (
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// originOf returns the order that a return order brings back; none for any other order.
func originOf(order *delivery.Order) []OrderKey {
	if order.Course.Origin == nil {
		return nil
	}
	return []OrderKey{{order.PartnerID, order.Course.Origin.OrderID}}
}

// mayReturn refuses a return order unless its goods were delivered, and no other return brings them
// back.
func mayReturn(s *State, origin OrderKey, order *delivery.Order) error {
	found, err := s.order(origin)
	switch {
	case err != nil:
		return err
	case found.Status != delivery.StatusDelivered:
		return &refusal.Error{
			Code: refusal.CodeConflict, Message: "only what was delivered can be returned",
			Details: statusDetails{Status: found.Status},
		}
	case found.Course.Origin != nil:
		return &refusal.Error{
			Code: refusal.CodeConflict, Message: "a return cannot be returned",
			Details: statusDetails{Status: found.Status},
		}
	case found.Recipient().Email == delivery.ErasedEmail:
		return &refusal.Error{
			Code: refusal.CodeConflict, Message: "the recipient's data was erased, and the pickup address with it",
			Details: statusDetails{Status: found.Status},
		}
	}
	return found.MayReturn(order.Items, int64(len(order.Parcels)))
}

// addReturn notes a return order in the order whose goods it brings back.
func addReturn(s *State, c *Changes, key OrderKey, order *delivery.Order) {
	back := delivery.ReturnOrder{OrderID: order.OrderID}
	for _, item := range order.Items {
		back.Items = append(back.Items, delivery.ReturnedItem{ProductID: item.ProductID, Quantity: item.Quantity})
	}
	if len(order.Items) == 0 {
		back.Parcels = int64(len(order.Parcels))
	}
	found := s.Orders[key]
	origin := *found
	origin.Course.Returns = append(slices.Clone(found.Course.Returns), back)
	s.revise(c, found, &origin)
}

// removeReturn removes a return order that was cancelled before its pickup from the order whose goods
// it was to bring back, so that another one can. Retention may have removed that order.
func removeReturn(s *State, c *Changes, order *delivery.Order) {
	if order.Course.Origin == nil {
		return
	}
	found := s.Orders[OrderKey{order.PartnerID, order.Course.Origin.OrderID}]
	if found == nil {
		return
	}
	origin := *found
	origin.Course.Returns = slices.DeleteFunc(slices.Clone(found.Course.Returns),
		func(back delivery.ReturnOrder) bool { return back.OrderID == order.OrderID })
	s.revise(c, found, &origin)
}
