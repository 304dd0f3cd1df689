package outbox

import (
	"fmt"
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// minute returns a time; the zero time for 0.
func minute(n int) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return epoch.Add(time.Duration(n) * time.Minute)
}

// situation is what a transaction that adds events finds.
type situation struct {
	events []*delivery.Event
	heads  map[string]Head
	ahead  map[EventKey]Progress
}

// drawSituation draws partners with and without an endpoint, and orders of them
// that have events already or get their first.
func drawSituation(t *rapid.T) situation {
	s := situation{heads: map[string]Head{}, ahead: map[EventKey]Progress{}}
	last := map[EventKey]int64{} // by order
	for _, partnerID := range []string{"par_1", "par_2", "par_3"} {
		configured := rapid.Bool().Draw(t, partnerID+" has an endpoint")
		if configured {
			s.heads[partnerID] = Head{
				OpenUntil: minute(rapid.IntRange(0, 9).Draw(t, "open until")),
				WakeAt:    minute(rapid.IntRange(0, 9).Draw(t, "wakes at")),
			}
		}
		for _, orderID := range []string{"ord_1", "ord_2"} {
			key := EventKey{partnerID, orderID, rapid.Int64Range(0, 3).Draw(t, "events before")}
			last[EventKey{partnerID, orderID, 0}] = key.Sequence
			if configured && key.Sequence > 0 {
				s.ahead[key] = Progress{
					State: rapid.SampledFrom(States).Draw(t, "state ahead"),
					Tries: rapid.Int64Range(0, 2*triesBeforeNext).Draw(t, "tries ahead"),
				}
			}
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "new events") {
		order := rapid.SampledFrom([]EventKey{
			{"par_1", "ord_1", 0}, {"par_1", "ord_2", 0}, {"par_2", "ord_1", 0}, {"par_2", "ord_2", 0}, {"par_3", "ord_1", 0},
		}).Draw(t, "order")
		last[order]++
		s.events = append(s.events, &delivery.Event{
			PartnerID: order.PartnerID, OrderID: order.OrderID, Sequence: last[order],
			CreatedAt:  minute(rapid.IntRange(1, 9).Draw(t, "created at")),
			RecordedAt: rapid.SampledFrom([]time.Time{{}, minute(4), minute(12)}).Draw(t, "recorded at"),
		})
	}
	return s
}

// recorded returns when an event's change was recorded.
func recorded(e *delivery.Event) time.Time {
	if e.RecordedAt.IsZero() {
		return e.CreatedAt
	}
	return e.RecordedAt
}

// apply returns the heads and the progress after the transaction.
func (s situation) apply(entries []Entry, wakes []Wake) (heads map[string]Head, ahead map[EventKey]Progress) {
	heads, ahead = maps.Clone(s.heads), maps.Clone(s.ahead)
	for _, wake := range wakes {
		head := heads[wake.PartnerID]
		head.WakeAt = wake.At
		heads[wake.PartnerID] = head
	}
	for _, e := range entries {
		ahead[KeyOf(e.Event)] = Progress{State: e.State}
	}
	return heads, ahead
}

// TestQueueKeepsSequence: an event is due exactly if nothing of its order holds
// it back, and skipped exactly if its partner has no endpoint.
func TestQueueKeepsSequence(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		entries, wakes := Queue(s.events, s.heads, s.ahead)
		_, after := s.apply(entries, wakes)
		for i, e := range entries {
			want := Entry{Event: s.events[i], State: Skipped}
			if _, configured := s.heads[e.PartnerID]; configured {
				want.State = Pending
				if ahead := after[KeyOf(e.Event).Previous()]; !Blocks(ahead.State, ahead.Tries) {
					want.DueAt = recorded(e.Event)
				}
			}
			if e != want {
				t.Errorf("event %d: got %s due at %v, want %s at %v", i, e.State, e.DueAt, want.State, want.DueAt)
			}
		}
	})
}

// TestQueueWakes: an endpoint wakes for the first of its due events unless it
// wakes sooner anyway, and no other endpoint is touched.
func TestQueueWakes(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		entries, wakes := Queue(s.events, s.heads, s.ahead)
		want := maps.Clone(s.heads)
		for _, e := range entries {
			if head := want[e.PartnerID]; !e.DueAt.IsZero() {
				at := e.DueAt
				if at.Before(head.OpenUntil) {
					at = head.OpenUntil
				}
				if head.WakeAt.IsZero() || at.Before(head.WakeAt) {
					head.WakeAt = at
				}
				want[e.PartnerID] = head
			}
		}
		if got, _ := s.apply(entries, wakes); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		for i, wake := range wakes {
			if s.heads[wake.PartnerID] == want[wake.PartnerID] {
				t.Errorf("%s is written although it wakes at %v anyway", wake.PartnerID, wake.At)
			}
			if i > 0 && wakes[i-1].PartnerID >= wake.PartnerID {
				t.Errorf("the wakes are not in the order of partners: %v", wakes)
			}
		}
	})
}

// TestQueueGroups: events added in one transaction begin as they do in one
// transaction each, and Queue leaves its arguments as they are.
func TestQueueGroups(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		before := fmt.Sprint(s.heads, s.ahead)
		together, wakes := Queue(s.events, s.heads, s.ahead)
		if after := fmt.Sprint(s.heads, s.ahead); after != before {
			t.Fatalf("Queue changed its arguments: %s, before %s", after, before)
		}
		heads, _ := s.apply(together, wakes)
		one, apart := s, []Entry(nil)
		for i := range s.events {
			one.events = s.events[i : i+1]
			entries, wakes := Queue(one.events, one.heads, one.ahead)
			apart = append(apart, entries...)
			one.heads, one.ahead = one.apply(entries, wakes)
		}
		if len(together) > 0 && !reflect.DeepEqual(together, apart) || !maps.Equal(heads, one.heads) {
			t.Errorf("got %v and %v, one by one %v and %v", together, heads, apart, one.heads)
		}
	})
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, state := range States {
		for tries := range int64(2 * triesBeforeNext) {
			want := state == Pending && tries < 4
			if got := Blocks(state, tries); got != want {
				t.Errorf("%s after %d tries: got %v, want %v", state, tries, got, want)
			}
		}
	}
}

// TestSooner: an endpoint wakes for what is due first, and a broken one not
// before its probe.
func TestSooner(t *testing.T) {
	t.Parallel()
	now := minute(5)
	for _, c := range []struct {
		head   Head
		want   time.Time
		sooner bool
	}{
		{Head{}, now, true},
		{Head{WakeAt: minute(4)}, now, false},
		{Head{WakeAt: minute(6)}, now, true},
		{Head{OpenUntil: minute(7)}, minute(7), true},
		{Head{OpenUntil: minute(7), WakeAt: minute(7)}, minute(7), false},
	} {
		if at, sooner := c.head.Sooner(now); !at.Equal(c.want) || sooner != c.sooner {
			t.Errorf("%+v: got %v, %v, want %v, %v", c.head, at, sooner, c.want, c.sooner)
		}
	}
}
