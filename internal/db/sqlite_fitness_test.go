package db

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// logged collects the lines of a log.
type logged struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.lines.String(), text)
}

// openLogged opens a database whose store logs to the returned log.
func openLogged(t *testing.T, path string) (*Database, *logged) {
	t.Helper()
	s, err := openSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	log := &logged{}
	s.guard().engine.(*sqliteEngine).fitness.log = slog.New(slog.NewTextHandler(log, nil))
	return s, log
}

// TestNothingIsAcknowledgedWithoutFiles removes or replaces a file of an open
// database: writes are refused until it is back.
func TestNothingIsAcknowledgedWithoutFiles(t *testing.T) {
	t.Parallel()
	away := func(name string) func(t *testing.T, dir string) (back func()) {
		return func(t *testing.T, dir string) func() {
			from, to := filepath.Join(dir, name), filepath.Join(dir, name+".away")
			must(t, os.Rename(from, to))
			return func() { must(t, os.Rename(to, from)) }
		}
	}
	for name, harm := range map[string]func(t *testing.T, dir string) (back func()){
		"database gone": away("data/dropyard.db"),
		"log gone":      away("data/dropyard.db-wal"),
		"index gone":    away("data/dropyard.db-shm"),
		"directory":     away("data"),
		"replaced": func(t *testing.T, dir string) func() {
			back := away("data/dropyard.db")(t, dir)
			must(t, os.WriteFile(filepath.Join(dir, "data/dropyard.db"), nil, 0o600))
			return back
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
			s, log := openLogged(t, filepath.Join(dir, "data", "dropyard.db"))
			must(t, s.SetSetting(t.Context(), "name", "before"))
			must(t, s.Unfit())
			back := harm(t, dir)
			for range 3 {
				if err := s.SetSetting(t.Context(), "name", "meanwhile"); !errors.Is(err, ErrUnfit) {
					t.Errorf("write: got %v, want ErrUnfit", err)
				}
				if s.Unfit() == nil {
					t.Error("Unfit: got nil, want a reason")
				}
			}
			if got := log.count("level=ERROR"); got != 1 {
				t.Errorf("got %d errors in the log, want 1", got)
			}
			back()
			must(t, s.SetSetting(t.Context(), "name", "after"))
			must(t, s.Unfit())
		})
	}
}

// TestNothingIsWrittenAfterDamage overwrites a table's pages in the file of an open
// database. As soon as a transaction meets them, nothing is written any more.
func TestNothingIsWrittenAfterDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dropyard.db")
	first, err := openSQLite(t.Context(), path)
	must(t, err)
	must(t, first.SetSetting(t.Context(), "name", "before"))
	must(t, first.Close()) // everything is in the file now
	s, log := openLogged(t, path)
	must(t, s.SetSetting(t.Context(), "name", "open"))
	info, err := os.Stat(path)
	must(t, err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	t.Cleanup(func() { _ = file.Close() }) // not earlier: closing it drops SQLite's locks
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, int(info.Size())-4096), 4096); err != nil {
		t.Fatal(err)
	}
	if err := s.engine.read(t.Context(), func(c Conn) error { return readEverything(t.Context(), c) }); !isDamage(err) {
		t.Fatalf("read: got %v, want the damage that SQLite finds", err)
	}
	for range 2 {
		if err := s.SetSetting(t.Context(), "name", "after"); !errors.Is(err, ErrUnfit) || !isDamage(err) {
			t.Errorf("write: got %v, want ErrUnfit and the damage", err)
		}
	}
	if err := s.Unfit(); !isDamage(err) {
		t.Errorf("Unfit: got %v, want the damage", err)
	}
	if got := log.count("the database is damaged"); got != 1 {
		t.Errorf("got %d lines in the log, want 1", got)
	}
}

func readEverything(ctx context.Context, c Conn) error {
	for _, table := range []string{"orders", "partners", "events", "products"} {
		if err := c.Query(ctx, "SELECT count(*) FROM "+table, nil, func(Row) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
