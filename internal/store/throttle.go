package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// rateRow is a partner's stock. Its Tat is in tatMicros instead.
type rateRow struct {
	partnerID string
	tatMicros int64
	throttle.Usage
}

var (
	rateLeases = db.NewTable("rate_leases",
		db.Key(db.Text("partner_id", func(l *rateRow) *string { return &l.partnerID })),
		db.Integer("tat", func(l *rateRow) *int64 { return &l.tatMicros }),
		db.Integer("generation", func(l *rateRow) *int64 { return &l.Generation }),
		db.Integer("leased", func(l *rateRow) *int64 { return &l.Leased }),
		db.Integer("leased_before", func(l *rateRow) *int64 { return &l.LeasedBefore }),
	)
	addRates  = rateLeases.Insert()
	saveRates = rateLeases.Update()
	lockRates = db.LockBy(db.ByID("partner_id"), rateLeases)
)

// Rates is the store of the rates that nodes share.
func (s *Store) Rates() throttle.UsageStore {
	usages := func(c db.Conn) throttle.UsageTx { return rateTx{c} }
	return unattended[throttle.UsageTx, throttle.UsageTx]{
		view[throttle.UsageTx, throttle.UsageTx]{s.Database, usages, usages},
	}
}

// rateTx is a transaction on stocks.
type rateTx struct{ conn db.Conn }

// Usage returns a partner's stock, locked until the transaction ends. A
// partner that has none gets an empty one.
func (tx rateTx) Usage(ctx context.Context, partnerID string) (throttle.Usage, error) {
	row, err := db.FindOne(ctx, tx.conn, lockRates, partnerID)
	if err == nil && row == nil {
		row, err = tx.begin(ctx, partnerID)
	}
	if err != nil {
		return throttle.Usage{}, err
	}
	row.Tat = time.Duration(row.tatMicros) * time.Microsecond
	return row.Usage, nil
}

// begin adds a partner's stock. Another node may add it at the same moment. The
// insert then waits for that node, and the look-up finds what it has written.
func (tx rateTx) begin(ctx context.Context, partnerID string) (*rateRow, error) {
	if _, err := db.WriteNow(ctx, tx.conn, addRates, &rateRow{partnerID: partnerID}); err != nil {
		return nil, err
	}
	return db.FindOne(ctx, tx.conn, lockRates, partnerID)
}

// SetUsage writes a stock that the same transaction has read.
func (tx rateTx) SetUsage(ctx context.Context, partnerID string, usage throttle.Usage) error {
	_, err := db.WriteNow(ctx, tx.conn, saveRates, &rateRow{partnerID, usage.Tat.Microseconds(), usage})
	return err
}
