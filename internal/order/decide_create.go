package order

import (
	"fmt"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// createCommand admits a new order that has been validated and priced.
type createCommand struct {
	order   *delivery.Order
	request idempotency.Request
	encode  encoder
	quota   Quota
	audit   *audit.Entry // the beginning of the entry in the audit log; nil for an order by the partner
}

// origin returns the order that a return order brings back.
func (cmd *createCommand) origin() (key OrderKey, isReturn bool) {
	if from := cmd.order.Course.Origin; from != nil {
		return OrderKey{cmd.order.PartnerID, from.OrderID}, true
	}
	return OrderKey{}, false
}

func (cmd *createCommand) reference() Reference {
	return Reference{cmd.order.PartnerID, cmd.order.PartnerOrderID}
}

func (cmd *createCommand) partner() string { return cmd.request.PartnerID }

func (cmd *createCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.request.Key)
	n.References = append(n.References, cmd.reference())
	if cmd.quota != (Quota{}) {
		n.Usages = append(n.Usages, UsageKey{cmd.order.PartnerID, DayOf(cmd.order.CreatedAt)})
	}
	if origin, isReturn := cmd.origin(); isReturn {
		n.Orders = append(n.Orders, origin)
		return // its items are in no stock
	}
	n.addItems(cmd.order.PartnerID, cmd.order.Items)
}

// keysOf returns the keys of the products of items.
func keysOf(partnerID string, items []delivery.Item) []movement.ProductKey {
	keys := make([]movement.ProductKey, len(items))
	for i, item := range items {
		keys[i] = movement.ProductKey{PartnerID: partnerID, ProductID: item.ProductID}
	}
	return keys
}

func (cmd *createCommand) decide(s *State, c *Changes) outcome {
	if again, ok := replay(s, cmd.request); ok {
		// It is not a replay if the order is this very one: an earlier try was
		// committed, but the database's answer was lost.
		again.replayed = again.replayed && s.Receipts[cmd.request.Key].OrderID != cmd.order.OrderID
		return again
	}
	if existing, taken := s.Taken[cmd.reference()]; taken {
		if moved := s.Orders[OrderKey{cmd.order.PartnerID, existing.OrderID}]; moved != nil { // by this group
			existing.Status = moved.Status
		}
		return refused(&refusal.Error{
			Code:    refusal.CodeConflict,
			Message: fmt.Sprintf("an order with partner_order_id %q already exists", cmd.order.PartnerOrderID),
			Details: existing,
		})
	}
	order := *cmd.order
	order.MovedIn = order.Version
	origin, isReturn := cmd.origin()
	if isReturn {
		if err := mayReturn(s, origin, &order); err != nil {
			return refused(err)
		}
	} else {
		order.Items = resolved(s, order.PartnerID, cmd.order.Items)
		allocation, err := allocate(s, &order)
		if err != nil {
			return refused(err)
		}
		order.Items, order.Allocation = named(s, &order), allocation
	}
	document := cmd.encode(&order)
	if used := s.Usages[order.PartnerID]; used != nil && cmd.quota != (Quota{}) {
		if err := used.take(cmd.quota, int64(len(document)), order.CreatedAt); err != nil {
			return refused(err)
		}
	}
	withdrawStock(s, c, &order)
	if isReturn {
		addReturn(s, c, origin, &order)
	}
	s.Taken[cmd.reference()] = Existing{order.OrderID, order.Status}
	key := OrderKey{order.PartnerID, order.OrderID}
	s.Orders[key] = &order
	if s.Documents != nil { // this group has edits, one of which may be of this order
		s.Documents[key] = document
	}
	c.Created = append(c.Created, Creation{Order: &order, Document: document})
	auditCreation(c, cmd.audit, &order)
	keep(s, c, &idempotency.Receipt{
		Request: cmd.request, OrderID: order.OrderID, CreatedAt: order.CreatedAt, Answer: document, OfCreation: true,
	})
	return outcome{answer: document}
}

// named returns the items of an order, which are resolved, as its record has them.
func named(s *State, order *delivery.Order) []delivery.Item {
	items := make([]delivery.Item, len(order.Items))
	for i, item := range order.Items {
		product := s.product(movement.ProductKey{PartnerID: order.PartnerID, ProductID: item.ProductID})
		items[i] = delivery.Item{
			ProductID: item.ProductID, SKU: product.SKU, Name: product.Name, Quantity: item.Quantity,
		}
	}
	return items
}

// refuseCommand returns a refusal that was found before the transaction, unless
// the request is the retry of one that was accepted under earlier rules. It goes
// through the committer, because that one may be waiting there.
type refuseCommand struct {
	kind    CommandKind // what was asked for
	request idempotency.Request
	items   []delivery.Item
	refusal error
}

func (cmd *refuseCommand) partner() string { return cmd.request.PartnerID }

func (cmd *refuseCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.request.Key)
	n.addItems(cmd.request.PartnerID, cmd.items)
}

// decide completes the refusal: unknown products are faults of the same request
// and belong in the same answer.
func (cmd *refuseCommand) decide(s *State, _ *Changes) outcome {
	if again, ok := replay(s, cmd.request); ok {
		return again
	}
	partnerID := cmd.request.PartnerID
	return refused(form.WithProblems(cmd.refusal, unknownProducts(s, partnerID, resolved(s, partnerID, cmd.items))))
}
