package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// receiveCommand receives the goods of an order that come back.
type receiveCommand struct {
	target   OrderKey
	products []movement.ProductKey // of the order's allocation
	location string                // empty if the sender has received the goods
	lines    []delivery.ReturnLine
	at       time.Time // the service's time
	carrier  string    // the courier who must carry the order, and gives it back to the sender; empty for any
	// occurredAt is when it happened, if the request says so; otherwise zero.
	occurredAt time.Time
	eventID    string
	charged    charged
	unproven   bool         // the sender receives without a proof: of orders that are simulated
	audit      *audit.Entry // the beginning of the entry in the audit log; nil for what the service does by itself
	encode     encoder
	request    *idempotency.Request // nil if it came without a key
}

func (cmd *receiveCommand) partner() string { return cmd.target.PartnerID }

func (cmd *receiveCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	n.Products = append(n.Products, cmd.products...)
	n.Proofs = append(n.Proofs, cmd.target)
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
	n.Books = n.Books || cmd.charged.maybe
}

func (cmd *receiveCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, cmd.carrier)
	if settled != nil {
		return *settled
	}
	if found.LastEvent == cmd.eventID {
		// An earlier try was committed, but the database's answer was lost.
		return outcome{answer: cmd.encode(found)}
	}
	if err := cmd.refusal(s, found); err != nil {
		return refused(err)
	}
	received := applyReceipt(s, c, found, cmd)
	answer := cmd.encode(received)
	audited(c, cmd.audit, found, factsOf(received, nil))
	return s.end(c, cmd.request, received, cmd.at, answer)
}

var (
	whereGoodsLie   = form.Define("goods_location", "the location at which the goods lie now")
	productOfOrder  = form.Define("product_of_order", "a product of the order")
	quantityThatWas = form.Define("quantity_of_order", "quantities of product {product} that add up to {quantity}")
)

// refusal returns why the goods cannot be received; nil if they can.
func (cmd *receiveCommand) refusal(s *State, found *delivery.Order) error {
	if origin := found.Course.Origin; origin != nil && cmd.location == "" {
		cmd.location = origin.Location
	}
	back := found.Course.Return
	switch {
	case back == nil:
		return conflict(found, "no parcels of this order are due back")
	case back.State == delivery.ReturnReceived:
		return conflict(found, "the parcels have been received already")
	case !cmd.occurredAt.IsZero() && cmd.occurredAt.Before(found.LastAct()):
		return tooLate(found)
	case cmd.carrier != "" && found.WayBack().To == delivery.ReturnToWarehouse:
		return conflict(found, "a warehouse receives these parcels: hand them over to it")
	}
	var problems form.Problems
	if cmd.location == "" && len(found.Items) > 0 {
		problems.Add("location", nil, whereGoodsLie)
	}
	checkLines(&problems, found.Items, cmd.lines)
	if err := problems.Err(); err != nil {
		return err
	}
	for _, line := range cmd.lines {
		if s.product(movement.ProductKey{PartnerID: found.PartnerID, ProductID: line.ProductID}) == nil {
			return conflict(found, "the order was changed meanwhile: send the request again")
		}
	}
	proof := s.Proofs[cmd.target]
	if cmd.location == "" && !cmd.unproven && (proof == nil || proof.RecordedAt.Before(found.LastMove().RecordedAt)) {
		return conflict(found, "add a proof that the sender has the parcels, or name the location at which they lie now")
	}
	return nil
}

// checkLines notes each line of a product that the order has not, and each product of which more or
// less comes back than has left.
func checkLines(problems *form.Problems, items []delivery.Item, lines []delivery.ReturnLine) {
	left, sent := delivery.AddedUp(items), map[int64]int64{}
	lastOf := map[int64]int{}
	for i, line := range lines {
		sent[line.ProductID] += line.Quantity
		lastOf[line.ProductID] = i
		if !slices.ContainsFunc(left, func(item delivery.Item) bool { return item.ProductID == line.ProductID }) {
			problems.Add(fmt.Sprintf("lines[%d].product_id", i), line.ProductID, productOfOrder)
		}
	}
	for _, item := range left {
		if sent[item.ProductID] == item.Quantity {
			continue
		}
		field := "lines"
		if i, has := lastOf[item.ProductID]; has {
			field = fmt.Sprintf("lines[%d].quantity", i)
		}
		problems.Add(field, sent[item.ProductID],
			quantityThatWas.With("product", item.ProductID, "quantity", item.Quantity))
	}
}

// SumOf returns the product whose quantities do not add up, and to what they must, if that is the problem
// of a receipt.
func SumOf(problem form.Problem) (productID, quantity int64, ok bool) {
	said := problem.Rule.Arguments()
	if problem.Rule.Code() != quantityThatWas.Code() || len(said) != 4 {
		return 0, 0, false
	}
	productID, _ = said[1].(int64)
	quantity, ok = said[3].(int64)
	return productID, quantity, ok
}

// applyReceipt receives goods: their stock, the new version of the order, and the event.
func applyReceipt(s *State, c *Changes, found *delivery.Order, cmd *receiveCommand) *delivery.Order {
	order := *found
	happened := latest(cmp.Or(cmd.occurredAt, cmd.at), found.LastAct())
	order.UpdatedAt = latest(happened, found.UpdatedAt)
	order.Course.Return = &delivery.Return{
		State: delivery.ReturnReceived, Lines: cmd.lines, Location: cmd.location, ReceivedAt: happened,
	}
	if len(cmd.lines) > 0 {
		c.book(s.Stocks[order.PartnerID]).Receive(cmd.lines, cmd.location, order.OrderID, latest(cmd.at, found.UpdatedAt))
	}
	c.announce(&order, delivery.EventReturnReceived, happening{cmd.eventID, happened, cmd.at},
		delivery.EventFacts{Return: order.Course.Return})
	c.record(c.books.Returned(&order, happened, cmd.charged.additions), cmd.charged, cmd.eventID, cmd.at)
	s.revise(c, found, &order)
	return &order
}
