package db

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// heldReads reads the length of each key. Its groups proceed when the test lets them.
type heldReads struct {
	groupedReads[string, int]
	begun    chan struct{} // a group is about to take its callers
	take     chan struct{} // lets it
	taken    chan []string // what it has taken
	complete chan error    // ends it
}

func newHeldReads() *heldReads {
	h := &heldReads{
		begun: make(chan struct{}), take: make(chan struct{}), taken: make(chan []string), complete: make(chan error),
	}
	h.find = func(_ context.Context, take func() []string) (map[string]int, error) {
		h.begun <- struct{}{}
		<-h.take
		keys := take()
		h.taken <- keys
		values := map[string]int{}
		for _, key := range keys {
			values[key] = len(key)
		}
		return values, <-h.complete
	}
	return h
}

type outcome struct {
	value int
	err   error
}

// start calls read, and returns once the caller waits.
func (h *heldReads) start(ctx context.Context, key string) <-chan outcome {
	h.mu.Lock()
	before := len(h.waiting)
	h.mu.Unlock()
	result := make(chan outcome, 1)
	go func() {
		value, err := h.read(ctx, key)
		result <- outcome{value, err}
	}()
	for {
		h.mu.Lock()
		now := len(h.waiting)
		h.mu.Unlock()
		if now > before {
			return result
		}
	}
}

// A caller that arrives when a group has taken its callers is in the next group.
func TestGroupsTakeOnlyEarlierCallers(t *testing.T) {
	t.Parallel()
	h := newHeldReads()
	first := h.start(t.Context(), "a")
	<-h.begun
	second := h.start(t.Context(), "bb") // begins a group of its own
	<-h.begun
	h.take <- struct{}{}
	if keys := <-h.taken; !slices.Equal(keys, []string{"a", "bb"}) {
		t.Fatalf("first group: got %q, want both callers", keys)
	}
	third := h.start(t.Context(), "ccc")
	h.complete <- nil
	for _, result := range []<-chan outcome{first, second} {
		if got := <-result; got.err != nil {
			t.Errorf("got %v, want a value", got.err)
		}
	}
	// Both goroutines are under way again; one of them takes the third caller.
	<-h.begun
	for range 2 {
		h.take <- struct{}{}
	}
	one, other := <-h.taken, <-h.taken
	if keys := slices.Concat(one, other); !slices.Equal(keys, []string{"ccc"}) {
		t.Errorf("later groups: got %q, want the third caller", keys)
	}
	h.complete <- nil
	h.complete <- nil
	if got := <-third; got.value != 3 || got.err != nil {
		t.Errorf("third caller: got %d, %v, want 3", got.value, got.err)
	}
}

func TestGroupOutlivesCancelledCaller(t *testing.T) {
	t.Parallel()
	h := newHeldReads()
	ctx, cancel := context.WithCancel(t.Context())
	first := h.start(ctx, "a")
	<-h.begun
	second := h.start(t.Context(), "bb")
	<-h.begun
	h.take <- struct{}{}
	<-h.taken
	cancel()
	if got := <-first; !errors.Is(got.err, context.Canceled) {
		t.Errorf("cancelled caller: got %v, want context.Canceled", got.err)
	}
	h.complete <- nil
	if got := <-second; got.value != 2 || got.err != nil {
		t.Errorf("other caller: got %d, %v, want 2", got.value, got.err)
	}
	h.take <- struct{}{}
	<-h.taken
	h.complete <- nil
}

func TestGroupOfErrorIsReadOneByOne(t *testing.T) {
	t.Parallel()
	bad := errors.New("one value cannot be read")
	for name, tc := range map[string]struct {
		err   error
		finds int
		good  error
	}{
		"other error": {bad, 3, nil},
		"unreachable": {refusal.ErrUnreachable, 1, refusal.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			finds := 0
			r := &groupedReads[string, int]{find: func(_ context.Context, take func() []string) (map[string]int, error) {
				keys := take()
				finds++
				if slices.Contains(keys, "bad") {
					return nil, tc.err
				}
				return map[string]int{keys[0]: 1}, nil
			}}
			for _, key := range []string{"good", "bad"} {
				r.waiting = append(r.waiting, &waitingRead[string, int]{ctx: t.Context(), key: key, done: make(chan struct{})})
			}
			callers := slices.Clone(r.waiting)
			r.readGroup(r.take)
			if !errors.Is(callers[0].err, tc.good) || !errors.Is(callers[1].err, tc.err) || finds != tc.finds {
				t.Errorf("got %v and %v in %d queries, want %v and %v in %d", callers[0].err, callers[1].err, finds, tc.good,
					tc.err, tc.finds)
			}
		})
	}
}

// Every caller gets its own value, however many call.
func TestGroupedReadsOfMany(t *testing.T) {
	t.Parallel()
	r := &groupedReads[int, int]{find: func(_ context.Context, take func() []int) (map[int]int, error) {
		found := map[int]int{}
		for _, key := range take() {
			found[key] = -key
		}
		if len(found) > maxReadGroup {
			t.Errorf("a group of %d, want at most %d", len(found), maxReadGroup)
		}
		return found, nil
	}}
	var callers sync.WaitGroup
	for key := range 1000 {
		callers.Go(func() {
			if got, err := r.read(t.Context(), key); got != -key || err != nil {
				t.Errorf("read(%d): got %d, %v, want %d", key, got, err, -key)
			}
		})
	}
	callers.Wait()
}
