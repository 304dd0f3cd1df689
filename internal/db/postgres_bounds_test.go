package db

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/jackc/pgx/v5"
)

// beside opens a store with parameters in its URL, and a connection of another program to
// the same database.
func beside(t *testing.T, parameters ...string) (*Database, *pgx.Conn) {
	t.Helper()
	where, err := url.Parse(opener.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), where.String())
	if err != nil {
		t.Fatal(err)
	}
	query := where.Query()
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	where.RawQuery = query.Encode()
	s, err := openPostgres(t.Context(), where.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(other.Close(context.Background()), s.Close()) })
	return s, other
}

func doOn(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestBoundsOfTransactions reads the bounds that the server applies.
func TestBoundsOfTransactions(t *testing.T) {
	t.Parallel()
	s, _ := beside(t)
	for _, test := range []struct {
		kind string
		run  func(context.Context, func(Conn) error) error
		want map[string]string
	}{
		{"writes", s.engine.write, map[string]string{idleSetting: "2s", "lock_timeout": "300ms", "statement_timeout": "25s"}},
		{"reads, and may wait for its caller", s.engine.read, map[string]string{idleSetting: "1min"}},
		{"copies", s.engine.hold, map[string]string{idleSetting: "1h"}},
	} {
		for name, want := range test.want {
			var got string
			err := test.run(t.Context(), func(c Conn) error {
				return c.Query(t.Context(), "SELECT current_setting($1)", []any{name}, func(r Row) error { return r.Scan(&got) })
			})
			if err != nil || got != want {
				t.Errorf("%s of a transaction that %s: got %s, %v, want %s", name, test.kind, got, err, want)
			}
		}
	}
}

// TestBlockedByAnotherTransaction locks rows in another program until all has been refused
// that needs them.
func TestBlockedByAnotherTransaction(t *testing.T) {
	t.Parallel()
	s, other := beside(t)
	change := func() error { return s.SetSetting(t.Context(), "color", "blue") }
	if err := change(); err != nil {
		t.Fatal(err)
	}
	doOn(t, other, "BEGIN")
	doOn(t, other, "SELECT * FROM settings FOR UPDATE")
	err := change()
	if !errors.Is(err, refusal.ErrBlocked) || errors.Is(err, refusal.ErrUnreachable) {
		t.Errorf("a change: got %v, want ErrBlocked", err)
	}
	if got := s.Stats().Retries; got != maxTries {
		t.Errorf("got %d runs of the change, want %d: the lock may be gone", got, maxTries)
	}
	if s.Down() {
		t.Error("the database counts as down because of a lock")
	}
	doOn(t, other, "ROLLBACK")
	if err := change(); err != nil {
		t.Errorf("got %v after the other transaction, want no error", err)
	}
}

// TestFrozenTransactionEnds holds a transaction still until the server ends it, as that of
// a frozen node. Its locks are free then, and what it wrote is undone. When it goes on, it
// runs again, and is committed once.
func TestFrozenTransactionEnds(t *testing.T) {
	t.Parallel()
	s, other := beside(t, idleSetting, "500")
	runs := 0
	err := s.engine.write(t.Context(), func(c Conn) error {
		runs++
		if _, err := SettingsIn(c).Add(t.Context(), "frozen", "yes"); err != nil {
			return err
		}
		if runs == 1 {
			// It waits for the transaction, which it outlives.
			doOn(t, other, "INSERT INTO settings (name, value) VALUES ('frozen', 'no')")
			doOn(t, other, "DELETE FROM settings WHERE name = 'frozen'")
		}
		_, err := SettingsIn(c).Get(t.Context(), "frozen")
		return err
	})
	if err != nil || runs < 2 {
		t.Errorf("got %v after %d runs, want success, but not of the first", err, runs)
	}
	if value, err := s.Setting(t.Context(), "frozen"); err != nil || value != "yes" {
		t.Errorf("got %q, %v, want what the last run wrote", value, err)
	}
}
