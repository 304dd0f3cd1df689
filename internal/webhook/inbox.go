package webhook

import (
	"slices"
	"sync"
)

// inbox passes items from many goroutines to one. It has no bound, so that put
// never blocks: lanes, the settler, and the goroutines that commit orders put
// items into each other's inboxes and must not wait for one another.
type inbox[T comparable] struct {
	// ready holds an element after a put. The receiver waits for it, and then
	// takes until nothing is left.
	ready chan struct{}

	mu    sync.Mutex
	items []T // guarded by mu
}

func newInbox[T comparable]() *inbox[T] { return &inbox[T]{ready: make(chan struct{}, 1)} }

// put adds an item.
func (b *inbox[T]) put(item T) {
	b.mu.Lock()
	b.items = append(b.items, item)
	b.mu.Unlock()
	b.wake()
}

// putOnce adds an item unless an equal one waits to be taken.
func (b *inbox[T]) putOnce(item T) {
	b.mu.Lock()
	if !slices.Contains(b.items, item) {
		b.items = append(b.items, item)
	}
	b.mu.Unlock()
	b.wake()
}

func (b *inbox[T]) wake() {
	select {
	case b.ready <- struct{}{}:
	default: // the receiver has not read the element of an earlier put
	}
}

// len returns how many items wait to be taken.
func (b *inbox[T]) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

// take removes and returns the oldest items, at most limit of them.
func (b *inbox[T]) take(limit int) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.items), limit)
	taken := b.items[:n:n]
	b.items = b.items[n:]
	return taken
}
