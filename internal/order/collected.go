package order

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// CollectedWanted is what the desk knows that was collected of a delivered order.
type CollectedWanted struct {
	form.Faults
	Collected *delivery.Collected
}

// ReadCollectedWanted reads what was collected.
func ReadCollectedWanted(f *form.Form) CollectedWanted {
	return CollectedWanted{Collected: delivery.ReadCollected(f)}
}

// SetCollected confirms or corrects, for the desk, what was collected of a delivered order. It is refused as a conflict
// before the delivery. What is so already stays as it is, so that a repetition changes nothing.
//
// r is the request, if it came with an Idempotency-Key; otherwise nil.
func (s *Service) SetCollected(
	ctx context.Context, r *idempotency.Request, orderID string, wanted CollectedWanted,
) (Answer, error) {
	return s.settleGoods(ctx, r, orderID, CommandCollected, func(r *idempotency.Request) (command, func(), error) {
		if err := wanted.Problems().Err(); err != nil {
			return nil, nil, err
		}
		partnerID, ok := delivery.PartnerOfLiveOrder(orderID)
		if !ok { // no money is collected of test orders
			return nil, nil, refusal.NotFound("order")
		}
		cmd := &collectedCommand{
			target: OrderKey{partnerID, orderID}, collected: wanted.Collected, encode: record.EncodeForOperators, request: r,
		}
		var err error
		cmd.at, cmd.entryID, cmd.audit, err = s.begin(ctx, audit.ActionCollectedSet)
		return cmd, func() {}, err
	})
}

// collectedCommand sets what was collected of an order.
type collectedCommand struct {
	target    OrderKey
	collected *delivery.Collected
	at        time.Time
	entryID   string // of the entry in the journal
	audit     *audit.Entry
	encode    encoder
	request   *idempotency.Request // nil if it came without a key
}

func (cmd *collectedCommand) partner() string { return cmd.target.PartnerID }

func (cmd *collectedCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
	n.Books = true
	n.Charged = append(n.Charged, cmd.target)
}

func (cmd *collectedCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, "")
	if settled != nil {
		return *settled
	}
	if found.Status != delivery.StatusDelivered {
		return refused(statusConflict(found, "the order is not delivered"))
	}
	collected, err := found.Collection(cmd.collected, true)
	if err != nil {
		return refused(err)
	}
	if collected == nil && found.Course.Collected != nil {
		collected = cmd.collected // nothing, where something was recorded
	}
	order := found
	if !same(found.Course.Collected, collected) {
		order = cmd.apply(s, c, found, collected)
	}
	return s.end(c, cmd.request, order, cmd.at, cmd.encode(order))
}

func (cmd *collectedCommand) apply(
	s *State, c *Changes, found *delivery.Order, collected *delivery.Collected,
) *delivery.Order {
	order := *found
	order.Course.Collected = collected
	s.revise(c, found, &order)
	if s.Charged[cmd.target] || c.charges(cmd.target) {
		c.record(c.books.Corrected(found, &order, cmd.at), charged{actorID: cmd.audit.OperatorID}, cmd.entryID, cmd.at)
	}
	audited(c, cmd.audit, found, collectedFacts{factsOf(&order, nil), collected.AmountCents, collected.Currency,
		collected.Method})
	return &order
}

// collectedFacts is what the audit log holds of an order of which the desk knows what was collected. The notes are in
// the order only.
type collectedFacts struct {
	orderFacts
	AmountCents int64                     `json:"amount_cents"`
	Currency    delivery.Currency         `json:"currency"`
	Method      delivery.CollectionMethod `json:"method"`
}

func same(a, b *delivery.Collected) bool { return a == b || a != nil && b != nil && *a == *b }
