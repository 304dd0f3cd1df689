package order

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
)

// Follow returns what may be known of an order to whoever has its id, without credentials.
func (s *Service) Follow(ctx context.Context, orderID string) (*delivery.Tracked, error) {
	stored, err := s.stored(ctx, orderID)
	if err != nil {
		return nil, err
	}
	tracked, err := record.Tracked(stored)
	if err != nil {
		return nil, s.damaged(orderID, err)
	}
	tracked.Failed, err = s.failedAttempt(ctx, stored.Status, OrderKey{stored.PartnerID, orderID})
	return tracked, err
}

// FailedAttempt returns the latest attempt at an order's delivery, if it has failed and its
// event is still kept; otherwise nil.
func (s *Service) FailedAttempt(ctx context.Context, o *delivery.Order) (*delivery.FailedAttempt, error) {
	return s.failedAttempt(ctx, o.Status, OrderKey{o.PartnerID, o.OrderID})
}

func (s *Service) failedAttempt(
	ctx context.Context, status delivery.Status, key OrderKey,
) (failed *delivery.FailedAttempt, err error) {
	if status != delivery.StatusFailed {
		return nil, nil
	}
	err = s.config.Store.ReadOnce(ctx, func(tx Reader) error {
		facts, err := tx.FailedAttempt(ctx, key)
		if facts != nil {
			attempt := facts.Failed()
			failed = &attempt
		}
		return err
	})
	return failed, err
}
