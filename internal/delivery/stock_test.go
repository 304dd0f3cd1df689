package delivery_test

import (
	"cmp"
	"slices"
	"strconv"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func TestAllocate(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		levels := drawLevels(t)
		before := slices.Clone(levels)
		wanted := rapid.Int64Range(0, 40).Draw(t, "wanted")
		takes, enough := delivery.Allocate(levels, 7, wanted)

		held := map[string]int64{}
		var all, most int64
		for _, level := range levels {
			held[level.Location] = level.Quantity
			all += level.Quantity
			most = max(most, level.Quantity)
		}
		var taken int64
		for _, take := range takes {
			if take.ProductID != 7 || take.Quantity < 1 || take.Quantity > held[take.Location] {
				t.Fatalf("got %+v from %+v, want at most what the location holds, once", take, levels)
			}
			held[take.Location] = 0 // so that a second take from it fails
			taken += take.Quantity
		}
		switch {
		case enough != (all >= wanted):
			t.Fatalf("%d of %d: got enough = %v", wanted, all, enough)
		case enough && taken != wanted:
			t.Fatalf("got %d taken, want %d", taken, wanted)
		case wanted > 0 && wanted <= most && len(takes) != 1:
			t.Fatalf("%d where one location holds %d: got %+v, want one location", wanted, most, takes)
		case !slices.Equal(levels, before):
			t.Fatalf("got levels %+v, want them unchanged: %+v", levels, before)
		}
		checkFewest(t, levels, wanted, len(takes), enough)

		slices.Reverse(levels)
		if again, _ := delivery.Allocate(levels, 7, wanted); !slices.Equal(again, takes) {
			t.Fatalf("levels in reverse order: got %+v, want %+v", again, takes)
		}
	})
}

// checkFewest checks that fewer locations would not have been enough.
func checkFewest(t *rapid.T, levels []delivery.Level, wanted int64, used int, enough bool) {
	sorted := slices.SortedFunc(slices.Values(levels),
		func(a, b delivery.Level) int { return cmp.Compare(b.Quantity, a.Quantity) })
	var sum int64
	for _, level := range sorted[:max(0, used-1)] {
		sum += level.Quantity
	}
	if enough && used > 0 && sum >= wanted {
		t.Fatalf("%d of %+v: got %d locations, want fewer", wanted, levels, used)
	}
}

func drawLevels(t *rapid.T) (levels []delivery.Level) {
	for i := range rapid.IntRange(0, 5).Draw(t, "locations") {
		levels = append(levels, delivery.Level{
			ProductID: 7, Location: strconv.Itoa(i), Quantity: rapid.Int64Range(0, 12).Draw(t, "level"),
		})
	}
	return levels
}

func TestAllocateTakesFromTheFullest(t *testing.T) {
	t.Parallel()
	levels := []delivery.Level{{7, "B", 5}, {7, "A", 5}, {7, "C", 9}, {7, "D", 0}}
	for wanted, want := range map[int64][]delivery.Take{
		0:  nil,
		3:  {{7, "C", 3}},
		9:  {{7, "C", 9}},
		10: {{7, "C", 9}, {7, "A", 1}},
		19: {{7, "C", 9}, {7, "A", 5}, {7, "B", 5}},
	} {
		if takes, enough := delivery.Allocate(levels, 7, wanted); !enough || !slices.Equal(takes, want) {
			t.Errorf("%d: got %+v, %v, want %+v", wanted, takes, enough, want)
		}
	}
	if _, enough := delivery.Allocate(levels, 7, 20); enough {
		t.Error("20 of 19: got enough, want too little")
	}
}

func TestProductAvailability(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		product        delivery.Product
		low, available bool
	}{
		{delivery.Product{Status: delivery.ProductActive, Quantity: 0, StockMin: 0}, true, false},
		{delivery.Product{Status: delivery.ProductActive, Quantity: 5, StockMin: 5}, true, true},
		{delivery.Product{Status: delivery.ProductActive, Quantity: 6, StockMin: 5}, false, true},
		{delivery.Product{Status: delivery.ProductInactive, Quantity: 6, StockMin: 5}, false, false},
	} {
		if p := want.product; p.LowStock() != want.low || p.Available() != want.available {
			t.Errorf("%+v: got low %v, available %v, want %v, %v", p, p.LowStock(), p.Available(), want.low, want.available)
		}
	}
}

func TestMovementChange(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		kind             delivery.MovementType
		quantity, change int64
	}{
		{delivery.MovementIn, 3, 3}, {delivery.MovementOut, 3, -3},
		{delivery.MovementAdjustment, 3, 3}, {delivery.MovementAdjustment, -3, -3},
		{delivery.MovementTransfer, 3, 3}, {delivery.MovementTransfer, -3, -3},
	} {
		if got := (delivery.Movement{Type: want.kind, Quantity: want.quantity}).Change(); got != want.change {
			t.Errorf("%s of %d: got %d, want %d", want.kind, want.quantity, got, want.change)
		}
	}
}
