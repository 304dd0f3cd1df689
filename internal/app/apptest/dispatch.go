package apptest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/store"
)

// MendBoard makes the dispatch board agree with the orders, as services do at
// their start and hourly. Nodes of a release that knows no board leave it behind.
func (s *Service) MendBoard(t testing.TB) (mended int) {
	t.Helper()
	ctx := context.Background()
	if err := s.InStore(ctx, func(db *store.Store) (err error) {
		mended, err = dispatch.NewService(dispatch.Config{Store: db.Dispatch(), Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler)}).Repair(ctx)
		return err
	}); err != nil {
		t.Error(err)
	}
	return mended
}
