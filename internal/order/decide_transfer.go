package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// handover is one permitted transfer of goods and what comes with it.
type handover struct {
	courier    *delivery.Courier // who gets the goods; nil if they go to a location
	location   string
	at         time.Time // the service's time
	occurredAt time.Time // when it happened, if the request says so; otherwise zero
	operatorID string
	eventID    string
}

// to returns who gets the goods.
func (h *handover) to() delivery.Holder {
	if h.courier == nil {
		return delivery.Holder{Kind: delivery.HeldByLocation, ID: h.location}
	}
	return h.courier.Holder()
}

// transferCommand hands the goods of an order on, without a change of its status.
type transferCommand struct {
	target   OrderKey
	version  int64  // the version that the caller saw; 0 if the request has none
	carrier  string // the courier who must carry the order; empty for any
	handover handover
	audit    *audit.Entry // the beginning of the entry in the audit log
	encode   encoder
	request  *idempotency.Request // nil if it came without a key
}

func (cmd *transferCommand) partner() string { return cmd.target.PartnerID }

func (cmd *transferCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
}

func (cmd *transferCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, cmd.carrier)
	if settled != nil {
		return *settled
	}
	if found.LastEvent == cmd.handover.eventID {
		// An earlier try was committed, but the database's answer was lost.
		return outcome{answer: cmd.encode(found)}
	}
	if err := cmd.refusal(found); err != nil {
		return refused(err)
	}
	moved := applyTransfer(s, c, found, &cmd.handover)
	answer := cmd.encode(moved)
	audited(c, cmd.audit, found, factsOf(moved, nil))
	return s.end(c, cmd.request, moved, cmd.handover.at, answer)
}

// refusal returns why the goods cannot be handed on; nil if they can. It has what happened since.
func (cmd *transferCommand) refusal(found *delivery.Order) error {
	holder, to := found.Holder(), cmd.handover.to()
	at := cmd.handover.occurredAt
	switch {
	case !found.InHands():
		return conflict(found,
			fmt.Sprintf("the parcels of an order that is %s are neither with a courier nor at a hub", found.Status))
	case !at.IsZero() && at.Before(found.LastAct()):
		return tooLate(found)
	case cmd.version != 0 && (cmd.version < found.MovedIn || cmd.version > found.Version):
		return conflict(found, fmt.Sprintf("the order was changed meanwhile and is now %s", found.Status))
	case holder.Kind == to.Kind && holder.ID == to.ID:
		return conflict(found, "the parcels are there already")
	}
	return nil
}

// conflict refuses what the present state of an order does not permit.
func conflict(found *delivery.Order, message string) error {
	return &refusal.Error{Code: refusal.CodeConflict, Message: message, Details: detailsOf(found)}
}

// applyTransfer makes a permitted transfer: new holder and version, and the event.
func applyTransfer(s *State, c *Changes, found *delivery.Order, h *handover) *delivery.Order {
	order := *found
	// Neither a clock that was set back nor one of a phone that is ahead may reverse the custody.
	happened := latest(cmp.Or(h.occurredAt, h.at), found.LastAct())
	order.UpdatedAt = latest(happened, found.UpdatedAt)
	order.Courier = h.courier
	order.Course.Edits = found.Course.Reassigned()
	order.Course.Transfers = append(slices.Clone(found.Course.Transfers), delivery.Transfer{
		Version: found.Version + 1, From: found.Holder(), To: h.to(), At: happened, RecordedAt: h.at,
		OperatorID: h.operatorID,
	})
	c.announce(&order, delivery.EventCourierChanged, happening{h.eventID, happened, h.at},
		delivery.EventFacts{Courier: order.Courier})
	s.revise(c, found, &order)
	order.MovedIn = order.Version
	return &order
}
