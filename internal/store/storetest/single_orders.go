package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// testSingleOrders reads single orders while they are being created: every read finds
// what was committed before it began, whatever else the reads beside it ask for.
func testSingleOrders(t *testing.T, s *store.Store) {
	const writers, each, readers = 4, 8, 4
	orders := s.Orders()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				at := testkit.Epoch.Add(time.Duration(w*each+i) * time.Second)
				o := newOrder(t, fmt.Sprintf("S-%d-%d", w, i), at)
				if err := save(t.Context(), s, creation(o, byte(1+w*each+i))); err != nil {
					t.Errorf("save: %v", err)
					return
				}
				var reads sync.WaitGroup
				for range readers {
					reads.Go(func() {
						if got, err := orders.Order(t.Context(), partnerID, o.OrderID); err != nil || got == nil ||
							got.OrderID != o.OrderID || got.PartnerOrderID != o.PartnerOrderID {
							t.Errorf("order %s: got %+v, %v", o.OrderID, got, err)
						}
					})
				}
				reads.Go(func() {
					if got, err := orders.Order(t.Context(), partnerID, "ord_none"); got != nil || err != nil {
						t.Errorf("missing order: got %+v, %v, want nil", got, err)
					}
				})
				reads.Go(func() {
					if _, err := orders.Order(cancelled, partnerID, o.OrderID); !errors.Is(err, context.Canceled) {
						t.Errorf("cancelled caller: got %v, want context.Canceled", err)
					}
				})
				reads.Wait()
			}
		})
	}
	all.Wait()
}
