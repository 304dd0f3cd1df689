package search_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/search"
)

// interruptedStore ends a context with its first transaction, which still succeeds.
type interruptedStore struct {
	search.Store
	search.Writer
	cancel  context.CancelFunc
	written [][]search.Key
}

func (s *interruptedStore) Write(_ context.Context, fn func(search.Writer) error) error { return fn(s) }

func (s *interruptedStore) Fill(_ context.Context, keys []search.Key) error {
	s.written = append(s.written, keys)
	s.cancel()
	return nil
}

// TestFillPauses ends a context during the first of many transactions: the pause after it ends, too, and the rest is
// not written. Without pauses creations would wait for all of them.
func TestFillPauses(t *testing.T) {
	t.Parallel()
	for _, orders := range []int{1, 1000} {
		ctx, cancel := context.WithCancel(t.Context())
		store := &interruptedStore{cancel: cancel}
		filler := search.NewFiller(search.Config{Store: store})
		for n := range orders {
			filler.Committed(search.Key{PartnerID: "p", OrderID: fmt.Sprint(n)})
		}
		err := filler.Fill(ctx)
		cancelled := errors.Is(err, context.Canceled)
		if cancelled != (orders > 1) || err != nil && !cancelled || len(store.written) != 1 || len(store.written[0]) > 100 {
			t.Errorf("%d orders: got %v after %d transactions, want one of at most 100, and a pause before the next", orders, err,
				len(store.written))
		}
		if orders > 1 {
			if filler.Fill(t.Context()) != nil || len(store.written) < 10 {
				t.Errorf("got %d transactions, want the rest written", len(store.written))
			}
		}
	}
}
