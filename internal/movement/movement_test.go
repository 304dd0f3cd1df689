package movement_test

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func newStock() *movement.Stock {
	return &movement.Stock{PartnerID: "par_1", LastMovement: 41, Products: map[int64]*movement.Product{
		7: {Product: delivery.Product{
			ProductID: 7, Name: "Lamp", Quantity: 5,
		}, Levels: []delivery.Level{{ProductID: 7, Location: "A", Quantity: 5}}},
		8: {Product: delivery.Product{ProductID: 8, Name: "Rug"}},
	}}
}

func TestBook(t *testing.T) {
	t.Parallel()
	l := newStock()
	got := l.Book(delivery.Movement{Type: delivery.MovementOut, ProductID: 7, Quantity: 2, Location: "A"})
	want := delivery.Movement{
		MovementID: 42, Type: delivery.MovementOut, ProductID: 7, ProductName: "Lamp", Quantity: 2, Location: "A",
	}
	if got != want || !slices.Equal(l.Booked, []delivery.Movement{want}) || l.LastMovement != 42 {
		t.Errorf("got %+v, booked %+v, last %d, want %+v", got, l.Booked, l.LastMovement, want)
	}
	if lamp := l.Products[7]; lamp.Quantity != 3 || lamp.Level("A") != 3 || lamp.Level("B") != 0 {
		t.Errorf("got %+v, want 3 at A", lamp)
	}
	if changed := l.Changed(); len(changed) != 1 || changed[0] != l.Products[7] {
		t.Errorf("got changed %+v, want product 7", changed)
	}
}

func TestReturnUndoesWithdraw(t *testing.T) {
	t.Parallel()
	l, at := newStock(), time.Unix(1, 0)
	allocation := []delivery.Take{{ProductID: 7, Location: "A", Quantity: 4}}
	l.Withdraw(allocation, "ord_1", at)
	l.Return(allocation, "ord_1", at)
	if lamp := l.Products[7]; lamp.Quantity != 5 || lamp.Level("A") != 5 {
		t.Errorf("got %+v, want 5 at A as before", lamp)
	}
	for i, kind := range []delivery.MovementType{delivery.MovementOut, delivery.MovementIn} {
		if m := l.Booked[i]; m.Type != kind || m.OrderID != "ord_1" || m.Quantity != 4 || !m.At.Equal(at) {
			t.Errorf("got movement %+v, want %s of 4 for ord_1", m, kind)
		}
	}
}

// TestLevelsAreTheSumOfMovements holds the one law of the stock.
func TestLevelsAreTheSumOfMovements(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		l := &movement.Stock{Products: map[int64]*movement.Product{
			1: {Product: delivery.Product{ProductID: 1}}, 2: {Product: delivery.Product{ProductID: 2}},
		}}
		for range rapid.IntRange(0, 20).Draw(t, "movements") {
			l.Book(delivery.Movement{
				Type: rapid.SampledFrom([]delivery.MovementType{
					delivery.MovementIn, delivery.MovementOut, delivery.MovementAdjustment,
				}).Draw(t, "type"),
				ProductID: rapid.Int64Range(1, 2).Draw(t, "product"), Quantity: rapid.Int64Range(1, 9).Draw(t, "quantity"),
				Location: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "location"),
			})
		}
		for id, product := range l.Products {
			sums, total := map[string]int64{}, int64(0)
			for _, m := range l.Booked {
				if m.ProductID == id {
					sums[m.Location] += m.Change()
					total += m.Change()
				}
			}
			if product.Quantity != total || product.Level("A") != sums["A"] || product.Level("B") != sums["B"] {
				t.Fatalf("got %+v, want %v in all %d", product, sums, total)
			}
		}
		for i, m := range l.Booked {
			if m.MovementID != int64(i+1) {
				t.Fatalf("got movement id %d, want %d", m.MovementID, i+1)
			}
		}
	})
}
