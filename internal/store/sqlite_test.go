package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/store/storetest"
)

func openSQLite(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.OpenSQLite(t.Context(), store.MigratedSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openSQLite)
}

// TestDisagreeingBoard: dropyard doctor finds damage of the board.
func TestDisagreeingBoard(t *testing.T) {
	t.Parallel()
	storetest.DisagreeingBoard(t, openSQLite(t))
}

// TestEndedContextIsCanceled: a caller who has gone away gets context.Canceled, at
// whatever step of the transaction the context ends.
func TestEndedContextIsCanceled(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()

	for range 50 { // sometimes a connection is lent before the end is noticed, sometimes not
		if err := s.Operators().Read(gone, func(operator.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("read: got %v, want context.Canceled", err)
		}
		if err := s.Operators().Write(gone, func(operator.Writer) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("write: got %v, want context.Canceled", err)
		}
	}
}
