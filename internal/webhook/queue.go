package webhook

import (
	"slices"

	"github.com/dropyard/dropyard/internal/outbox"
)

// queue holds the events of one lane from when they are read until their
// outcomes are settled.
type queue struct {
	// held has the key of every event in the queue: ready, waiting behind one that
	// is, under way, or answered and not settled yet. What is held is not taken
	// again, although it is still due in the database.
	held     map[outbox.EventKey]bool
	ready    []*Event // may be sent, in this order
	underWay int      // requests that have not been answered
	failures int      // requests that have failed and are not settled yet
}

func newQueue() queue { return queue{held: map[outbox.EventKey]bool{}} }

// take adds due events, and what waits behind them, unless they are held.
func (q *queue) take(due []*Event) {
	for _, event := range due {
		if !q.held[event.Key()] {
			q.ready = append(q.ready, event)
			q.hold(event)
		}
	}
}

// hold keeps an event and those behind it from being taken again. Each of those
// gets the rest of them, so that it can be sent as soon as the one in front of
// it is delivered, before the database says that it is due.
func (q *queue) hold(event *Event) {
	q.held[event.Key()] = true
	already := slices.IndexFunc(event.Behind, func(next *Event) bool { return q.held[next.Key()] })
	if already >= 0 { // they came with an earlier read
		event.Behind = event.Behind[:already]
	}
	for i, next := range event.Behind {
		q.held[next.Key()] = true
		next.Behind = event.Behind[i+1:]
	}
}

// next removes and returns the first ready event, which is then under way.
func (q *queue) next() *Event {
	event := q.ready[0]
	q.ready = q.ready[1:]
	q.underWay++
	return event
}

// answer notes that a request has been answered. If its event was delivered, or is not
// wanted, the one behind it is sent next.
func (q *queue) answer(r *request) {
	q.underWay--
	switch {
	case !r.passed():
		q.failures++
	case len(r.event.Behind) > 0:
		q.ready = slices.Insert(q.ready, 0, r.event.Behind[0])
	}
}

// settle lets go of an event whose outcome the settler is done with. What waits
// behind a failed one is read again when it is due.
func (q *queue) settle(r *request) {
	if r.passed() {
		delete(q.held, r.event.Key())
		return
	}
	q.failures--
	q.release(r.event)
}

// drop lets go of all that is ready.
func (q *queue) drop() {
	for _, event := range q.ready {
		q.release(event)
	}
	q.ready = nil
}

// release lets an event and those behind it be taken again.
func (q *queue) release(event *Event) {
	delete(q.held, event.Key())
	for _, next := range event.Behind {
		delete(q.held, next.Key())
	}
}
