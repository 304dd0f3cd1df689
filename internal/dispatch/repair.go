package dispatch

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/foundation/rest"
)

// The board's rows are written with their orders. Only nodes of a release without
// the board change orders and leave the rows as they are: before an upgrade, and
// while one is under way.

const (
	// repairEvery is the time between two comparisons of the board with the orders,
	// give or take a fifth, so that the nodes of one database do not all compare at
	// the same time.
	repairEvery = time.Hour
	// repairPage is the number of orders that are compared in one view of the data.
	repairPage = 1000
	// repairBatch is the most rows that one transaction mends.
	repairBatch = 200
)

// Run starts comparing the board with the orders, now and every repairEvery, until
// Close. It does not wait.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stopped.Go(func() {
		for ctx.Err() == nil {
			mended, err := s.Repair(ctx)
			if err != nil && ctx.Err() == nil {
				s.config.Log.Error("the dispatch board was not compared with the orders, trying again later", "error", err)
			}
			if mended > 0 {
				s.config.Log.Info("mended the dispatch board", "orders", mended)
			}
			_ = rest.For(ctx, repairEvery*4/5+rand.N(repairEvery*2/5))
		}
	})
}

// Close stops what Run has started and waits for its end. The store must still be
// open.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	s.stopped.Wait()
}

// Repair makes the board agree with the orders and returns the number of rows that
// it mended. It pauses between pages. It may be interrupted at any time: each
// transaction mends its rows.
func (s *Service) Repair(ctx context.Context) (mended int, err error) {
	var partners []string
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		partners, err = tx.PartnerIDs(ctx)
		return err
	})
	for _, partnerID := range partners {
		for _, status := range board.OpenStatuses {
			// Orders that the board lacks or has an older version of.
			err = s.compare(ctx, partnerID, &mended, func(tx Reader, after string) ([]Versions, error) {
				return tx.StoredVersions(ctx, partnerID, status, after, repairPage)
			})
			if err != nil {
				return mended, err
			}
		}
		// Rows of orders that have ended.
		err = s.compare(ctx, partnerID, &mended, func(tx Reader, after string) ([]Versions, error) {
			return tx.ShownVersions(ctx, partnerID, after, repairPage)
		})
		if err != nil {
			return mended, err
		}
	}
	return mended, err
}

// compare goes through a list, page by page, and mends the orders whose versions
// differ. It adds their number to mended.
func (s *Service) compare(ctx context.Context, partnerID string, mended *int, list func(tx Reader, after string) ([]Versions, error)) error {
	for after, more := "", true; more; {
		var page []Versions
		start := time.Now() // the real clock: it measures work
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			page, err = list(tx, after)
			return err
		})
		if err != nil {
			return err
		}
		var differing []string
		for _, v := range page {
			if after = v.OrderID; v.Order != v.OnBoard {
				differing = append(differing, v.OrderID)
			}
		}
		for len(differing) > 0 {
			size := min(repairBatch, len(differing))
			if err := s.mend(ctx, partnerID, differing[:size]); err != nil {
				return err
			}
			*mended += size
			differing = differing[size:]
		}
		if more = len(page) == repairPage; more {
			if err := rest.After(ctx, time.Since(start)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mend writes the rows of orders again, and removes those of orders that have
// ended. The orders are locked, as the committer locks them, so that none moves
// between the read and the write.
func (s *Service) mend(ctx context.Context, partnerID string, orderIDs []string) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		found, err := tx.LockOrders(ctx, partnerID, orderIDs)
		if err != nil {
			return err
		}
		var rows []*board.Row
		var gone []string
		for _, id := range orderIDs {
			switch o := found[id]; {
			case o == nil || !board.IsOpen(o.Status):
				gone = append(gone, id)
			case s.config.Damaged.Of(o.Damage) == nil: // the row of a damaged order stays as it is
				rows = append(rows, board.Of(o))
			}
		}
		if err := tx.Show(ctx, rows); err != nil {
			return err
		}
		return tx.Hide(ctx, partnerID, gone)
	})
}
