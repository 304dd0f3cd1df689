package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/store"
)

// testUsages changes stocks from many places at once, the first time too: no
// change may be lost.
func testUsages(t *testing.T, s *store.Store) {
	ctx := t.Context()
	bump := func(tx throttle.UsageTx, partnerID string) error {
		usage, err := tx.Usage(ctx, partnerID)
		if err != nil {
			return err
		}
		usage.Tat += time.Microsecond
		usage.Generation += 2
		usage.Leased += 3
		usage.LeasedBefore += 4
		return tx.SetUsage(ctx, partnerID, usage)
	}
	const workers, rounds = 8, 10
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for range rounds {
				if err := s.Rates().Write(ctx, func(tx throttle.UsageTx) error { return bump(tx, partnerID) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	undone := s.Rates().Write(ctx, func(tx throttle.UsageTx) error { return errors.Join(bump(tx, partnerID), errWanted) })
	if !errors.Is(undone, errWanted) {
		t.Errorf("got %v, want the error of the function", undone)
	}
	const n = workers * rounds
	for id, want := range map[string]throttle.Usage{
		partnerID:      {Tat: n * time.Microsecond, Generation: 2 * n, Leased: 3 * n, LeasedBefore: 4 * n},
		"par_00000002": {},
	} {
		must(t, s.Rates().Write(ctx, func(tx throttle.UsageTx) error {
			if got, err := tx.Usage(ctx, id); err != nil || got != want {
				t.Errorf("%s: got %+v (%v), want %+v", id, got, err, want)
			}
			return nil
		}))
	}
}
