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
		needs.Receipts = append(needs.Receipts,
			idempotency.Key{PartnerID: "par_a", Scope: "POST /v1/orders", UUID: [16]byte{byte(i), byte(i >> 8)}})
		needs.References = append(needs.References, order.Reference{PartnerID: "par_a", PartnerOrderID: "A-1"})
	}
	return needs
}

// TestWarmingOfCommands warms what small, large and empty commands look up, in a database
// that is cold.
func TestWarmingOfCommands(t *testing.T) {
	t.Parallel()
	s, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	orders, many := s.Orders().(order.Warmer), manyNeeds(100)
	for !orders.Cold() {
		s.Warmth().Loaded(lookups(many), 200*time.Millisecond)
	}
	orders.Warm(t.Context(), many)
	orders.Warm(t.Context(), manyNeeds(1))
	orders.Warm(t.Context(), &order.Needs{})
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
