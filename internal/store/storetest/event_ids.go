package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// testEventIDs adds events of one partner on several nodes whose clocks differ by 45
// seconds, while a follower reads on behind the last id that it has seen. It must see all.
func testEventIDs(t *testing.T, s *store.Store) {
	const nodes, each = 3, 10
	ctx := t.Context()
	var writers sync.WaitGroup
	var mu sync.Mutex
	var failed error // guarded by mu
	for node := range nodes {
		writers.Go(func() {
			for i := range each {
				added := event(t, partnerID, 45*node+i, int64(node*each+i+1))
				err := s.Orders().Write(ctx, func(tx order.Writer) error {
					return order.Apply(ctx, tx, &order.Changes{Events: []*delivery.Event{added}})
				})
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		writers.Wait()
		close(ended)
	}()
	seen, last := map[string]bool{}, "0"
	for more := true; more; {
		select {
		case <-ended:
			more = false // after one more look
		default:
		}
		must(t, s.Webhooks().Read(ctx, func(tx webhook.Reader) error { return follow(ctx, tx, &last, seen) }))
	}
	must(t, failed)
	if len(seen) != nodes*each {
		t.Errorf("got %d events behind the last id, want %d", len(seen), nodes*each)
	}
}

// follow reads on behind the last id.
func follow(ctx context.Context, tx webhook.Reader, last *string, seen map[string]bool) error {
	found, err := tx.Events(ctx, webhook.Filter{PartnerID: partnerID, After: *last, Limit: 100})
	for _, e := range found {
		seen[e.EventID], *last = true, e.EventID
	}
	return err
}
