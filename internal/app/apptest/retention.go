package apptest

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
)

// Sweep removes what is older than the policy allows, by the service's clock, and
// returns what it removed. Afterwards Audit checks only the laws that still hold.
func (s *Service) Sweep(t testing.TB, policy retention.Policy) (removed retention.Removed) {
	t.Helper()
	s.swept = true
	s.Retain(t, policy, nil, func(service *retention.Service) error {
		var err error
		removed, err = service.Sweep(context.Background())
		return err
	})
	return removed
}

// Retain calls fn with a retention service that works on the same data as the
// service, which may be running. Its pictures are those of the service if pictures
// is nil.
func (s *Service) Retain(
	t testing.TB, policy retention.Policy, pictures retention.Pictures, fn func(*retention.Service) error,
) {
	t.Helper()
	if err := s.InStore(context.Background(), func(db *store.Store) error {
		if pictures == nil {
			directory, err := proof.NewDirectory(filepath.Join(s.Data, "proofs"))
			if err != nil {
				return err
			}
			pictures = directory
		}
		return fn(retention.NewService(retention.Config{
			Store: db.Retention(), Pictures: pictures, Now: s.Clock.Now, Random: Random(t), Log: slog.New(slog.DiscardHandler),
			Policy: policy,
		}))
	}); err != nil {
		t.Error(err)
	}
}
