package feed

import (
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// Answer is a snapshot of the board, or what has changed since a position. Desks
// that ask the same share it, so it must not be modified.
type Answer struct {
	Rows   [][]byte // encoded, see Config
	Gone   []string // the orders that have left the board; nil in a snapshot
	Counts dispatch.Counts
	After  string // the position to ask for the next changes from

	mu       sync.Mutex
	rendered map[string][]byte // guarded by mu
}

// Rendered returns what render returns. It calls render once for each form, while
// other callers wait, so that desks share the work.
func (a *Answer) Rendered(form string, render func() ([]byte, error)) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if done, ok := a.rendered[form]; ok {
		return done, nil
	}
	done, err := render()
	if err != nil {
		return nil, err
	}
	if a.rendered == nil {
		a.rendered = map[string][]byte{}
	}
	a.rendered[form] = done
	return done, nil
}

// count counts orders under way by state, and what needs attention at a time.
func count(entries map[string]*entry, now time.Time) dispatch.Counts {
	counts := dispatch.Counts{
		Open:     int64(len(entries)),
		Statuses: make(map[delivery.Status]int64, len(board.OpenStatuses)),
		Reasons:  make(map[board.Reason]int64, len(board.Reasons)),
	}
	for _, status := range board.OpenStatuses {
		counts.Statuses[status] = 0
	}
	for _, reason := range board.Reasons {
		counts.Reasons[reason] = 0
	}
	var reasons []board.Reason
	for _, e := range entries {
		counts.Statuses[e.row.Status]++
		reasons = e.row.AppendReasons(reasons[:0], now, e.courierActive)
		for _, reason := range reasons {
			counts.Reasons[reason]++
		}
		if len(reasons) > 0 {
			counts.Attention++
		}
	}
	return counts
}
