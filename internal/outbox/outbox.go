// Package outbox decides how events wait to be sent: in which state a new event
// begins, which event holds back the next one of its order, and when a partner's
// endpoint must be woken. Package order adds events by these rules, and the
// webhook package sends them.
//
// A partner has up to ten endpoints, each with a queue of its own. An event is pending at
// an endpoint until it is delivered, has failed after its last try, or is skipped because
// the endpoint does not take its type. The events of one order are sent in their sequence:
// a pending event is due at a time, or waits behind the one in front of it and is then never
// due. The transaction that ends the wait makes it due. So an event that the endpoint does
// not take waits, too, and is skipped when its turn comes: those behind it must not overtake
// the one in front.
package outbox

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// State is how far an event has come on its way to the partner.
type State string

// The states of an event.
const (
	Pending   State = "pending"   // to be sent, or sent again
	Delivered State = "delivered" // acknowledged
	Failed    State = "failed"    // given up after all tries
	Skipped   State = "skipped"   // there was no endpoint that takes it
)

// States lists all states.
var States = []State{Pending, Delivered, Failed, Skipped}

// EndpointKey names an endpoint of a partner.
type EndpointKey struct {
	PartnerID  string
	EndpointID string // empty for the first endpoint
}

// Compare orders endpoints as transactions lock them: the first ones of all partners, then
// the others, each in the order of their partners.
func (k EndpointKey) Compare(o EndpointKey) int {
	return cmp.Or(cmp.Compare(min(1, len(k.EndpointID)), min(1, len(o.EndpointID))),
		cmp.Compare(k.PartnerID, o.PartnerID), cmp.Compare(k.EndpointID, o.EndpointID))
}

// EventKey names an event of an order, in the queue of an endpoint.
type EventKey struct {
	PartnerID  string
	OrderID    string
	Sequence   int64  // counts the events of the order from 1
	EndpointID string // empty for the first endpoint, and where no endpoint is meant
}

// KeyOf returns the name of an event in the queue of the first endpoint.
func KeyOf(e *delivery.Event) EventKey { return KeyAt(e, "") }

// KeyAt returns the name of an event in the queue of an endpoint.
func KeyAt(e *delivery.Event, endpointID string) EventKey {
	return EventKey{e.PartnerID, e.OrderID, e.Sequence, endpointID}
}

// Endpoint returns the endpoint of the queue.
func (k EventKey) Endpoint() EndpointKey { return EndpointKey{k.PartnerID, k.EndpointID} }

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

// TriesBeforeNext is after how many failed tries an event no longer holds back
// the next one of its order.
const TriesBeforeNext = 4

// Blocks reports whether an event in this state holds back the next one of its
// order.
func Blocks(state State, tries int64) bool {
	return state == Pending && tries < TriesBeforeNext
}

// Unnumbered returns the key that stands for the latest event of what an event is about, in LockQueues.
func Unnumbered(e *delivery.Event) EventKey {
	return EventKey{PartnerID: e.PartnerID, OrderID: e.OrderID}
}

// Ahead returns the keys of the events in front of new ones, each once. Those of events that have no
// sequence yet stand for the latest ones.
func Ahead(events []*delivery.Event) (keys []EventKey) {
	for _, event := range events {
		key := Unnumbered(event)
		switch event.Sequence {
		case 1:
			continue
		case 0:
			if slices.Contains(keys, key) {
				continue
			}
		default:
			key = KeyOf(event).Previous()
		}
		keys = append(keys, key)
	}
	return keys
}

// Number gives those events a sequence that have none: the next after the latest event of what they are
// about. latest holds the sequences of these, which were read under the lock of the partner's events.
func Number(events []*delivery.Event, latest map[EventKey]int64) {
	last := make(map[EventKey]int64, len(latest))
	for _, event := range events {
		if event.Sequence > 0 {
			continue
		}
		key := Unnumbered(event)
		event.Sequence = max(latest[key], last[key]) + 1
		last[key] = event.Sequence
	}
}

// Identify gives those events an id that have none.
func Identify(random io.Reader, events []*delivery.Event) (err error) {
	for _, event := range events {
		if event.EventID == "" && err == nil {
			event.EventID, err = identifier.NewUUID(random, event.CreatedAt)
		}
	}
	return err
}

// Progress is how far an event has come.
type Progress struct {
	State State
	Tries int64 // used up
}

// Filter is the list of the types of events that an endpoint takes, separated by commas;
// empty for all but those that are only sent when they are named.
type Filter string

