package order

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/record"
)

// TestMove is one step of a test order.
type TestMove struct {
	To            delivery.Status
	Notes         string
	Courier       *delivery.Courier // for courier_assigned
	FailureReason string            // for failed
	NextAttempt   *time.Time        // for failed; nil if none is planned
	Reason        string            // for cancelled
}

// AdvanceTest makes the next step of a test order, as Advance does for operators with
// live ones, but leaves no trace in the audit log. It refuses with not_found for an
// order that does not exist or is live, and with invalid_transition if the order has
// another version or may not make the move.
func (s *Service) AdvanceTest(ctx context.Context, orderID string, version int64, m TestMove) error {
	if !delivery.IsTestOrder(orderID) {
		return refusal.NotFound("order")
	}
	order, err := s.Track(ctx, orderID)
	if err != nil {
		return err
	}
	now := s.now()
	eventID, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return err
	}
	cmd := &advanceCommand{
		target:  OrderKey{order.PartnerID, order.OrderID},
		version: version,
		seen:    order.Version,
		encode:  record.Encode,
		step: step{
			to: m.To, by: delivery.ActorService, at: now, notes: cmp.Or(m.Notes, m.FailureReason, m.Reason), eventID: eventID,
			courier: m.Courier, failureReason: m.FailureReason, nextAttempt: m.NextAttempt, reason: m.Reason,
		},
	}
	if m.To == delivery.StatusDelivered {
		cmd.step.collected = order.CollectedAsAsked()
	}
	if m.To == delivery.StatusCancelled {
		cmd.products, cmd.origin = productsOf(order), originOf(order)
	}
	_, err = s.settle(ctx, cmd)
	return err
}

// ConfirmTest confirms the edits of a test order up to a version, as Confirm does for live ones.
func (s *Service) ConfirmTest(ctx context.Context, orderID string, version int64) error {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok || !delivery.IsTest(partnerID) {
		return refusal.NotFound("order")
	}
	_, err := s.settle(ctx, &confirmCommand{
		target: OrderKey{partnerID, orderID}, version: version, at: s.now(), encode: record.Encode,
	})
	return err
}

// TransferTest gives the parcels of a test order to another courier, as Transfer does for operators
// with live ones, but leaves no trace in the audit log.
func (s *Service) TransferTest(ctx context.Context, orderID string, version int64, to *delivery.Courier) error {
	if !delivery.IsTestOrder(orderID) {
		return refusal.NotFound("order")
	}
	order, err := s.Track(ctx, orderID)
	if err != nil {
		return err
	}
	now := s.now()
	eventID, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return err
	}
	_, err = s.settle(ctx, &transferCommand{
		target: OrderKey{order.PartnerID, order.OrderID}, version: version, encode: record.Encode,
		handover: handover{courier: to, at: now, eventID: eventID},
	})
	return err
}
