package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/store/storetest"
)

func openSQLite(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "dropyard.db"))
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

// TestWhoHasGoneIsNoFault: wherever the end of a caller meets a transaction, it
// is told as that, and not as a fault of the database.
func TestWhoHasGoneIsNoFault(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(*store.Tx) error { return nil }
	for range 50 { // a connection is lent all the same, or not
		if err := s.Read(gone, nothing); !errors.Is(err, context.Canceled) {
			t.Errorf("read: %v", err)
		}
		if err := s.Write(gone, nothing); !errors.Is(err, context.Canceled) {
			t.Errorf("write: %v", err)
		}
	}
}
