package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// cancelCommand cancels an order for its partner.
type cancelCommand struct {
	target   OrderKey
	products []movement.ProductKey // of the order's allocation
	origin   []OrderKey            // of a return order that is cancelled
	reason   string
	at       time.Time
	eventID  string
	request  idempotency.Request
	encode   encoder
}

func (cmd *cancelCommand) partner() string { return cmd.target.PartnerID }

func (cmd *cancelCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.request.Key)
	n.Orders = append(n.Orders, cmd.target)
	n.Orders = append(n.Orders, cmd.origin...)
	n.Products = append(n.Products, cmd.products...)
}

func (cmd *cancelCommand) decide(s *State, c *Changes) outcome {
	if again, ok := replay(s, cmd.request); ok {
		return again
	}
	found, err := s.order(cmd.target)
	if err != nil {
		return refused(err)
	}
	if !delivery.MayMove(found.Status, delivery.StatusCancelled, delivery.ActorPartner) {
		return refused(&refusal.Error{
			Code:    delivery.CodeOrderNotCancellable,
			Message: fmt.Sprintf("an order that is %s cannot be cancelled", found.Status),
			Details: statusDetails{Status: found.Status},
		})
	}
	if !s.hasStockOf(found) {
		return refused(errOvertaken)
	}
	order := applyMove(s, c, found, step{
		to: delivery.StatusCancelled, by: delivery.ActorPartner,
		at: cmd.at, notes: cmd.reason, reason: cmd.reason, eventID: cmd.eventID,
	})
	answer := cmd.encode(order)
	keep(s, c, &idempotency.Receipt{
		Request: cmd.request, OrderID: order.OrderID, CreatedAt: order.UpdatedAt, Answer: answer,
	})
	return outcome{answer: answer}
}

type statusDetails struct {
	Status delivery.Status `json:"status"`
}

// advanceCommand moves an order on behalf of the service.
type advanceCommand struct {
	target  OrderKey
	version int64 // the version that the caller saw
	// seen is the version of the order from which the command was made; 0 if it holds nothing
	// that an edit would change.
	seen     int64
	products []movement.ProductKey // of the order's allocation, for a cancellation
	origin   []OrderKey            // of a return order that is cancelled
	carrier  string                // the courier who must carry the order; empty for any
	step     step
	// proofURL returns the address of a proof for the event; nil for a move whose
	// event has none.
	proofURL func(name string) string
	// audit is the beginning of the entry in the audit log; nil for what the service
	// does by itself.
	audit   *audit.Entry
	encode  encoder
	request *idempotency.Request // nil if it came without a key
}

func (cmd *advanceCommand) partner() string { return cmd.target.PartnerID }

func (cmd *advanceCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	n.Orders = append(n.Orders, cmd.origin...)
	n.Products = append(n.Products, cmd.products...)
	if cmd.proofURL != nil {
		n.Proofs = append(n.Proofs, cmd.target)
	}
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
	n.Books = n.Books || cmd.step.charged.maybe
}

func (cmd *advanceCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, cmd.carrier)
	if settled != nil {
		return *settled
	}
	if found.LastEvent == cmd.step.eventID {
		// An earlier try was committed, but the database's answer was lost.
		return outcome{answer: cmd.encode(found)}
	}
	if at := cmd.step.occurredAt; !at.IsZero() && at.Before(found.LastAct()) {
		return refused(tooLate(found))
	}
	if found.Version != cmd.seen && found.MovedIn <= cmd.seen {
		return refused(errOvertaken) // by an edit: the mail to the recipient may be another one
	}
	if found.MovedIn > cmd.version || cmd.version > found.Version {
		return refused(invalidTransition(found, fmt.Sprintf("the order was changed meanwhile and is now %s", found.Status)))
	}
	if !delivery.MayMove(found.Status, cmd.step.to, delivery.ActorService) {
		return refused(invalidTransition(found,
			fmt.Sprintf("an order that is %s cannot become %s", found.Status, cmd.step.to)))
	}
	if cmd.step.to == delivery.StatusOutForDelivery && found.AtHub() {
		return refused(invalidTransition(found, "no courier has the parcels: hand them over to one first"))
	}
	st := cmd.step
	if best := s.Proofs[cmd.target]; best != nil && cmd.proofURL != nil {
		st.signatureURL = cmd.proofURL(best.Name)
	}
	if st.to == delivery.StatusDelivered {
		var err error
		required := s.Books.RequireCollected(cmp.Or(st.occurredAt, st.at))
		if st.collected, err = found.Collection(st.collected, required); err != nil {
			return refused(err)
		}
	}
	moved := applyMove(s, c, found, st)
	audited(c, cmd.audit, found, factsOf(moved, cmd.step.nextAttempt))
	answer := cmd.encode(moved)
	return s.end(c, cmd.request, moved, st.at, answer)
}

