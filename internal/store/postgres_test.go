package store_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/store/storetest"
	"github.com/dropyard/dropyard/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func openPostgres(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.OpenPostgres(t.Context(), testkit.PostgresURL(t))
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

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openPostgres)
}
