package fair_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func TestSharesAndLimit(t *testing.T) {
	t.Parallel()
	b := fair.NewQuota(100, 40, fair.Watch{})
	for i, step := range []struct {
		taker  string
		amount int64
		want   bool
		held   int64
	}{
		{"a", 40, true, 40},
		{"a", 1, false, 40},
		{"a", 0, true, 40},
		{"b", 41, false, 40},
		{"b", 40, true, 80},
		{"c", 21, false, 80},
		{"c", 20, true, 100},
		{"d", 1, false, 100},
	} {
		if got := b.Take(step.taker, step.amount); got != step.want {
			t.Errorf("step %d: Take(%s, %d): got %t, want %t", i, step.taker, step.amount, got, step.want)
		}
		if got := b.Stats().Held; got != step.held {
			t.Errorf("step %d: got %d held, want %d", i, got, step.held)
		}
	}
	b.Return("a", 40)
	if !b.Take("d", 30) {
		t.Error("Take(d, 30) after a returned 40: got false, want true")
	}
	b.Force("d", 500)
	if b.Take("e", 1) {
		t.Error("Take(e, 1) after Force over the limit: got true, want false")
	}
	if got, want := b.Stats(), (fair.Stats{Limit: 100, Held: 590, Refused: 5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWatchReportsCrossings(t *testing.T) {
	t.Parallel()
	var got []bool
	b := fair.NewQuota(100, 100, fair.Watch{Level: 50, Crossed: func(high bool) { got = append(got, high) }})
	for _, change := range []int64{49, 1, 30, -30, -24, -1, 24, -49, 50} {
		if change < 0 {
			b.Return("a", -change)
		} else {
			b.Take("a", change)
		}
	}
	if want := []bool{true, false, true}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNeverExceeds compares a quota with a map that is added up at each step.
func TestNeverExceeds(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		const limit, share = 100, 40
		b := fair.NewQuota(limit, share, fair.Watch{})
		held := map[string]int64{}
		total := func() (sum int64) {
			for _, n := range held {
				sum += n
			}
			return sum
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				taker, n := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "taker"), rapid.Int64Range(0, 60).Draw(t, "n")
				want := n == 0 || total()+n <= limit && held[taker]+n <= share
				if got := b.Take(taker, n); got != want {
					t.Fatalf("Take(%s, %d) with %v held: got %t, want %t", taker, n, held, got, want)
				}
				if want {
					held[taker] += n
				}
			},
			"return": func(t *rapid.T) {
				taker := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "taker")
				n := rapid.Int64Range(0, held[taker]).Draw(t, "n")
				b.Return(taker, n)
				held[taker] -= n
			},
			"": func(t *rapid.T) {
				if got := b.Stats().Held; got != total() {
					t.Fatalf("got %d held, want %d", got, total())
				}
			},
		})
	})
}

// TestConcurrentTakers takes and returns from many goroutines.
func TestConcurrentTakers(t *testing.T) {
	t.Parallel()
	b := fair.NewQuota(10, 5, fair.Watch{})
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			taker := string(rune('a' + i%4))
			for range 1000 {
				if b.Take(taker, 2) {
					if held := b.Stats().Held; held > 10 {
						t.Errorf("got %d held, want at most 10", held)
					}
					b.Return(taker, 2)
				}
			}
		})
	}
	running.Wait()
	if got := b.Stats().Held; got != 0 {
		t.Errorf("got %d held at the end, want 0", got)
	}
}
