package retention

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// No index is there for sweeps alone, because it would slow down every creation:
//   - An order's id begins with its partner and its time of creation, and no order
//     ends before it is created. So orders that ended long ago are a range of the
//     index orders_by_status, and old events a range of their primary key.
//   - Idempotency keys are random; old ones are found by reading all keys of a
//     partner. They are small, kept for KeysKept only, and reading them does not
//     block writers.

const (
	// MaxRows is the most rows that one transaction removes, so that the committer
	// never waits long. An order with more rows is removed in a transaction of its
	// own.
	MaxRows = 500
	// pageRows is how many rows are read in one view of the data.
	pageRows = 1000
)

// Removed holds the numbers of rows and pictures that a sweep has removed.
type Removed struct{ Orders, Events, Keys, Pictures int }

// sweep is one sweep under way.
type sweep struct {
	*Service
	age     clock.Age
	removed Removed
	stays   error // why pictures of one partner could not be deleted; nil if all were
}

// Sweep removes all data that is older than the policy allows, and returns how much
// that was, also if it fails. It may be interrupted at any time: each transaction is
// complete in itself.
//
// A partner's old keys are removed before its orders. A key is never younger than
// the last change of its order, so no key is left whose answer has been removed.
//
// Pictures that cannot be deleted stay on the list and are reported at the end:
// neither a bucket that cannot be reached nor a file that cannot be deleted keeps
// the rest from being removed.
func (s *Service) Sweep(ctx context.Context) (Removed, error) {
	w := &sweep{Service: s, age: s.config.Aged()}
	var accounts []string
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		accounts, err = tx.Accounts(ctx)
		return err
	})
	for _, partnerID := range accounts {
		if err == nil {
			err = w.account(ctx, partnerID, s.config.Policy.of(partnerID))
		}
	}
	if err == nil {
		err = w.before(ctx, KeysKept, Writer.RemoveChanges)
	}
	if err == nil {
		err = w.before(ctx, MessagesKept, Writer.RemoveMessages)
	}
	if err == nil {
		err = w.scrub(ctx)
	}
	return w.removed, errors.Join(err, w.stays)
}

// before removes what is older than it is kept. Nothing is removed while the clock is doubtful.
func (w *sweep) before(
	ctx context.Context, kept time.Duration, remove func(Writer, context.Context, time.Time) error,
) error {
	cutoff := w.age.Now.Add(-kept)
	if w.age.Keeps() || w.age.Doubtful(cutoff) {
		return nil
	}
	return w.write(ctx, func(tx Writer) error { return remove(tx, ctx, cutoff) })
}

// account removes the old data of one account.
func (w *sweep) account(ctx context.Context, partnerID string, policy Policy) error {
	if !w.age.Keeps() {
		if err := w.keys(ctx, partnerID); err != nil {
			return fmt.Errorf("idempotency keys of %s: %w", partnerID, err)
		}
		if err := w.drafts(ctx, partnerID); err != nil {
			return fmt.Errorf("imports of %s: %w", partnerID, err)
		}
	}
	if policy.Orders > 0 && !w.age.Keeps() {
		for _, state := range board.EndedStatuses {
			if err := w.orders(ctx, partnerID, state, policy.Orders); err != nil {
				return fmt.Errorf("orders of %s: %w", partnerID, err)
			}
		}
	}
	if policy.Events > 0 {
		if err := w.events(ctx, partnerID, policy.Events); err != nil {
			return fmt.Errorf("events of %s: %w", partnerID, err)
		}
	}
	if errors.Is(w.stays, errUnreachable) {
		return nil
	}
	deleted, err := w.deletePictures(ctx, partnerID, w.age.Now)
	if w.removed.Pictures += deleted; err != nil && (w.stays == nil || errors.Is(err, errUnreachable)) {
		w.stays = fmt.Errorf("pictures of %s: %w", partnerID, err)
	}
	return ctx.Err()
}

func (w *sweep) drafts(ctx context.Context, partnerID string) error {
	before, has := w.age.Now.Add(-delivery.ImportKept), false
	err := w.read(ctx, func(tx Reader) (err error) {
		has, err = tx.HasDrafts(ctx, partnerID, before)
		return err
	})
	if err != nil || !has {
		return err
	}
	return w.write(ctx, func(tx Writer) error { return tx.RemoveDrafts(ctx, partnerID, before) })
}

// timed runs one transaction and then pauses, in proportion to the time it took.
func (w *sweep) timed(ctx context.Context, transaction func() error) error {
	start := time.Now() // the real clock: it measures work
	if err := transaction(); err != nil {
		return err
	}
	return w.config.Pause(ctx, time.Since(start))
}

func (w *sweep) read(ctx context.Context, fn func(Reader) error) error {
	return w.timed(ctx, func() error { return w.config.Store.Read(ctx, fn) })
}

