package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/report"
)

// Reports is the store as the report room sees it.
func (s *Store) Reports() report.Store { return reportStore{s.Database} }

// reportStore only reads.
type reportStore struct{ database *db.Database }

// Read runs fn on a consistent view of the data.
func (s reportStore) Read(ctx context.Context, fn func(report.Reader) error) error {
	return s.database.Read(ctx, func(c db.Conn) error { return fn(reportTx{c}) })
}

// reportTx is a transaction of the report room.
type reportTx struct{ conn db.Conn }

// Figures returns the sums by day, and by courier if the filter asks for that.
func (tx reportTx) Figures(ctx context.Context, filter figures.Filter) ([]*figures.Row, error) {
	return sumFigures(ctx, tx.conn, filter)
}

// CourierNames returns the names of couriers by their ids, active or not.
func (tx reportTx) CourierNames(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := couriersByID(ctx, tx.conn, ids)
	names := make(map[string]string, len(found))
	for id, courier := range found {
		names[id] = courier.Name
	}
	return names, err
}
