package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/order"
)

const (
	// warmFor bounds how long a command is warmed before it is queued.
	warmFor = 200 * time.Millisecond
	// warmTogether is how many look-ups of a large command one connection makes.
	warmTogether = 16
)

// orderStore is the store as the order room sees it.
type orderStore struct {
	view[order.Reader, order.Writer]
	warmth  *db.Warmth  // nil if the engine needs none
	grouped *orderReads // nil if reads are not grouped
}

// Cold reports whether Warm is worth its cost.
func (s orderStore) Cold() bool { return s.warmth.Cold() }

func lookups(needs *order.Needs) int {
	return len(needs.Receipts) + len(needs.References) + len(needs.Orders) + len(needs.Products) + len(needs.Proofs)
}

// Warm reads what a command will look up, so that Load finds it in memory: what lies at
// random places, which are keys, references, and orders. It does not wait longer than warmFor.
func (s orderStore) Warm(ctx context.Context, needs *order.Needs) {
	ctx, cancel := context.WithTimeout(ctx, warmFor)
	defer cancel()
	random := order.Needs{Receipts: needs.Receipts, References: needs.References, Orders: needs.Orders}
	if count := lookups(&random); count <= warmTogether {
		s.look(ctx, &random)
		return
	}
	var all sync.WaitGroup
	for _, part := range partsOf(&random) {
		all.Go(func() { s.look(ctx, part) })
	}
	all.Wait()
}

func partsOf(needs *order.Needs) (parts []*order.Needs) {
	for some := range slices.Chunk(needs.Receipts, warmTogether) {
		parts = append(parts, &order.Needs{Receipts: some})
	}
	for some := range slices.Chunk(needs.References, warmTogether) {
		parts = append(parts, &order.Needs{References: some})
	}
	for some := range slices.Chunk(needs.Orders, warmTogether) {
		parts = append(parts, &order.Needs{Orders: some})
	}
	return parts
}

func (s orderStore) look(ctx context.Context, needs *order.Needs) {
	s.warmth.Look(ctx, lookups(needs), func(c db.Conn) error {
		_, err := readState(ctx, c, needs, false)
		return err
	})
}