// orderFacts is what the audit log holds of an order. Notes and reasons are in the
// order's history only: the log is not erased with the recipient's data.
type orderFacts struct {
	Status      delivery.Status `json:"status"`
	Version     int64           `json:"version"`
	CourierID   string          `json:"courier_id,omitzero"`
	ETA         time.Time       `json:"eta,omitzero"`
	NextAttempt *time.Time      `json:"next_attempt,omitzero"`
}

func factsOf(o *delivery.Order, nextAttempt *time.Time) orderFacts {
	facts := orderFacts{Status: o.Status, Version: o.Version, ETA: o.EstimatedDelivery, NextAttempt: nextAttempt}
	if o.Courier != nil {
		facts.CourierID = o.Courier.CourierID
	}
	return facts
}

func invalidTransition(found *delivery.Order, message string) error {
	return &refusal.Error{Code: delivery.CodeInvalidTransition, Message: message, Details: detailsOf(found)}
}

// tooLate refuses an act that happened before the latest move or transfer of the order.
func tooLate(found *delivery.Order) error {
	last := found.LastAct()
	message := fmt.Sprintf("the order is %s since %s, which is later than occurred_at", found.Status,
		timestamp.Format(last))
	if last.After(found.LastMove().At) {
		message = fmt.Sprintf("the parcels were handed over at %s, which is later than occurred_at", timestamp.Format(last))
	}
	return &refusal.Error{Code: refusal.CodeConflict, Message: message, Details: detailsOf(found)}
}

func detailsOf(found *delivery.Order) transitionDetails {
	return transitionDetails{
		Status: found.Status, Allowed: delivery.NextStatuses(found.Status),
		Version: found.Version, UpdatedAt: found.UpdatedAt, Courier: found.Courier,
	}
}

// transitionDetails describes the state that a refused move met.
type transitionDetails struct {
	Status    delivery.Status   `json:"status"`
	Allowed   []delivery.Status `json:"allowed"`
	Version   int64             `json:"version"`
	UpdatedAt time.Time         `json:"updated_at"`
	Courier   *delivery.Courier `json:"courier,omitzero"`
	// ChangedBy is the operator who brought the order to this version; nil if that
	// was its partner or the service itself.
	ChangedBy *Mover `json:"changed_by,omitzero"`
}

// step is one permitted move of an order and what comes with it.
type step struct {
	to            delivery.Status
	by            delivery.Actor
	at            time.Time // the service's time
	occurredAt    time.Time // when it happened, if the request says so; otherwise zero
	notes         string
	eventID       string
	courier       *delivery.Courier // for courier_assigned
	eta           time.Time         // zero keeps the estimate
	failureReason string
	nextAttempt   *time.Time
	reason        string // of a cancellation
	letter        letter
	signatureURL  string // of the best proof of a delivery; empty if there is none
	charged       charged
	collected     *delivery.Collected // for delivered; nil if nothing was to be collected
}

