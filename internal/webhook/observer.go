package webhook

import (
	"sync/atomic"
	"time"
)

// Observer is called by the sender, for metrics. Its methods must be fast and safe
// for concurrent use.
type Observer interface {
	// Attempted is called after every request.
	Attempted(Answer)
	// Sent is called when a request starts whose event was due, with the time that
	// has passed since then. It is not called for an event that is sent immediately
	// after the one before it in its order was delivered.
	Sent(lag time.Duration)
	// Damaged is called when an event is given up because its facts cannot be read.
	Damaged()
	// GaveUp is called with the number of events whose last try has failed, or that
	// cannot be read, each time that outcomes were written. It may be 0.
	GaveUp(events int)
}

// unobserved is the Observer of a sender that has been given none.
type unobserved struct{}

func (unobserved) Attempted(Answer)   {}
func (unobserved) Sent(time.Duration) {}
func (unobserved) Damaged()           {}
func (unobserved) GaveUp(int)         {}

// Stats describes a sender at one moment.
type Stats struct {
	Lanes    map[string]int // by state; states without a lane have 0
	Permits  map[string]int // in use, by the speed of the endpoint
	Ready    int            // events that may be sent as soon as their lane allows
	UnderWay int            // events whose requests have not been answered
	// Waiting counts the events that were read and are neither of these: they wait
	// for another event of their order, or for their outcome to be written.
	Waiting int
	// Notes counts the outcomes, parkings and renewals that wait to be written.
	Notes int
}

// Stats returns the current numbers of the sender.
func (s *Sender) Stats() Stats {
	stats := Stats{Lanes: map[string]int{}, Permits: map[string]int{}, Notes: s.settler.notes.len()}
	for speed, used := range s.permits.counts() {
		stats.Permits[Speed(speed).String()] = used
	}
	for _, t := range transitions {
		stats.Lanes[string(t.from)] = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, lane := range s.lanes {
		lane.numbers.addTo(&stats)
	}
	return stats
}

// laneNumbers are the numbers of a lane that other goroutines may read. The
// lane's own goroutine publishes them after each step.
type laneNumbers struct {
	state                 atomic.Pointer[state]
	ready, underWay, held atomic.Int64
}

func (n *laneNumbers) publish(l *lane) {
	if shown := n.state.Load(); shown == nil || *shown != l.state {
		current := l.state
		n.state.Store(&current)
	}
	n.ready.Store(int64(len(l.events.ready)))
	n.underWay.Store(int64(l.events.underWay))
	n.held.Store(int64(len(l.events.held)))
}

// addTo adds the lane to the sender's numbers. What it adds may be of two
// successive steps.
func (n *laneNumbers) addTo(stats *Stats) {
	if shown := n.state.Load(); shown != nil {
		stats.Lanes[string(*shown)]++
	}
	ready, underWay := int(n.ready.Load()), int(n.underWay.Load())
	stats.Ready += ready
	stats.UnderWay += underWay
	stats.Waiting += max(0, int(n.held.Load())-ready-underWay)
}
