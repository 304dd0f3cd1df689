package fair_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/fair"
)

// TestSemaphoreGoesRound has one key with five pieces of work and two with one. Those get
// a permit before the first key gets its second.
func TestSemaphoreGoesRound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fair.NewSemaphore(1, 1)
		var lock sync.Mutex
		var order []string
		for _, key := range []string{"a", "a", "a", "a", "a", "b", "c"} {
			go func() {
				if !s.Take(t.Context(), key) {
					t.Errorf("%s: got no slot, want one", key)
					return
				}
				lock.Lock()
				order = append(order, key)
				lock.Unlock()
				time.Sleep(time.Second)
				s.Free(key)
			}()
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got, want := strings.Join(order, " "), "a a b c a a a"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestPermitsOfOneKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fair.NewSemaphore(4, 2)
		soon := func() context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			t.Cleanup(cancel)
			return ctx
		}
		for _, step := range []struct {
			key  string
			want bool
		}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"c", true}, {"d", false}} {
			if got := s.Take(soon(), step.key); got != step.want {
				t.Errorf("%s: got %t, want %t", step.key, got, step.want)
			}
		}
		s.Free("b")
		if !s.Take(soon(), "d") {
			t.Error("d: got no slot after one was freed, want one")
		}
	})
}

// TestRanks has two permits, of which the second rank gets one at a time. What waits in the
// first rank is served before it, although it came later.
func TestRanks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const first, second = 0, 1
		s := fair.NewRankedSemaphore(2, fair.Rank{Total: 2, PerKey: 1}, fair.Rank{Total: 1, PerKey: 1})
		var order []string
		take := func(rank int, keys ...string) {
			for _, key := range keys {
				go func() {
					if s.TakeIn(t.Context(), rank, key) {
						order = append(order, key) // one at a time, because each Wait waits for it
					}
				}()
				synctest.Wait()
			}
		}
		take(second, "x", "x", "x", "y") // one permit stays free
		take(first, "a", "a", "a", "b", "b")
		for _, done := range []struct {
			rank int
			key  string
			want string // what runs or has run then
		}{
			{second, "x", "x a b"}, {first, "a", "x a b a"}, {first, "b", "x a b a b"}, {first, "a", "x a b a b a"},
			{first, "b", "x a b a b a x"}, {first, "a", "x a b a b a x"}, {second, "x", "x a b a b a x y"},
			{second, "y", "x a b a b a x y x"},
		} {
			s.FreeIn(done.rank, done.key)
			synctest.Wait()
			if got := strings.Join(order, " "); got != done.want {
				t.Fatalf("when %s was done: got %q, want %q", done.key, got, done.want)
			}
		}
		s.FreeIn(second, "x")
	})
}

// TestPermitsAreNotLost takes and gives up at random moments; all permits are free at
// the end.
func TestPermitsAreNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fair.NewSemaphore(2, 1)
		var all sync.WaitGroup
		for i := range 200 {
			key := string(rune('a' + i%5))
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%20)*time.Millisecond)
				defer cancel()
				if s.Take(ctx, key) {
					time.Sleep(time.Duration(i%3) * time.Millisecond)
					s.Free(key)
				}
			})
		}
		all.Wait()
		if !s.Take(t.Context(), "a") || !s.Take(t.Context(), "b") {
			t.Error("got fewer than two free slots at the end")
		}
	})
}
