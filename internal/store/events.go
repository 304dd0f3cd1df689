package store

import (
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/webhook"
)

// The columns of events that some statements write or read by themselves.
var (
	eventFacts    = encoded("facts", encodeFacts, decodeFacts)
	eventState    = text("state", func(e *webhook.Event) *string { return (*string)(&e.State) })
	eventDueAt    = moment("due_at", func(e *webhook.Event) *time.Time { return &e.DueAt })
	eventTries    = integer("tries", func(e *webhook.Event) *int64 { return &e.Tries })
	eventAttempts = encoded("attempts", encodeAttempts, decodeAttempts)
)

var (
	events = newTable("events",
		key(
			text("partner_id", func(e *webhook.Event) *string { return &e.PartnerID }),
			text("order_id", func(e *webhook.Event) *string { return &e.OrderID }),
			integer("sequence", func(e *webhook.Event) *int64 { return &e.Sequence })),
		text("event_id", func(e *webhook.Event) *string { return &e.EventID }),
		text("type", func(e *webhook.Event) *string { return (*string)(&e.Type) }),
		eventFacts,
		moment("created_at", func(e *webhook.Event) *time.Time { return &e.CreatedAt }),
		eventState, eventDueAt, eventTries, eventAttempts,
	)
	addEvents         = events.insert()
	findEventsByOrder = lookUpBy(byOrder, events)
	findEvents        = lookUpBy(byEvent, events)

	byEvent = key(
		text("partner_id", func(k *webhook.EventKey) *string { return &k.PartnerID }),
		text("order_id", func(k *webhook.EventKey) *string { return &k.OrderID }),
		integer("sequence", func(k *webhook.EventKey) *int64 { return &k.Sequence }))
	findStates = lookUpSome(lookUp, byEvent, events, slices.Concat(events.key, key(eventState, eventTries)))
)

func encodeFacts(e *webhook.Event) (string, error) {
	encoded, err := strictjson.Marshal(e.Facts)
	return string(encoded), err
}

// decodeFacts marks an event whose facts cannot be read. It can be listed and
// removed all the same.
func decodeFacts(e *webhook.Event, stored string) error {
	if e.Damaged = fromJSON(stored, &e.Facts) != nil; e.Damaged {
		e.Facts = delivery.EventFacts{}
	}
	return nil
}

func encodeAttempts(e *webhook.Event) (string, error) {
	if len(e.Log) == 0 {
		return "", nil
	}
	encoded, err := strictjson.Marshal(e.Log)
	return string(encoded), err
}

// decodeAttempts drops a log that cannot be read, which must not keep an event
// from being sent.
func decodeAttempts(e *webhook.Event, stored string) error {
	if fromJSON(stored, &e.Log) != nil {
		e.Log = nil
	}
	return nil
}