func (w *sweep) write(ctx context.Context, fn func(Writer) error) error {
	return w.timed(ctx, func() error { return w.config.Store.Write(ctx, fn) })
}

func (w *sweep) keys(ctx context.Context, partnerID string) error {
	cutoff := w.age.Now.Add(-KeysKept)
	until, err := delivery.FirstOrderID(partnerID, cutoff)
	if err != nil {
		return err
	}
	has := false
	if err := w.read(ctx, func(tx Reader) (err error) {
		has, err = tx.HasOriginals(ctx, partnerID, until)
		return err
	}); err != nil {
		return err
	}
	if has {
		if err := w.write(ctx, func(tx Writer) error { return tx.RemoveOriginals(ctx, partnerID, until) }); err != nil {
			return err
		}
	}
	return w.receipts(ctx, partnerID, func(page []*idempotency.Receipt) error {
		var old []idempotency.Key
		for _, receipt := range page {
			if w.age.Of(receipt.CreatedAt).Before(cutoff) {
				old = append(old, receipt.Key)
			}
		}
		return inBatches(old, func(batch []idempotency.Key) error {
			w.removed.Keys += len(batch)
			return w.write(ctx, func(tx Writer) error { return tx.RemoveReceipts(ctx, batch) })
		})
	})
}

// receipts calls each for every page of a partner's receipts.
func (w *sweep) receipts(ctx context.Context, partnerID string, each func([]*idempotency.Receipt) error) error {
	return pages(func(last *idempotency.Receipt) (page []*idempotency.Receipt, err error) {
		after := idempotency.Key{PartnerID: partnerID}
		if last != nil {
			after = last.Key
		}
		err = w.read(ctx, func(tx Reader) error {
			page, err = tx.Receipts(ctx, after, pageRows)
			return err
		})
		return page, err
	}, each)
}

func (w *sweep) orders(ctx context.Context, partnerID string, state delivery.Status, kept time.Duration) error {
	cutoff := w.age.Now.Add(-max(kept, Shortest))
	until, err := delivery.FirstOrderID(partnerID, cutoff)
	if err != nil {
		return err
	}
	return pages(func(last Ended) (page []Ended, err error) {
		err = w.read(ctx, func(tx Reader) error {
			page, err = tx.Ended(ctx, partnerID, state, last.OrderID, until, pageRows)
			return err
		})
		return page, err
	}, func(page []Ended) error {
		for _, batch := range orderBatches(page, w.age, cutoff) {
			w.removed.Orders += len(batch)
			if err := w.write(ctx, func(tx Writer) error { return tx.RemoveOrders(ctx, partnerID, batch) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// orderBatches returns the orders that ended before the cutoff, in batches of at
// most MaxRows rows or one order.
func orderBatches(page []Ended, age clock.Age, cutoff time.Time) (batches [][]string) {
	room := int64(0)
	for _, order := range page {
		if !age.Of(order.UpdatedAt).Before(cutoff) {
			continue
		}
		if len(batches) == 0 || order.Rows > room {
			batches, room = append(batches, nil), MaxRows
		}
		last := len(batches) - 1
		batches[last], room = append(batches[last], order.OrderID), room-order.Rows
	}
	return batches
}

func (w *sweep) events(ctx context.Context, partnerID string, kept time.Duration) error {
	cutoff := w.age.Now.Add(-max(kept, Shortest))
	until, err := delivery.FirstOrderID(partnerID, cutoff)
	if err != nil {
		return err
	}
	return pages(func(last EventTime) (page []EventTime, err error) {
		last.PartnerID = partnerID // no event is in front of the first page
		err = w.read(ctx, func(tx Reader) error {
			page, err = tx.EventTimes(ctx, last.EventKey, until, pageRows)
			return err
		})
		return page, err
	}, func(page []EventTime) error {
		var old []EventTime
		for _, event := range page {
			if w.age.Of(event.CreatedAt).Before(cutoff) {
				old = append(old, event)
			}
		}
		return inBatches(old, func(batch []EventTime) error {
			w.removed.Events += len(batch)
			return w.write(ctx, func(tx Writer) error { return tx.RemoveEvents(ctx, batch) })
		})
	})
}

// pages calls each for every page of a list. read returns the rows after the given
// one, which is zero for the first page.
func pages[T any](read func(last T) ([]T, error), each func([]T) error) error {
	var last T
	for {
		page, err := read(last)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := each(page); err != nil {
			return err
		}
		last = page[len(page)-1]
	}
}

// inBatches calls each for at most MaxRows rows at a time.
func inBatches[T any](rows []T, each func([]T) error) error {
	for batch := range slices.Chunk(rows, MaxRows) {
		if err := each(batch); err != nil {
			return err
		}
	}
	return nil
}
