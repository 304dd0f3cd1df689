package db

import (
	"path/filepath"
	"testing"
	"time"
)

// TestWarming finds a database cold by its slow look-ups, and warm by the quick ones of
// those who warm it.
func TestWarming(t *testing.T) {
	t.Parallel()
	s, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	w := s.Warmth()
	const few, many = 2, 200 // look-ups
	for range 1000 {
		w.Loaded(few, 20*time.Microsecond)
	}
	w.Loaded(few, 10*time.Millisecond) // one that was interrupted
	if w.opening.Wait(); w.Cold() || w.readers.opened != 0 {
		t.Errorf("got cold=%t and %d connections after quick look-ups, want a warm database", w.Cold(), w.readers.opened)
	}
	for range 10 {
		w.Loaded(many, 200*time.Millisecond)
	}
	if w.opening.Wait(); !w.Cold() || w.readers.opened != warmers {
		t.Fatalf("got cold=%t and %d connections after slow look-ups, want %d", w.Cold(), w.readers.opened, warmers)
	}
	before := w.cost.Load()
	for _, lookups := range []int{many, few, 0} {
		w.Look(t.Context(), lookups, func(c Conn) error {
			return c.Query(t.Context(), lookSQL, nil, func(Row) error { return nil })
		})
	}
	if after := w.cost.Load(); after == before {
		t.Errorf("got the same average of %d ns after look-ups, want theirs in it", after)
	}
	for range 1000 {
		w.looked(10, 100*time.Microsecond)
	}
	if w.Cold() {
		t.Errorf("got a cold database after quick look-ups of %v, want a warm one", time.Duration(w.cost.Load()))
	}
	for range 10 {
		w.Loaded(many, 200*time.Millisecond)
	}
	if !w.Cold() {
		t.Error("got a warm database after slow look-ups, want a cold one again")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
