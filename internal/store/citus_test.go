package store_test

import (
	"context"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/store/storetest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// openCitus opens a store whose tables are distributed.
func openCitus(t *testing.T) *store.Store {
	t.Helper()
	url := testkit.CitusURL(t)
	s, err := store.OpenPostgres(t.Context(), url)
	if err == nil {
		_, err = db.Distribute(t.Context(), url, 4)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Only what is opened now knows of it.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = store.OpenPostgres(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if !s.Sharded() {
		t.Fatal("the store has not noticed")
	}
	return s
}

func TestCitus(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openCitus)
}