// applyMove makes a permitted move: new state and version, history and event. A cancellation also
// returns the stock, unless the goods were picked up: those are due back, which has an event of its own.
func applyMove(s *State, c *Changes, found *delivery.Order, st step) *delivery.Order {
	order := *found
	order.Status = st.to
	order.Version++
	order.MovedIn = order.Version
	// Neither a clock that was set back nor one of a phone that is ahead may reverse the history.
	at := latest(cmp.Or(st.occurredAt, st.at), found.LastAct())
	order.UpdatedAt = latest(at, found.UpdatedAt)
	if !st.eta.IsZero() {
		order.EstimatedDelivery = st.eta
	}
	switch st.to {
	case delivery.StatusCourierAssigned:
		order.Courier = st.courier
		if !found.CarriedBy(st.courier.CourierID) {
			order.Course.Edits = found.Course.Reassigned()
		}
	case delivery.StatusAccepted:
		order.Courier = nil
		order.Course.Edits = found.Course.Reassigned()
	case delivery.StatusDelivered:
		order.Course.Collected = st.collected
		if origin := order.Course.Origin; origin != nil && origin.To == delivery.ReturnToWarehouse {
			order.Course.Return = &delivery.Return{State: delivery.ReturnDue}
		}
	case delivery.StatusCancelled:
		order.Cancellation = &delivery.Cancellation{Reason: st.reason, At: at}
		if found.WasPickedUp() {
			order.Course.Return = &delivery.Return{State: delivery.ReturnDue}
		} else {
			returnStock(s, c, &order, latest(st.at, found.UpdatedAt))
			removeReturn(s, c, &order)
		}
	default: // nothing else changes
	}
	entry := delivery.HistoryEntry{Status: st.to, At: at, RecordedAt: st.at, Notes: st.notes}
	entry.Version = order.Version
	order.History = append(slices.Clone(found.History), entry)
	announceMove(c, &order, st)
	st.letter.post(c, found)
	c.Figures.Moved(found, &order)
	c.record(c.books.Moved(found, &order, st.charged.additions), st.charged, st.eventID, st.at)
	if st.to == delivery.StatusDelivered {
		c.record(c.books.Collected(&order), st.charged, identifier.NextUUID(st.eventID), st.at)
	}

	key := OrderKey{order.PartnerID, order.OrderID}
	s.Orders[key] = &order
	c.History = append(c.History, History{OrderKey: key, Version: order.Version, Entry: entry})
	c.change(key, &order, found.Version).Moved = true
	return &order
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// change records an order's newest state; the version to compare with stays
// that of the first change, which is what the store holds.
func (c *Changes) change(key OrderKey, order *delivery.Order, fromVersion int64) *Change {
	change := c.Changed[key]
	if change == nil {
		change = &Change{FromVersion: fromVersion}
		c.Changed[key] = change
	}
	change.Order = order
	return change
}

// announceMove adds the events of a move to the outbox.
func announceMove(c *Changes, order *delivery.Order, st step) {
	kind, ok := delivery.EventFor(st.to)
	if !ok {
		return
	}
	facts := delivery.EventFacts{
		Courier: order.Courier, FailureReason: st.failureReason, NextAttempt: st.nextAttempt, Reason: st.reason,
		SignatureURL: st.signatureURL,
	}
	if st.to == delivery.StatusCancelled {
		facts.CancelledBy = st.by
	}
	is := happening{eventID: st.eventID, at: order.LastMove().At, recordedAt: st.at}
	c.announce(order, kind, is, facts)
	if (st.to == delivery.StatusCancelled || st.to == delivery.StatusDelivered) && order.Course.Return != nil {
		// The second event gets the next id when it is queued, see outbox.Follow.
		c.announce(order, delivery.EventReturnDue, is, delivery.EventFacts{})
	}
}

// happening is what an event reports: the event's id, when it happened and when it was recorded.
type happening struct {
	eventID        string
	at, recordedAt time.Time
}

// announce adds the next event of an order to the outbox. It completes the facts by what all events
// say of the order.
func (c *Changes) announce(order *delivery.Order, kind delivery.EventType, h happening, facts delivery.EventFacts) {
	order.Events++
	order.LastEvent = h.eventID
	facts.PartnerOrderID, facts.Province = order.PartnerOrderID, order.Dropoff.Address.Province
	facts.Status, facts.At, facts.ETA = order.Status, h.at, order.EstimatedDelivery
	c.Events = append(c.Events, &delivery.Event{
		EventID: h.eventID, PartnerID: order.PartnerID, OrderID: order.OrderID, Type: kind, Sequence: order.Events,
		CreatedAt: h.at, RecordedAt: h.recordedAt, Facts: facts,
	})
}
