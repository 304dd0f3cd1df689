package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/store/storetest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

func TestMain(m *testing.M) {
	if settings := os.Getenv(writesVariable); settings != "" {
		slog.SetDefault(slog.New(slog.DiscardHandler)) // only numbers are printed
		var writes int
		var path string
		_, err := fmt.Sscan(settings, &writes, &path)
		if err == nil {
			err = writeSettings(context.Background(), path, writes, os.Stderr)
		}
		if err != nil {
			panic(err)
		}
		return
	}
	testkit.Main(m)
}

func openPostgres(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.OpenPostgres(t.Context(), store.MigratedPostgres(t))
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

// TestPostgres waits for locks however slow the machine is: what waits in a circle is found
// by the database. TestBoundsOfTransactions checks for how long the service waits.
func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) *store.Store {
		t.Helper()
		patient := fmt.Sprintf("%s&lock_timeout=%d", store.MigratedPostgres(t), repeatable.Hang.Milliseconds())
		return testkit.Closing[*store.Store](t)(store.OpenPostgres(t.Context(), patient))
	})
}
