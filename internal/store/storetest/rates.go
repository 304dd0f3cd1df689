package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/store"
)

// testLedgers changes ledgers from many places at once, the first time too: no
// change may be lost.
func testLedgers(t *testing.T, s *store.Store) {
	ctx := t.Context()
	bump := func(tx throttle.LedgerTx, partnerID string) error {
		ledger, err := tx.Ledger(ctx, partnerID)
		if err != nil {
			return err
		}
		ledger.Tat += time.Microsecond
		ledger.Generation += 2
		ledger.Leased += 3
		ledger.LeasedBefore += 4
		return tx.SetLedger(ctx, partnerID, ledger)
	}
	const workers, rounds = 8, 10
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for range rounds {
				if err := s.Rates().Write(ctx, func(tx throttle.LedgerTx) error { return bump(tx, partnerID) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	undone := s.Rates().Write(ctx, func(tx throttle.LedgerTx) error { return errors.Join(bump(tx, partnerID), errWanted) })
	if !errors.Is(undone, errWanted) {
		t.Errorf("got %v, want the error of the function", undone)
	}
	const n = workers * rounds
	for id, want := range map[string]throttle.Ledger{
		partnerID:      {Tat: n * time.Microsecond, Generation: 2 * n, Leased: 3 * n, LeasedBefore: 4 * n},
		"par_00000002": {},
	} {
		must(t, s.Rates().Write(ctx, func(tx throttle.LedgerTx) error {
			if got, err := tx.Ledger(ctx, id); err != nil || got != want {
				t.Errorf("%s: got %+v (%v), want %+v", id, got, err, want)
			}
			return nil
		}))
	}
}
