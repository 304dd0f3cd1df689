package order

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// advance is the wish to move an order to another state, by the service.
type advance struct {
	Status        delivery.Status
	Notes         string
	CourierID     string    // required for courier_assigned
	ETA           time.Time // zero keeps the estimate
	FailureReason string    // for failed
	NextAttempt   *time.Time
	Reason        string // for cancelled
}

func readAdvance(root delivery.Source) (advance, error) {
	var problems delivery.Problems
	f := delivery.NewForm(root, &problems)
	a := advance{
		Status:        delivery.Status(f.Text("status", delivery.Required, delivery.OneOf(delivery.Statuses...))),
		Notes:         f.Text("notes", delivery.Optional, delivery.Length(0, 1000)),
		ETA:           f.Time("eta", delivery.Optional),
		FailureReason: f.Text("failure_reason", delivery.Optional, delivery.Length(0, delivery.MaxReason)),
		Reason:        f.Text("reason", delivery.Optional, delivery.Length(0, delivery.MaxReason)),
	}
	needsCourier := delivery.Presence(a.Status == delivery.StatusCourierAssigned)
	a.CourierID = f.Text("courier_id", needsCourier, delivery.Length(1, 255))
	if at := f.Time("next_attempt", delivery.Optional); !at.IsZero() {
		a.NextAttempt = &at
	}
	return a, problems.Err()
}

// Advance moves an order along the transition table. History, stock return and
// event are written with it. Of two moves at once one wins; the other is
// refused as an invalid transition and told the state that it met.
func (s *Service) Advance(ctx context.Context, orderID string, root delivery.Source) ([]byte, error) {
	return s.AdvanceFrom(ctx, orderID, 0, root)
}

// AdvanceFrom is Advance for whoever has decided on the order in a version of
// it: if it was changed since, it is refused. Version 0 is any.
func (s *Service) AdvanceFrom(ctx context.Context, orderID string, version int64, root delivery.Source) ([]byte, error) {
	a, err := readAdvance(root)
	if err != nil {
		return nil, err
	}
	order, err := s.Track(ctx, orderID)
	if err != nil {
		return nil, err
	}
	if version != 0 && order.Version != version {
		return nil, invalidTransition(order, "the order was changed meanwhile and is now "+string(order.Status))
	}
	courier, err := s.courier(ctx, a)
	if err != nil {
		return nil, err
	}
	now := s.now()
	eventID, err := delivery.NewEventID(s.Random, now)
	if err != nil {
		return nil, err
	}
	entry, err := delivery.NewAuditEntry(ctx, s.Random, now, delivery.ActionOrderMoved)
	if err != nil {
		return nil, err
	}
	cmd := &advanceCommand{
		audit:   *entry,
		target:  OrderKey{order.PartnerID, order.OrderID},
		version: order.Version,
		encode:  s.Encode,
		step: step{
			to: a.Status, by: delivery.ActorService, at: now, notes: cmp.Or(a.Notes, a.FailureReason, a.Reason), eventID: eventID,
			courier: courier, eta: a.ETA, failureReason: a.FailureReason, nextAttempt: a.NextAttempt, reason: a.Reason,
		},
	}
	if a.Status == delivery.StatusCancelled {
		cmd.products = productsOf(order)
	}
	answer, err := s.settle(ctx, cmd)
	return answer.Record, err
}

func (s *Service) courier(ctx context.Context, a advance) (courier *delivery.Courier, err error) {
	if a.Status != delivery.StatusCourierAssigned {
		return nil, nil
	}
	err = s.Store.Read(ctx, func(tx Reader) error {
		courier, err = tx.Courier(ctx, a.CourierID)
		return err
	})
	if err == nil && courier == nil {
		err = delivery.Fault("courier_id", a.CourierID, "the id of an active courier")
	}
	return courier, err
}
