package feed

import (
	"iter"
	"maps"
	"slices"
	"sync"
)

// maxHints is how many orders the hints may name. If there are more, they are
// dropped, and the follower compares the whole board.
const maxHints = 20_000

// hints name the orders that the node has changed since the follower last looked.
// They do not hold the rows: by the time that the follower takes them, another node
// may have moved or ended the order.
type hints struct {
	wake chan struct{} // holds one while there are any

	mu   sync.Mutex
	ids  map[string]bool // guarded by mu
	lost bool            // some were dropped; guarded by mu
}

func newHints() hints {
	return hints{wake: make(chan struct{}, 1), ids: map[string]bool{}}
}

func (h *hints) add(orderIDs iter.Seq[string]) {
	h.mu.Lock()
	for id := range orderIDs {
		h.ids[id] = true
	}
	if len(h.ids) > maxHints {
		clear(h.ids)
		h.lost = true
	}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default: // it is awake already
	}
}

// take returns the hints and empties them.
func (h *hints) take() (orderIDs []string, lost bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	orderIDs, lost = slices.Collect(maps.Keys(h.ids)), h.lost
	h.lost = false
	clear(h.ids)
	return orderIDs, lost
}
