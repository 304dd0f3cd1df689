package apptest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/store"
)

// MendBoard brings the dispatch board into agreement with the orders, as services
// do when they start and every hour, and returns how many rows it changed. Nodes
// of a release without a board do not maintain it.
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
