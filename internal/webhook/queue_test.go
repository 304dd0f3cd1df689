package webhook

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// chain returns the first of n events of an order, with the others behind it.
func chain(order string, n int) *Event {
	all := make([]*Event, n)
	for i := range all {
		sequence := int64(i + 1)
		all[i] = &Event{Event: delivery.Event{EventID: fmt.Sprintf("%s%d", order,
			sequence), OrderID: order, Sequence: sequence}}
	}
	all[0].Behind = all[1:]
	return all[0]
}

func (q *queue) readyIDs() (ids []string) {
	for _, e := range q.ready {
		ids = append(ids, e.EventID)
	}
	return ids
}

// TestQueueSendsAnOrderInSequence: an event becomes ready, before all others,
// when the one in front of it is delivered.
func TestQueueSendsAnOrderInSequence(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.take([]*Event{chain("a", 3), chain("b", 1)})
	for _, want := range [][]string{{"a2", "b1"}, {"a3", "b1"}, {"b1"}} {
		r := &request{event: q.next(), answer: Answer{Status: 200}}
		q.answer(r)
		q.settle(r)
		if got := q.readyIDs(); !slices.Equal(got, want) {
			t.Errorf("after %s: got ready %v, want %v", r.event.EventID, got, want)
		}
	}
}

func TestQueueTakesNoEventTwice(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.take([]*Event{chain("a", 2)})
	again := chain("a", 2)
	q.take([]*Event{again, again.Behind[0]}) // the second has become due meanwhile
	r := &request{event: q.next(), answer: Answer{Status: 200}}
	q.answer(r)
	q.take([]*Event{chain("a", 1)}) // as read before the answer was settled
	if got, want := q.readyIDs(), []string{"a2"}; !slices.Equal(got, want) {
		t.Errorf("got ready %v, want %v", got, want)
	}
}

// TestQueueReleasesWhatFailed and what waits behind it, so that both are taken
// when they are due.
func TestQueueReleasesWhatFailed(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.take([]*Event{chain("a", 3), chain("b", 2)})
	r := &request{event: q.next(), answer: Answer{Status: 500}}
	q.answer(r)
	if q.failures != 1 || len(q.held) != 5 {
		t.Errorf("before a1 is settled: got %d failures and %d events held, want 1 and 5", q.failures, len(q.held))
	}
	q.settle(r)
	if q.failures != 0 || len(q.held) != 2 {
		t.Errorf("after a1 is settled: got %d failures and %d events held, want 0 and 2", q.failures, len(q.held))
	}
	q.drop()
	if len(q.ready) != 0 || len(q.held) != 0 {
		t.Errorf("after drop: got %d events ready and %d held, want none", len(q.ready), len(q.held))
	}
}
