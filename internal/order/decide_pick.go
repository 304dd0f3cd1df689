package order

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// pickCommand records what was picked for an order at a location.
type pickCommand struct {
	target   OrderKey
	location string
	sent     []delivery.Item // the lines as they were sent
	lines    []delivery.Item // the same, each product once
	packed   bool
	at       time.Time
	audit    *audit.Entry // the beginning of the entry in the audit log
	encode   encoder
	request  *idempotency.Request // nil if it came without a key
}

func (cmd *pickCommand) partner() string { return cmd.target.PartnerID }

func (cmd *pickCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
}

func (cmd *pickCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, "")
	if settled != nil {
		return *settled
	}
	if err := cmd.refusal(found); err != nil {
		return refused(err)
	}
	order := *found
	order.Course.Picking = cmd.applied(found)
	if cmd.packed {
		if order.PickState() != delivery.PickDone && order.PickState() != delivery.PickPacked {
			return refused(statusConflict(found, "not all items of this order are picked"))
		}
		if order.Course.Picking.Packed == nil {
			order.Course.Picking.Packed = &delivery.Packing{OperatorID: cmd.audit.OperatorID, At: cmd.at}
		}
	}
	s.revise(c, found, &order)
	audited(c, cmd.audit, found, pickFacts{factsOf(&order, nil), cmd.location, picksOf(cmd.lines), cmd.packed})
	return s.end(c, cmd.request, &order, cmd.at, cmd.encode(&order))
}

var (
	productAtLocation = form.Define("product_at_location", "a product that the order takes from this location")
	leftToPick        = form.Define("left_to_pick", "at most {quantity}, which is left to pick of product {product}")
)

// refusal returns why the order cannot be picked like this; nil if it can.
func (cmd *pickCommand) refusal(found *delivery.Order) error {
	if !slices.Contains(delivery.PickableStatuses, found.Status) {
		return statusConflict(found, fmt.Sprintf("an order that is %s is not picked", found.Status))
	}
	lines := found.PickLines()
	if len(lines) == 0 {
		return statusConflict(found, "this order takes nothing from stock")
	}
	here := slices.DeleteFunc(lines, func(l delivery.PickLine) bool { return l.Location != cmd.location })
	var problems form.Problems
	for _, line := range cmd.lines {
		last := lastOf(cmd.sent, line.ProductID)
		at := slices.IndexFunc(here, func(l delivery.PickLine) bool { return l.ProductID == line.ProductID })
		if at < 0 {
			problems.Add(fmt.Sprintf("lines[%d].product_id", last), line.ProductID, productAtLocation)
		} else if left := here[at].Left(); line.Quantity > left {
			problems.Add(fmt.Sprintf("lines[%d].quantity", last), line.Quantity,
				leftToPick.With("quantity", left, "product", line.ProductID))
		}
	}
	return problems.Err()
}

// lastOf returns the place of the last line of a product.
func lastOf(lines []delivery.Item, productID int64) (last int) {
	for i, line := range lines {
		if line.ProductID == productID {
			last = i
		}
	}
	return last
}

// applied returns the picking of the order with what was picked.
func (cmd *pickCommand) applied(found *delivery.Order) *delivery.Picking {
	picked := make([]delivery.PickedLine, 0, len(cmd.lines))
	for _, line := range found.PickLines() {
		at := slices.IndexFunc(cmd.lines, func(l delivery.Item) bool { return l.ProductID == line.ProductID })
		if line.Location == cmd.location && at >= 0 {
			picked = append(picked, delivery.PickedLine{
				ProductID: line.ProductID, Location: line.Location, Quantity: cmd.lines[at].Quantity,
				Short: cmd.lines[at].Quantity < line.Left(), OperatorID: cmd.audit.OperatorID, At: cmd.at,
			})
		}
	}
	return found.Course.Picking.With(picked...)
}

// pickFacts is what the audit log holds of a pick.
type pickFacts struct {
	orderFacts
	Location string     `json:"location,omitzero"`
	Picked   []pickFact `json:"picked,omitempty"`
	Packed   bool       `json:"packed,omitempty"`
}

type pickFact struct {
	ProductID int64 `json:"product_id"`
	Quantity  int64 `json:"quantity"`
}

func picksOf(lines []delivery.Item) []pickFact {
	facts := make([]pickFact, len(lines))
	for i, line := range lines {
		facts[i] = pickFact{line.ProductID, line.Quantity}
	}
	return facts
}
