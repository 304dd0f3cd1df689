package order

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Follow reads one order by its id alone, for callers without credentials.
func (s *Service) Follow(ctx context.Context, orderID string) (*delivery.Tracked, error) {
	found, err := s.Track(ctx, orderID)
	tracked := &delivery.Tracked{Order: found}
	if err != nil || found.Status != delivery.StatusFailed {
		return tracked, err
	}
	return tracked, s.config.Store.ReadOnce(ctx, func(tx Reader) error {
		facts, err := tx.Facts(ctx, outbox.EventKey{PartnerID: found.PartnerID, OrderID: found.OrderID, Sequence: found.Events})
		if facts != nil {
			tracked.Failed = &delivery.FailedAttempt{Reason: delivery.FailureReasonOf(facts.FailureReason), Next: facts.NextAttempt}
		}
		return err
	})
}
