package movement_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// announced returns the events that a stock announces in words.
func announced(l *movement.Stock) (events []string) {
	for _, event := range l.Announce() {
		s := event.Facts.Stock
		text := fmt.Sprintf("%s of %d", event.Type, s.Total)
		if event.Type == delivery.EventStockChanged {
			text = fmt.Sprintf("%s by %d to %d at %s of %d", event.Type, s.Change, s.Quantity, s.Location, s.Total)
		}
		events = append(events, text)
	}
	return events
}

func TestAnnounce(t *testing.T) {
	t.Parallel()
	at := time.Unix(1, 0).UTC()
	book := func(kind delivery.MovementType, quantity int64, location string) func(*movement.Stock) {
		return func(l *movement.Stock) {
			l.Book(delivery.Movement{Type: kind, ProductID: 7, Quantity: quantity, Location: location, At: at})
		}
	}
	describe := func(change func(*delivery.Product)) func(*movement.Stock) {
		return func(l *movement.Stock) {
			p := l.Products[7].Product
			change(&p)
			l.Describe(p, at)
		}
	}
	minimum := func(least int64) func(*movement.Stock) {
		return describe(func(p *delivery.Product) { p.StockMin = least })
	}
	status := func(to delivery.ProductStatus) func(*movement.Stock) {
		return describe(func(p *delivery.Product) { p.Status = to })
	}
	out, in := delivery.MovementOut, delivery.MovementIn
	type acts [][]func(*movement.Stock)
	for name, test := range map[string]struct {
		traced bool
		acts   acts
		want   []string
	}{
		"above":            {acts: acts{{book(out, 2, "A")}}},
		"to the threshold": {acts: acts{{book(out, 3, "A")}}, want: []string{"stock.low of 2"}},
		"stays low":        {acts: acts{{book(out, 3, "A")}, {book(out, 1, "A")}}, want: []string{"stock.low of 2"}},
		"rises and falls": {
			acts: acts{{book(out, 3, "A")}, {book(in, 1, "B")}, {book(out, 1, "B")}},
			want: []string{"stock.low of 2", "stock.low of 2"},
		},
		"a transfer": {acts: acts{{
			book(delivery.MovementTransfer, -4, "A"), book(delivery.MovementTransfer, 4, "B"),
		}}},
		"low before and after an act": {
			acts: acts{{book(out, 3, "A")}, {book(in, 3, "A"), book(out, 3, "A")}}, want: []string{"stock.low of 2"},
		},
		"a greater minimum": {acts: acts{{minimum(5)}}, want: []string{"stock.low of 5"}},
		"a minimum below":   {acts: acts{{minimum(4)}}},
		"inactive":          {acts: acts{{status(delivery.ProductInactive)}, {book(out, 5, "A")}}},
		"active again": {
			acts: acts{{status("inactive")}, {minimum(9)}, {status("active")}}, want: []string{"stock.low of 5"},
		},
		"traced": {
			traced: true, acts: acts{{book(out, 1, "A"), book(in, 4, "B")}, {book(out, 3, "A"), book(out, 4, "B")}},
			want: []string{
				"stock.changed by -1 to 4 at A of 4", "stock.changed by 4 to 4 at B of 8",
				"stock.changed by -3 to 1 at A of 5", "stock.changed by -4 to 0 at B of 1", "stock.low of 1",
			},
		},
	} {
		l := newStock()
		l.Traced = test.traced
		l.Products[7].StockMin, l.Products[7].Status = 2, delivery.ProductActive
		var got []string
		for _, act := range test.acts {
			for _, change := range act {
				change(l)
			}
			got = append(got, announced(l)...)
		}
		if !slices.Equal(got, test.want) || len(announced(l)) > 0 {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestAnnounceFollowsLevels: whatever is booked, and however it is divided into acts, the quantities
// of the events are those after each movement, and a product becomes low as often as it is low behind
// an act and was not in front of it.
func TestAnnounceFollowsLevels(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		l := newStock()
		l.Traced = true
		lamp := l.Products[7]
		lamp.StockMin, lamp.Status = 4, delivery.ProductActive
		for range rapid.IntRange(1, 5).Draw(t, "acts") {
			before := lamp.IsLow()
			var want []string
			for range rapid.IntRange(0, 3).Draw(t, "movements") {
				location := rapid.SampledFrom([]string{"A", "B"}).Draw(t, "location")
				quantity := rapid.Int64Range(-3, 5).Draw(t, "quantity")
				l.Book(delivery.Movement{
					Type: delivery.MovementAdjustment, ProductID: 7, Quantity: quantity, Location: location,
				})
				want = append(want, fmt.Sprintf("stock.changed by %d to %d at %s of %d", quantity, lamp.Level(location), location,
					lamp.Quantity))
			}
			if lamp.IsLow() && !before {
				want = append(want, fmt.Sprintf("stock.low of %d", lamp.Quantity))
			}
			if got := announced(l); !slices.Equal(got, want) {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
	})
}