// FilterOf returns a list of types.
func FilterOf(types []delivery.EventType) Filter {
	names := make([]string, len(types))
	for i, kind := range types {
		names[i] = string(kind)
	}
	return Filter(strings.Join(names, ","))
}

// Types returns the types; nil if the filter names none.
func (f Filter) Types() (types []delivery.EventType) {
	if f == "" {
		return nil
	}
	for name := range strings.SplitSeq(string(f), ",") {
		types = append(types, delivery.EventType(name))
	}
	return types
}

// Takes reports whether an endpoint takes events of a type.
func (f Filter) Takes(kind delivery.EventType) bool {
	if f == "" {
		return !delivery.OnlyWhenNamed(kind)
	}
	return slices.Contains(f.Types(), kind)
}

// Head is what an endpoint says about its queue of events.
type Head struct {
	OpenUntil time.Time // nothing is sent before; zero if the breaker is closed
	WakeAt    time.Time // when there is something to do; zero if nothing waits
	Events    Filter    // what the endpoint takes
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

// Entry is a new event and how it begins in the queue of an endpoint.
type Entry struct {
	*delivery.Event
	EndpointID string
	State      State     // Pending or Skipped
	DueAt      time.Time // zero unless it may be sent
}

// Endpoint returns the endpoint of the queue.
func (e Entry) Endpoint() EndpointKey { return EndpointKey{e.PartnerID, e.EndpointID} }

// Waiting returns the endpoints for which some of the events wait, once each.
func Waiting(entries []Entry) (keys []EndpointKey) {
	for _, entry := range entries {
		if key := entry.Endpoint(); entry.State == Pending && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Wake is a new wake time of an endpoint.
type Wake struct {
	EndpointKey
	At time.Time
}

// Queue decides how the new events of a transaction begin, and which endpoints
// are woken for them, in the order in which endpoints are locked. The events of each order
// are in their sequence. heads holds the endpoints of the partners, and ahead the
// event in front of the first new one of each order, in the queue of each endpoint.
//
// The entries are in the order of the events. Each event has one for the first endpoint,
// also if there is none, and one for each other endpoint in whose queue it waits.
func Queue(
	events []*delivery.Event, heads map[EndpointKey]Head, ahead map[EventKey]Progress,
) (entries []Entry, wakes []Wake) {
	q := queueing{heads: maps.Clone(heads), blocking: make(map[EventKey]bool, len(ahead)+len(events))}
	for key, p := range ahead {
		q.blocking[key] = Blocks(p.State, p.Tries)
	}
	further := map[string][]string{}
	for _, key := range slices.SortedFunc(maps.Keys(heads), EndpointKey.Compare) {
		if key.EndpointID != "" {
			further[key.PartnerID] = append(further[key.PartnerID], key.EndpointID)
		}
	}
	entries = make([]Entry, 0, len(events))
	for _, event := range events {
		entries = append(entries, q.add(event, ""))
		for _, endpointID := range further[event.PartnerID] {
			if entry := q.add(event, endpointID); entry.State == Pending {
				entries = append(entries, entry)
			}
		}
	}
	return entries, sorted(q.woken)
}

// queueing is the state of the queues of one transaction.
type queueing struct {
	heads    map[EndpointKey]Head
	blocking map[EventKey]bool // whether an event holds back the next one of its order
	woken    map[EndpointKey]time.Time
}

// add decides how a new event begins in the queue of an endpoint.
func (q *queueing) add(event *delivery.Event, endpointID string) Entry {
	entry := Entry{Event: event, EndpointID: endpointID, State: Pending}
	key := KeyAt(event, endpointID)
	head, configured := q.heads[key.Endpoint()]
	waits := q.blocking[key.Previous()]
	if !configured || !waits && !head.Events.Takes(event.Type) {
		entry.State = Skipped
		return entry
	}
	if q.blocking[key] = true; waits {
		return entry
	}
	entry.DueAt = event.CreatedAt
	if !event.RecordedAt.IsZero() {
		entry.DueAt = event.RecordedAt
	}
	if at, sooner := head.Sooner(entry.DueAt); sooner {
		if q.woken == nil {
			q.woken = map[EndpointKey]time.Time{}
		}
		head.WakeAt, q.woken[key.Endpoint()] = at, at
		q.heads[key.Endpoint()] = head
	}
	return entry
}

func sorted(woken map[EndpointKey]time.Time) (wakes []Wake) {
	for key, at := range woken {
		wakes = append(wakes, Wake{key, at})
	}
	slices.SortFunc(wakes, func(a, b Wake) int { return a.Compare(b.EndpointKey) })
	return wakes
}
