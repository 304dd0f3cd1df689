package store

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestDamageConcernsItsReadersOnly: orders are read beside one that is damaged.
func TestDamageConcernsItsReadersOnly(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			for i := range 2 {
				n := strconv.Itoa(i)
				o := testkit.Order("par_1", "ord_"+n, "A-"+n, testkit.Epoch.Add(time.Duration(i)*time.Second))
				if err := s.Orders().Write(t.Context(), func(tx order.Writer) error {
					return order.Apply(t.Context(), tx,
						&order.Changes{Created: []order.Creation{{Order: o, Document: record.Encode(o)}}})
				}); err != nil {
					t.Fatal(err)
				}
			}
			change(t, s, "UPDATE orders SET courier = '{' WHERE order_id = 'ord_1'")
			var readers sync.WaitGroup
			for range 32 {
				readers.Go(func() {
					if o, err := s.Orders().Order(t.Context(), "par_1", "ord_0"); err != nil || o == nil || o.OrderID != "ord_0" {
						t.Errorf("ord_0: got %v, %v, want the order", o, err)
					}
				})
				readers.Go(func() {
					var damage *delivery.DamagedError
					if o, err := s.Orders().Order(t.Context(), "par_1", "ord_1"); !errors.As(err, &damage) ||
						damage.OrderID != "ord_1" {
						t.Errorf("ord_1: got %v, %v, want its damage", o, err)
					}
					if o, err := s.Orders().Stored(t.Context(), "par_1", "ord_1"); !errors.As(err, &damage) || o != nil {
						t.Errorf("ord_1 as it is stored: got %v, %v, want its damage", o, err)
					}
				})
			}
			readers.Wait()
		})
	}
}
