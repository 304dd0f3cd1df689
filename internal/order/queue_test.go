package order

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"pgregory.net/rapid"
)

// queues are the partners' queues of events in a store on maps.
type queues struct {
	Writer
	heads   map[outbox.EndpointKey]outbox.Head // of the partners that have an endpoint
	entries map[outbox.EventKey]outbox.Entry
}

func (q queues) clone() queues {
	return queues{heads: maps.Clone(q.heads), entries: maps.Clone(q.entries)}
}

// drawQueues draws an endpoint for some of the partners.
func drawQueues(t *rapid.T) queues {
	q := queues{heads: map[outbox.EndpointKey]outbox.Head{}, entries: map[outbox.EventKey]outbox.Entry{}}
	for _, partner := range modelPartners {
		if rapid.Bool().Draw(t, "has an endpoint") {
			q.heads[outbox.EndpointKey{PartnerID: partner}] = outbox.Head{}
		}
	}
	return q
}

// LockQueues accepts what a database needs: partners in one order, each once.
func (q queues) LockQueues(_ context.Context, partnerIDs []string, ahead []outbox.EventKey) (Queues, error) {
	if !slices.IsSorted(partnerIDs) || len(slices.Compact(slices.Clone(partnerIDs))) != len(partnerIDs) {
		panic("partners are locked out of order or twice")
	}
	heads, progress := map[outbox.EndpointKey]outbox.Head{}, map[outbox.EventKey]outbox.Progress{}
	for _, partner := range partnerIDs {
		key := outbox.EndpointKey{PartnerID: partner}
		if head, configured := q.heads[key]; configured {
			heads[key] = head
		}
	}
	latest := map[outbox.EventKey]int64{}
	for _, key := range ahead {
		if asked := key; key.Sequence == 0 {
			for stored := range q.entries {
				if stored.PartnerID == key.PartnerID && stored.OrderID == key.OrderID {
					latest[asked] = max(latest[asked], stored.Sequence)
				}
			}
			key.Sequence = latest[asked]
		}
		if entry, stored := q.entries[key]; stored {
			progress[key] = outbox.Progress{State: entry.State}
		}
	}
	return Queues{Heads: heads, Ahead: progress, Latest: latest}, nil
}

// save adds the new events of a group, which are those that it has.
func (q queues) save(t *rapid.T, c *Changes) {
	if len(c.Queue) != len(c.Events) {
		t.Fatalf("got %d events in the queue, want %d", len(c.Queue), len(c.Events))
	}
	for i, entry := range c.Queue {
		key := outbox.KeyOf(c.Events[i])
		if _, stored := q.entries[key]; stored || entry.Event != c.Events[i] {
			t.Fatalf("event %v is queued twice or out of order", key)
		}
		q.entries[key] = entry
	}
	for _, wake := range c.Wakes {
		q.heads[wake.EndpointKey] = outbox.Head{WakeAt: wake.At}
	}
}

// deliver marks some of the events as delivered.
func (q queues) deliver(t *rapid.T) {
	byName := func(a, b outbox.EventKey) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	for _, key := range slices.SortedFunc(maps.Keys(q.entries), byName) {
		if entry := q.entries[key]; entry.State == outbox.Pending && rapid.Bool().Draw(t, "delivered") {
			entry.State = outbox.Delivered
			q.entries[key] = entry
		}
	}
}

// checkQueue looks at the events that have been added since a start: each is
// skipped if its partner has no endpoint. Otherwise it is due at its creation if
// it is the first of its order or the one in front of it was delivered before.
// Each endpoint wakes for the first event that is due.
func checkQueue(t *rapid.T, start queues, m *memory) {
	want := start.clone()
	for _, event := range m.events {
		key := outbox.KeyOf(event)
		if _, known := start.entries[key]; known {
			continue
		}
		entry := outbox.Entry{Event: event, State: outbox.Skipped}
		if head, configured := want.heads[key.Endpoint()]; configured {
			if delivery.OnlyWhenNamed(event.Type) {
				want.entries[key] = entry
				continue
			}
			entry.State = outbox.Pending
			if event.Sequence == 1 || start.entries[key.Previous()].State == outbox.Delivered {
				entry.DueAt = event.RecordedAt
				if head.WakeAt.IsZero() || event.RecordedAt.Before(head.WakeAt) {
					want.heads[key.Endpoint()] = outbox.Head{WakeAt: event.RecordedAt}
				}
			}
		}
		want.entries[key] = entry
	}
	if !maps.Equal(m.queues.entries, want.entries) || !maps.Equal(m.queues.heads, want.heads) {
		t.Fatalf("got the queue %v and endpoints %v\nwant %v\nand %v", m.queues.entries, m.queues.heads, want.entries,
			want.heads)
	}
}
