package order

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// requestCommand requests, for a partner, that the service cancels an order.
type requestCommand struct {
	target  OrderKey
	reason  string
	at      time.Time
	request idempotency.Request
	encode  encoder
}

func (cmd *requestCommand) partner() string { return cmd.target.PartnerID }

func (cmd *requestCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.request.Key)
	n.Orders = append(n.Orders, cmd.target)
}

func (cmd *requestCommand) decide(s *State, c *Changes) outcome {
	if again, ok := replay(s, cmd.request); ok {
		return again
	}
	found, err := s.order(cmd.target)
	if err != nil {
		return refused(err)
	}
	switch {
	case found.Course.Request != nil:
		return refused(statusConflict(found, "the cancellation of this order was requested before"))
	case delivery.MayMove(found.Status, delivery.StatusCancelled, delivery.ActorPartner):
		return refused(statusConflict(found,
			fmt.Sprintf("an order that is %s needs no request: cancel it", found.Status)))
	case !slices.Contains(delivery.RequestableStatuses, found.Status):
		return refused(statusConflict(found,
			fmt.Sprintf("the cancellation of an order that is %s cannot be requested", found.Status)))
	}
	order := *found
	order.Course.Request = &delivery.CancellationRequest{
		State: delivery.RequestOpen, Reason: cmd.reason, At: cmd.at,
	}
	s.revise(c, found, &order)
	answer := cmd.encode(&order)
	keep(s, c, &idempotency.Receipt{Request: cmd.request, OrderID: order.OrderID, CreatedAt: cmd.at, Answer: answer})
	return outcome{answer: answer}
}

// answerCommand answers such a request for the service.
type answerCommand struct {
	target   OrderKey
	products []movement.ProductKey // of the order's allocation, if the request is granted
	origin   []OrderKey            // of a return order that is cancelled
	granted  bool
	text     string
	at       time.Time
	eventID  string
	letter   letter // about the cancellation
	charged  charged
	audit    *audit.Entry // the beginning of the entry in the audit log; nil for what the service does by itself
	encode   encoder
	request  *idempotency.Request // nil if it came without a key
}

func (cmd *answerCommand) partner() string { return cmd.target.PartnerID }

func (cmd *answerCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	n.Orders = append(n.Orders, cmd.origin...)
	n.Products = append(n.Products, cmd.products...)
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
	n.Books = n.Books || cmd.charged.maybe
}

func (cmd *answerCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, "")
	if settled != nil {
		return *settled
	}
	if found.LastEvent == cmd.eventID {
		// An earlier try was committed, but the database's answer was lost.
		return outcome{answer: cmd.encode(found)}
	}
	switch {
	case !found.Course.RequestOpen():
		return refused(statusConflict(found, "no request to cancel this order awaits an answer"))
	case !delivery.MayGrant(found.Status):
		return refused(statusConflict(found, fmt.Sprintf("the order is %s by now", found.Status)))
	}
	if cmd.granted && !s.hasStockOf(found) {
		return refused(errOvertaken)
	}
	order := cmd.apply(s, c, found)
	audited(c, cmd.audit, found, answerFacts{factsOf(order, nil), cmd.granted})
	answer := cmd.encode(order)
	return s.end(c, cmd.request, order, cmd.at, answer)
}

// apply notes the answer in the order, and cancels the order if the request is granted.
func (cmd *answerCommand) apply(s *State, c *Changes, found *delivery.Order) *delivery.Order {
	request := *found.Course.Request
	request.State, request.Answer = delivery.RequestDeclined, cmd.text
	order := *found
	order.Course.Request = &request
	if cmd.granted {
		request.State = delivery.RequestGranted
		return applyMove(s, c, &order, step{
			to: delivery.StatusCancelled, by: delivery.ActorService, at: cmd.at, notes: request.Reason, reason: request.Reason,
			eventID: cmd.eventID, letter: cmd.letter, charged: cmd.charged,
		})
	}
	c.announce(&order, delivery.EventCancellationDeclined,
		happening{cmd.eventID, latest(cmd.at, found.UpdatedAt), cmd.at}, delivery.EventFacts{Answer: cmd.text})
	s.revise(c, found, &order)
	return &order
}

// answerFacts is what the audit log holds of an order whose request was answered.
type answerFacts struct {
	orderFacts
	Granted bool `json:"granted"`
}

// revise records a change of an order that is not a move: it raises the version, and leaves
// the history and the time of the latest move as they are.
func (s *State) revise(c *Changes, found, order *delivery.Order) {
	order.Version++
	key := OrderKey{order.PartnerID, order.OrderID}
	s.Orders[key] = order
	c.change(key, order, found.Version)
}

// statusConflict refuses what the order's course does not allow.
func statusConflict(found *delivery.Order, message string) error {
	return &refusal.Error{Code: refusal.CodeConflict, Message: message, Details: statusDetails{Status: found.Status}}
}
