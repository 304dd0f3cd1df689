package feed

import (
	"sync"

	"github.com/dropyard/dropyard/internal/board"
)

// maxHints is how many orders the hints may name. If there are more, they are
// dropped, and the follower compares the whole board.
const maxHints = 20_000

// hints hold what the node has committed since the follower last looked.
type hints struct {
	wake chan struct{} // holds one while there are any

	mu    sync.Mutex
	rows  map[string]*board.Row // by order id, the latest versions; guarded by mu
	ended map[string]bool       // guarded by mu
	lost  bool                  // some were dropped; guarded by mu
}

func newHints() hints {
	return hints{wake: make(chan struct{}, 1), rows: map[string]*board.Row{}, ended: map[string]bool{}}
}

// add adds hints. They may come in another order than the commits.
func (h *hints) add(rows []*board.Row, ended []string) {
	if len(rows) == 0 && len(ended) == 0 {
		return
	}
	h.mu.Lock()
	for _, row := range rows {
		if known := h.rows[row.OrderID]; known == nil || known.Version < row.Version {
			h.rows[row.OrderID] = row
		}
	}
	for _, id := range ended {
		h.ended[id] = true
	}
	if len(h.rows)+len(h.ended) > maxHints {
		clear(h.rows)
		clear(h.ended)
		h.lost = true
	}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default: // it is awake already
	}
}

// take returns the hints and empties them. An order that has ended is not among the
// rows, since no order returns from there.
func (h *hints) take() (rows []*board.Row, ended []string, lost bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, row := range h.rows {
		if !h.ended[id] {
			rows = append(rows, row)
		}
	}
	for id := range h.ended {
		ended = append(ended, id)
	}
	lost, h.lost = h.lost, false
	clear(h.rows)
	clear(h.ended)
	return rows, ended, lost
}
