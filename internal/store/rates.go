package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

var _ throttle.LedgerTx = (*Tx)(nil)

// Rates is the store as nodes see it that share the partners' rates.
func (s *Store) Rates() throttle.LedgerStore {
	return View[throttle.LedgerTx, throttle.LedgerTx]{s}
}

var (
	ledgerKeys   = texts("partner_id")
	ledgerValues = integers("tat", "generation", "leased", "leased_before")
	lockLedger   = newSet(lookUpLock, "rate_leases", ledgerKeys, ledgerValues)
	addLedger    = newSet(insertNew, "rate_leases", ledgerKeys, ledgerValues)
	setLedger    = newSet(update, "rate_leases", ledgerKeys, ledgerValues)
)

// Ledger reads a partner's ledger, which is locked until the transaction ends.
// A partner that has none gets one that is empty.
func (tx *Tx) Ledger(ctx context.Context, partnerID string) (throttle.Ledger, error) {
	ledger, found, err := tx.lockLedger(ctx, partnerID)
	if err != nil || found {
		return ledger, err
	}
	// Another node may add it at the same moment. Then this waits for it, and
	// what is read next is what the other one has made of it.
	if _, err = tx.conn.apply(ctx, addLedger, 1, bindLedger(partnerID, &ledger)); err == nil {
		ledger, _, err = tx.lockLedger(ctx, partnerID)
	}
	return ledger, err
}

func (tx *Tx) lockLedger(ctx context.Context, partnerID string) (ledger throttle.Ledger, found bool, err error) {
	key := func(_ int, b binder) { b.text(partnerID) }
	err = tx.conn.find(ctx, lockLedger, 1, key, func(r row) error {
		found = true
		var tat int64
		err := r.scan(&tat, &ledger.Generation, &ledger.Leased, &ledger.LeasedBefore)
		ledger.Tat = time.Duration(tat) * time.Microsecond
		return err
	})
	return ledger, found, err
}

// SetLedger writes a ledger that the same transaction has read.
func (tx *Tx) SetLedger(ctx context.Context, partnerID string, ledger throttle.Ledger) error {
	_, err := tx.conn.apply(ctx, setLedger, 1, bindLedger(partnerID, &ledger))
	return err
}

func bindLedger(partnerID string, ledger *throttle.Ledger) func(int, binder) {
	return func(_ int, b binder) {
		b.integer(ledger.Tat.Microseconds())
		b.integer(ledger.Generation)
		b.integer(ledger.Leased)
		b.integer(ledger.LeasedBefore)
		b.text(partnerID)
	}
}
