package outbox

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
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
	heads  map[EndpointKey]Head
	ahead  map[EventKey]Progress
}

// drawSituation draws partners with and without endpoints, and orders of them
// that have events already or get their first.
func drawSituation(t *rapid.T) situation {
	s := situation{heads: map[EndpointKey]Head{}, ahead: map[EventKey]Progress{}}
	last := map[EventKey]int64{} // by order
	for _, partnerID := range []string{"par_1", "par_2", "par_3"} {
		for _, orderID := range []string{"ord_1", "ord_2"} {
			last[EventKey{PartnerID: partnerID, OrderID: orderID}] = rapid.Int64Range(0, 3).Draw(t, "events before")
		}
		for _, endpointID := range []string{"", "whe_1", "whe_2"} {
			if rapid.Bool().Draw(t, partnerID+" has the endpoint "+endpointID) {
				s.drawEndpoint(t, EndpointKey{partnerID, endpointID}, last)
			}
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "new events") {
		order := EventKey{
			PartnerID: rapid.SampledFrom([]string{"par_1", "par_1", "par_2", "par_3"}).Draw(t, "partner"),
			OrderID:   rapid.SampledFrom([]string{"ord_1", "ord_2"}).Draw(t, "order"),
		}
		last[order]++
		s.events = append(s.events, &delivery.Event{
			PartnerID: order.PartnerID, OrderID: order.OrderID, Sequence: last[order],
			Type:       rapid.SampledFrom(delivery.EventTypes[:3]).Draw(t, "type"),
			CreatedAt:  minute(rapid.IntRange(1, 9).Draw(t, "created at")),
			RecordedAt: rapid.SampledFrom([]time.Time{{}, minute(4), minute(12)}).Draw(t, "recorded at"),
		})
	}
	return s
}

// drawEndpoint draws an endpoint, and how far the last events of its partner's orders have come there.
func (s situation) drawEndpoint(t *rapid.T, of EndpointKey, last map[EventKey]int64) {
	s.heads[of] = Head{
		OpenUntil: minute(rapid.IntRange(0, 9).Draw(t, "open until")),
		WakeAt:    minute(rapid.IntRange(0, 9).Draw(t, "wakes at")),
		Events: FilterOf(rapid.SliceOfNDistinct(rapid.SampledFrom(delivery.EventTypes[:3]), 0, 2,
			rapid.ID[delivery.EventType]).Draw(t, "takes")),
	}
	for _, orderID := range []string{"ord_1", "ord_2"} {
		sequence := last[EventKey{PartnerID: of.PartnerID, OrderID: orderID}]
		// An event that a further endpoint has not taken has no place in its queue.
		if sequence > 0 && (of.EndpointID == "" || rapid.Bool().Draw(t, "is in the queue")) {
			s.ahead[EventKey{of.PartnerID, orderID, sequence, of.EndpointID}] = Progress{
				State: rapid.SampledFrom(States).Draw(t, "state ahead"),
				Tries: rapid.Int64Range(0, 2*TriesBeforeNext).Draw(t, "tries ahead"),
			}
		}
	}
}

// recorded returns when an event's change was recorded.
func recorded(e *delivery.Event) time.Time {
	if e.RecordedAt.IsZero() {
		return e.CreatedAt
	}
	return e.RecordedAt
}

// apply returns the heads and the progress after the transaction.
func (s situation) apply(entries []Entry, wakes []Wake) (heads map[EndpointKey]Head, ahead map[EventKey]Progress) {
	heads, ahead = maps.Clone(s.heads), maps.Clone(s.ahead)
	for _, wake := range wakes {
		head := heads[wake.EndpointKey]
		head.WakeAt = wake.At
		heads[wake.EndpointKey] = head
	}
	for _, e := range entries {
		ahead[KeyAt(e.Event, e.EndpointID)] = Progress{State: e.State}
	}
	return heads, ahead
}

// TestQueueKeepsSequence: at each endpoint, an event that it takes is due exactly if nothing of its order holds
// it back, and one that it does not take waits exactly then. All others are skipped, and have a place
// at the first endpoint only.
func TestQueueKeepsSequence(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		entries, wakes := Queue(s.events, s.heads, s.ahead)
		_, after := s.apply(entries, wakes)
		for _, event := range s.events {
			for _, endpointID := range []string{"", "whe_1", "whe_2"} {
				want := Entry{Event: event, EndpointID: endpointID, State: Skipped}
				if head, configured := s.heads[want.Endpoint()]; configured {
					ahead := after[KeyAt(event, endpointID).Previous()]
					switch {
					case Blocks(ahead.State, ahead.Tries):
						want.State = Pending
					case head.Events.Takes(event.Type):
						want.State, want.DueAt = Pending, recorded(event)
					}
				}
				has := endpointID == "" || want.State == Pending
				if !has && slices.ContainsFunc(entries, func(e Entry) bool {
					return e.Event == event && e.EndpointID == endpointID
				}) {
					t.Errorf("event %d of %s has a place at %s", event.Sequence, event.OrderID, endpointID)
				}
				if len(entries) > 0 && has {
					if entries[0] != want {
						t.Errorf("got %s at %q due at %v, want %s at %q due at %v", entries[0].State, entries[0].EndpointID,
							entries[0].DueAt, want.State, want.EndpointID, want.DueAt)
					}
					entries = entries[1:]
				}
			}
		}
		if len(entries) > 0 {
			t.Errorf("%d entries more than wanted", len(entries))
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
			if head := want[e.Endpoint()]; !e.DueAt.IsZero() {
				at := e.DueAt
				if at.Before(head.OpenUntil) {
					at = head.OpenUntil
				}
				if head.WakeAt.IsZero() || at.Before(head.WakeAt) {
					head.WakeAt = at
				}
				want[e.Endpoint()] = head
			}
		}
		if got, _ := s.apply(entries, wakes); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		for i, wake := range wakes {
			if s.heads[wake.EndpointKey] == want[wake.EndpointKey] {
				t.Errorf("%v is written although it wakes at %v anyway", wake.EndpointKey, wake.At)
			}
			if i > 0 && wakes[i-1].Compare(wake.EndpointKey) >= 0 {
				t.Errorf("the wakes are not in the order in which endpoints are locked: %v", wakes)
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
		for tries := range int64(2 * TriesBeforeNext) {
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

func TestFilter(t *testing.T) {
	t.Parallel()
	named := FilterOf([]delivery.EventType{delivery.EventOrderFailed, delivery.EventOrderDelivered})
	for _, c := range []struct {
		filter Filter
		kind   delivery.EventType
		want   bool
	}{
		{"", delivery.EventOrderFailed, true},
		{"", delivery.EventStatementClosed, true},
		{named, delivery.EventOrderFailed, true},
		{named, delivery.EventOrderDelivered, true},
		{named, delivery.EventOrderPickedUp, false},
		{named, "order", false},
	} {
		if got := c.filter.Takes(c.kind); got != c.want {
			t.Errorf("%q takes %s: got %v, want %v", c.filter, c.kind, got, c.want)
		}
	}
	if got := FilterOf(named.Types()); got != named || Filter("").Types() != nil {
		t.Errorf("got %q, want %q", got, named)
	}
}

// TestNumber: events without a sequence are numbered behind the latest of their product.
func TestNumber(t *testing.T) {
	t.Parallel()
	event := func(productID, sequence int64) *delivery.Event {
		return &delivery.Event{PartnerID: "par_1", OrderID: delivery.StockID(productID), Sequence: sequence}
	}
	events := []*delivery.Event{event(1, 0), event(2, 0), event(3, 7), event(1, 0), event(4, 1)}
	ahead := []EventKey{Unnumbered(events[0]), Unnumbered(events[1]), KeyOf(event(3, 6))}
	if got := Ahead(events); !slices.Equal(got, ahead) {
		t.Errorf("got %v ahead, want %v", got, ahead)
	}
	Number(events, map[EventKey]int64{Unnumbered(events[0]): 4})
	for i, want := range []int64{5, 1, 7, 6, 1} {
		if events[i].Sequence != want {
			t.Errorf("got the sequence %d of event %d, want %d", events[i].Sequence, i, want)
		}
	}
}
