// Package outbox decides how events wait to be sent: in which state a new event
// begins, which event holds back the next one of its order, and when a partner's
// endpoint must be woken. Package order adds events by these rules, and the
// webhook package sends them.
//
// An event is pending until it is delivered, has failed after its last try, or is
// skipped because its partner has no endpoint. The events of one order are sent in
// their sequence: a pending event is due at a time, or waits behind the one in
// front of it and is then never due. The transaction that ends the wait makes it
// due.
package outbox

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// State is how far an event has come on its way to the partner.
type State string

// The states of an event.
const (
	Pending   State = "pending"   // to be sent, or sent again
	Delivered State = "delivered" // acknowledged
	Failed    State = "failed"    // given up after all tries
	Skipped   State = "skipped"   // there was no endpoint to send it to
)

// States lists all states.
var States = []State{Pending, Delivered, Failed, Skipped}

// EventKey names an event of an order.
type EventKey struct {
	PartnerID string
	OrderID   string
	Sequence  int64 // counts the events of the order from 1
}

// KeyOf returns the name of an event.
func KeyOf(e *delivery.Event) EventKey { return EventKey{e.PartnerID, e.OrderID, e.Sequence} }

// Next names the event behind this one in its order.
func (k EventKey) Next() EventKey {
	k.Sequence++
	return k
}

// Previous names the event in front of this one in its order. The first event
// has none, and none has the sequence 0.
func (k EventKey) Previous() EventKey {
	k.Sequence--
	return k
}

// triesBeforeNext is after how many failed tries an event no longer holds back
// the next one of its order.
const triesBeforeNext = 4

// Blocks reports whether an event in this state holds back the next one of its
// order.
func Blocks(state State, tries int64) bool {
	return state == Pending && tries < triesBeforeNext
}

// Progress is how far an event has come.
type Progress struct {
	State State
	Tries int64 // used up
}

// Head is what the endpoint of a partner says about its queue of events.
type Head struct {
	OpenUntil time.Time // nothing is sent before; zero if the breaker is closed
	WakeAt    time.Time // when there is something to do; zero if nothing waits
}

// Sooner returns when the endpoint has to be woken for an event that is due, and
// whether that is sooner than it would wake anyway.
func (h Head) Sooner(due time.Time) (at time.Time, sooner bool) {
	at = due
	if h.OpenUntil.After(at) {
		at = h.OpenUntil
	}
	return at, h.WakeAt.IsZero() || at.Before(h.WakeAt)
}

// Entry is a new event and how it begins.
type Entry struct {
	*delivery.Event
	State State     // Pending or Skipped
	DueAt time.Time // zero unless it may be sent
}

// Wake is a new wake time of a partner's endpoint.
type Wake struct {
	PartnerID string
	At        time.Time
}

// Queue decides how the new events of a transaction begin, and which endpoints
// are woken for them, in the order of their partners. The events of each order are
// in their sequence. heads holds the partners that have an endpoint, and ahead the
// event in front of the first new one of each order, if there is one and its
// partner has an endpoint.
func Queue(
	events []*delivery.Event, heads map[string]Head, ahead map[EventKey]Progress,
) (entries []Entry, wakes []Wake) {
	blocking := make(map[EventKey]bool, len(ahead)+len(events))
	for key, p := range ahead {
		blocking[key] = Blocks(p.State, p.Tries)
	}
	entries, heads = make([]Entry, len(events)), maps.Clone(heads)
	woken := map[string]time.Time{}
	for i, event := range events {
		head, configured := heads[event.PartnerID]
		if !configured {
			entries[i] = Entry{Event: event, State: Skipped}
			continue
		}
		entries[i] = Entry{Event: event, State: Pending}
		key := KeyOf(event)
		blocking[key] = true
		if blocking[key.Previous()] {
			continue
		}
		entries[i].DueAt = event.CreatedAt
		if !event.RecordedAt.IsZero() {
			entries[i].DueAt = event.RecordedAt
		}
		if at, sooner := head.Sooner(entries[i].DueAt); sooner {
			head.WakeAt, woken[event.PartnerID] = at, at
			heads[event.PartnerID] = head
		}
	}
	return entries, sorted(woken)
}

func sorted(woken map[string]time.Time) (wakes []Wake) {
	for partnerID, at := range woken {
		wakes = append(wakes, Wake{partnerID, at})
	}
	slices.SortFunc(wakes, func(a, b Wake) int { return cmp.Compare(a.PartnerID, b.PartnerID) })
	return wakes
}
