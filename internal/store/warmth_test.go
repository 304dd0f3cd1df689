package store

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
)

func manyNeeds(count int) *order.Needs {
	needs := &order.Needs{}
	for i := range count {
		needs.Receipts = append(needs.Receipts, idempotency.Key{PartnerID: "par_a", Scope: "POST /v1/orders", UUID: [16]byte{byte(i), byte(i >> 8)}})
		needs.References = append(needs.References, order.Reference{PartnerID: "par_a", PartnerOrderID: "A-1"})
	}
	return needs
}

// TestWarming finds a database cold by its slow look-ups, and warm by the quick ones of
// those who warm it.
func TestWarming(t *testing.T) {
	t.Parallel()
	s, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	orders := s.Orders().(order.Warmer)
	w := s.engine.warmth()
	few, many := manyNeeds(1), manyNeeds(100)
	for range 1000 {
		w.loaded(few, 20*time.Microsecond)
	}
	w.loaded(few, 10*time.Millisecond) // one that was interrupted
	if w.opening.Wait(); orders.Cold() || w.readers.opened != 0 {
		t.Errorf("got cold=%t and %d connections after quick look-ups, want a warm database", orders.Cold(), w.readers.opened)
	}
	for range 10 {
		w.loaded(many, 200*time.Millisecond)
	}
	if w.opening.Wait(); !orders.Cold() || w.readers.opened != warmers {
		t.Fatalf("got cold=%t and %d connections after slow look-ups, want %d", orders.Cold(), w.readers.opened, warmers)
	}
	before := w.cost.Load()
	orders.Warm(t.Context(), many)
	orders.Warm(t.Context(), few)
	orders.Warm(t.Context(), &order.Needs{})
	if after := w.cost.Load(); after == before {
		t.Errorf("got the same average of %d ns after look-ups, want theirs in it", after)
	}
	for range 1000 {
		w.looked(10, 100*time.Microsecond)
	}
	if orders.Cold() {
		t.Errorf("got a cold database after quick look-ups of %v, want a warm one", time.Duration(w.cost.Load()))
	}
	for range 10 {
		w.loaded(many, 200*time.Millisecond)
	}
	if !orders.Cold() {
		t.Error("got a warm database after slow look-ups, want a cold one again")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestPartsOfLargeCommands(t *testing.T) {
	t.Parallel()
	needs, found := manyNeeds(100), 0
	for _, part := range partsOf(needs) {
		if got := lookups(part); got == 0 || got > warmTogether {
			t.Errorf("got a part of %d look-ups, want at most %d", got, warmTogether)
		}
		found += lookups(part)
	}
	if found != lookups(needs) {
		t.Errorf("got %d look-ups in all parts, want %d", found, lookups(needs))
	}
}
