package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// ledgerRow is a partner's ledger. Its Tat is in tatMicros instead.
type ledgerRow struct {
	partnerID string
	tatMicros int64
	throttle.Ledger
}

var (
	rateLeases = db.NewTable("rate_leases",
		db.Key(db.Text("partner_id", func(l *ledgerRow) *string { return &l.partnerID })),
		db.Integer("tat", func(l *ledgerRow) *int64 { return &l.tatMicros }),
		db.Integer("generation", func(l *ledgerRow) *int64 { return &l.Generation }),
		db.Integer("leased", func(l *ledgerRow) *int64 { return &l.Leased }),
		db.Integer("leased_before", func(l *ledgerRow) *int64 { return &l.LeasedBefore }),
	)
	addLedgers  = rateLeases.Insert()
	saveLedgers = rateLeases.Update()
	lockLedgers = db.LockBy(db.ByID("partner_id"), rateLeases)
)

// Rates is the store of the rates that nodes share.
func (s *Store) Rates() throttle.LedgerStore {
	ledgers := func(c db.Conn) throttle.LedgerTx { return ledgerTx{c} }
	return unattended[throttle.LedgerTx, throttle.LedgerTx]{view[throttle.LedgerTx, throttle.LedgerTx]{s.Database, ledgers, ledgers}}
}

// ledgerTx is a transaction on ledgers.
type ledgerTx struct{ conn db.Conn }

// Ledger returns a partner's ledger, locked until the transaction ends. A
// partner that has none gets an empty one.
func (tx ledgerTx) Ledger(ctx context.Context, partnerID string) (throttle.Ledger, error) {
	row, err := db.FindOne(ctx, tx.conn, lockLedgers, partnerID)
	if err == nil && row == nil {
		row, err = tx.begin(ctx, partnerID)
	}
	if err != nil {
		return throttle.Ledger{}, err
	}
	row.Tat = time.Duration(row.tatMicros) * time.Microsecond
	return row.Ledger, nil
}

// begin adds a partner's ledger. Another node may add it at the same moment. The
// insert then waits for that node, and the look-up finds what it has written.
func (tx ledgerTx) begin(ctx context.Context, partnerID string) (*ledgerRow, error) {
	if _, err := db.WriteNow(ctx, tx.conn, addLedgers, &ledgerRow{partnerID: partnerID}); err != nil {
		return nil, err
	}
	return db.FindOne(ctx, tx.conn, lockLedgers, partnerID)
}

// SetLedger writes a ledger that the same transaction has read.
func (tx ledgerTx) SetLedger(ctx context.Context, partnerID string, ledger throttle.Ledger) error {
	_, err := db.WriteNow(ctx, tx.conn, saveLedgers, &ledgerRow{partnerID, ledger.Tat.Microseconds(), ledger})
	return err
}
