package recipient

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/mail"
)

const (
	// lookEvery is how often orders that are late are looked for.
	lookEvery = time.Minute
	// fresh is how long after its estimated delivery an order is still reported: a
	// partner that has just begun to inform its recipients does not mean old ones.
	fresh = 24 * time.Hour
	// batch is how many late orders are written about in one transaction.
	batch = 20
)

// Run looks for late orders in the background until Close.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.ended = cancel, make(chan struct{})
	go func() {
		defer close(s.ended)
		for ctx.Err() == nil {
			next := s.config.Now().Add(lookEvery)
			if err := s.ReportLate(ctx); err != nil && ctx.Err() == nil {
				s.config.Log.Error("recipients of late orders were not informed, trying again later", "error", err)
			}
			select {
			case <-s.config.At(next):
			case <-ctx.Done():
			}
		}
	}()
}

// Close stops Run and waits for it. The store must still be open.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
		<-s.ended
	}
}

// ReportLate writes the mails about orders that are late, one for each. Several nodes
// may call it at the same time. Run calls it regularly; tests call it so as not to wait.
func (s *Service) ReportLate(ctx context.Context) error {
	var partnerIDs []string
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		partnerIDs, err = tx.Informing(ctx)
		return err
	})
	for _, partnerID := range partnerIDs {
		if err == nil {
			err = s.reportLateOf(ctx, partnerID)
		}
	}
	return err
}

func (s *Service) reportLateOf(ctx context.Context, partnerID string) error {
	for {
		now := s.now()
		var late []string
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			late, err = tx.LateOrders(ctx, partnerID, now.Add(-fresh), now, batch)
			return err
		})
		if err != nil || len(late) == 0 {
			return err
		}
		err = s.config.Store.Write(ctx, func(tx Writer) error {
			for _, orderID := range late {
				if err := s.reportLate(ctx, tx, partnerID, orderID, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(late) < batch {
			return err
		}
	}
}

// reportLate writes that an order is late, if it still is and no other node has. An
// order that cannot be read is marked as well, so that it is not looked at again.
func (s *Service) reportLate(ctx context.Context, tx Writer, partnerID, orderID string, now time.Time) error {
	o, err := tx.LockOrder(ctx, partnerID, orderID)
	if err != nil {
		return err
	}
	first, err := tx.MarkLate(ctx, orderID, now)
	if err != nil || !first || o == nil || o.Damage != nil || !board.IsOpen(o.Status) || o.EstimatedDelivery.After(now) {
		return err
	}
	written, err := s.write(ctx, o, mail.Late, &delivery.EventFacts{Status: o.Status, At: now, ETA: o.EstimatedDelivery})
	if err != nil || written == nil {
		return err
	}
	return tx.AddMail(ctx, written)
}
