package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/jackc/pgx/v5"
)

// TestGroupBlockedByAnotherTransaction locks rows in another program that a group of orders
// needs. It is refused without another run.
func TestGroupBlockedByAnotherTransaction(t *testing.T) {
	t.Parallel()
	url := store.MigratedPostgres(t)
	s, err := store.OpenPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(other.Close(context.Background()), s.Close()) })
	for _, sql := range []string{"BEGIN", "LOCK TABLE webhook_endpoints"} {
		if _, err := other.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	group := func(tx order.Writer) error {
		_, err := tx.LockQueues(t.Context(), []string{"par_a"}, nil)
		return err
	}
	if err := s.Orders().Write(t.Context(), group); !errors.Is(err, refusal.ErrBlocked) || s.Stats().Retries != 0 {
		t.Errorf("a group of orders: got %v after %d retries, want ErrBlocked without one", err, s.Stats().Retries)
	}
	if s.Down() {
		t.Error("the database counts as down because of a lock")
	}
}
