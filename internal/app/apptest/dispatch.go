package apptest

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/store"
)

// MendBoard makes the dispatch board agree with the orders, as services do at
// their start and hourly. Nodes of a release that knows no board leave it behind.
func (s *Service) MendBoard(t testing.TB) (mended int) {
	t.Helper()
	ctx := context.Background()
	open, where := store.OpenSQLite, filepath.Join(s.Data, "dropyard.db")
	if s.Database != "" {
		open, where = store.OpenPostgres, s.Database
	}
	db, err := open(ctx, where)
	if err != nil {
		t.Fatal(err)
	}
	mended, err = dispatch.NewService(dispatch.Config{Store: db.Dispatch(), Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler)}).Repair(ctx)
	if err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return mended
}
