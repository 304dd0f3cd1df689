package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	events = db.NewTable("events",
		db.Key(
			db.Text("partner_id", func(e *webhook.Event) *string { return &e.PartnerID }),
			db.Text("order_id", func(e *webhook.Event) *string { return &e.OrderID }),
			db.Integer("sequence", func(e *webhook.Event) *int64 { return &e.Sequence })),
		db.Text("event_id", func(e *webhook.Event) *string { return &e.EventID }),
		db.Text("type", func(e *webhook.Event) *string { return (*string)(&e.Type) }),
		db.Encoded("facts", encodeFacts, decodeFacts),
		db.Moment("created_at", func(e *webhook.Event) *time.Time { return &e.CreatedAt }),
		db.Text("state", func(e *webhook.Event) *string { return (*string)(&e.State) }),
		db.Moment("due_at", func(e *webhook.Event) *time.Time { return &e.DueAt }),
		db.Integer("tries", func(e *webhook.Event) *int64 { return &e.Tries }),
		db.Encoded("attempts", encodeAttempts, decodeAttempts),
	)
	addEvents         = events.Insert()
	findEventsByOrder = db.LookUpBy(byOrder, events)
	findStates        = db.LookUpSome(byEvent, events, slices.Concat(events.Key, events.Pick("state", "tries")))
	findNewest        = db.LookUpSome(db.ByID("partner_id"), events,
		events.Pick("partner_id", "event_id")).Last("event_id")
	dropEventsOf      = db.DeleteFrom(events, byOrder)
	dropEventsInState = db.DeleteFrom(events, slices.Concat(events.Key, events.Pick("state")))
	eraseFacts        = db.UpdateOf(events, events.Key, events.Pick("facts"))

	byEvent = db.Key(
		db.Text("partner_id", func(k *outbox.EventKey) *string { return &k.PartnerID }),
		db.Text("order_id", func(k *outbox.EventKey) *string { return &k.OrderID }),
		db.Integer("sequence", func(k *outbox.EventKey) *int64 { return &k.Sequence }))
)

func encodeFacts(e *webhook.Event) (string, error) {
	encoded, err := strictjson.Marshal(e.Facts)
	return string(encoded), err
}

// decodeFacts marks an event whose facts cannot be read. It can be listed and
// removed all the same.
func decodeFacts(e *webhook.Event, stored string) error {
	if e.Damaged = db.ReadJSON(stored, &e.Facts) != nil; e.Damaged {
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
	if db.ReadJSON(stored, &e.Log) != nil {
		e.Log = nil
	}
	return nil
}

// saveProgress writes how far events have come, from the old state and tries to
// the new, and returns the keys of those that it has written.
var saveProgress = db.UpdateReturning(events,
	append(db.Within(eventOf, events.Key...),
		db.Text("state", func(p *webhook.Progress) *string { return (*string)(&p.FromState) }),
		db.Integer("tries", func(p *webhook.Progress) *int64 { return &p.FromTries })),
	db.Within(eventOf, events.Pick("state", "due_at", "tries", "attempts")...),
	byEvent, func(p *webhook.Progress) *outbox.EventKey { key := p.Key(); return &key })

func eventOf(p *webhook.Progress) *webhook.Event { return p.Event }

// An event that waits behind another of its order is pending and never due.
var (
	findWaiting = db.LookUpBy(byOrder, events).Where("state = 'pending' AND due_at = 0")

	// makeDue makes events due that wait.
	makeDue = db.UpdateOf(events,
		db.Within(waitingEvent, slices.Concat(events.Key, events.Pick("state", "due_at"))...),
		db.Key(db.Moment("due_at", func(p *promotion) *time.Time { return &p.at })))
)

// promotion makes an event due at a time.
type promotion struct {
	waiting webhook.Event
	at      time.Time
}

func waitingEvent(p *promotion) *webhook.Event { return &p.waiting }

// waitingAt is what makeDue expects of the event of a key: that it waits behind another.
func waitingAt(key outbox.EventKey) webhook.Event {
	return webhook.Event{
		Event: delivery.Event{PartnerID: key.PartnerID, OrderID: key.OrderID, Sequence: key.Sequence},
		State: outbox.Pending,
	}
}

// promote makes events due that wait. Keys of other events are left alone.
func promote(ctx context.Context, c db.Conn, keys []outbox.EventKey, at time.Time) error {
	keys, err := mayWait(ctx, c, keys)
	if err != nil {
		return err
	}
	rows := make([]*promotion, len(keys))
	for i, key := range keys {
		rows[i] = &promotion{waitingAt(key), at}
	}
	_, err = db.WriteNow(ctx, c, makeDue, rows...)
	return err
}

// addBehind adds to events those of their orders that wait behind them.
func addBehind(ctx context.Context, c db.Conn, due []*webhook.Event) error {
	keys := make([]outbox.EventKey, len(due))
	for i, event := range due {
		keys[i] = event.Key().Next()
	}
	keys, err := mayWait(ctx, c, keys)
	if err != nil {
		return err
	}
	wanted := make([]order.OrderKey, len(keys))
	for i, key := range keys {
		wanted[i] = order.OrderKey{PartnerID: key.PartnerID, OrderID: key.OrderID}
	}
	rows, err := db.FindNow(ctx, c, findWaiting, wanted...)
	waiting := make(map[outbox.EventKey]*webhook.Event, len(rows))
	for _, row := range rows {
		waiting[row.Key()] = row
	}
	for _, event := range due {
		for key := event.Key().Next(); waiting[key] != nil; key = key.Next() {
			event.Behind = append(event.Behind, waiting[key])
		}
	}
	return err
}

// worthOneQuery is from how many events on one query about all of them takes
// less time than a look at each.
const worthOneQuery = 8

// mayWait returns the keys at which an event may wait behind another; it drops
// those that one query can rule out. Mostly none waits: the events of an order
// are hours apart.
func mayWait(ctx context.Context, c db.Conn, keys []outbox.EventKey) (left []outbox.EventKey, err error) {
	if !c.GoesRowByRow() {
		return keys, nil // one statement deals with all of them anyway
	}
	byPartner := map[string][]outbox.EventKey{}
	for _, key := range keys {
		byPartner[key.PartnerID] = append(byPartner[key.PartnerID], key)
	}
	for partnerID, own := range byPartner {
		if len(own) >= worthOneQuery {
			if own, err = mayWaitOf(ctx, c, partnerID, own); err != nil {
				return nil, err
			}
		}
		left = append(left, own...)
	}
	return left, nil
}

// mayWaitOf does the same for keys of one partner.
func mayWaitOf(ctx context.Context, c db.Conn, partnerID string, keys []outbox.EventKey) ([]outbox.EventKey, error) {
	const perKey = 4 // with so many waiting events for each key, reading them takes as long as looking for each key
	most := perKey * len(keys)
	byOrder := func(a, b outbox.EventKey) int { return strings.Compare(a.OrderID, b.OrderID) }
	first, last := slices.MinFunc(keys, byOrder).OrderID, slices.MaxFunc(keys, byOrder).OrderID
	waiting := make(map[outbox.EventKey]bool, len(keys))
	// The index of pending events has the keys of the table behind partner and time.
	err := c.Query(ctx, `SELECT order_id, sequence FROM events
		WHERE partner_id = $1 AND state = 'pending' AND due_at = 0 AND order_id >= $2 AND order_id <= $3 LIMIT $4`,
		[]any{partnerID, first, last, most}, func(r db.Row) error {
			key := outbox.EventKey{PartnerID: partnerID}
			err := r.Scan(&key.OrderID, &key.Sequence)
			waiting[key] = true
			return err
		})
	if err != nil || len(waiting) == most { // there may be more
		return keys, err
	}
	return slices.DeleteFunc(keys, func(key outbox.EventKey) bool { return !waiting[key] }), nil
}

// eventsOf lists a partner's events.
func eventsOf(ctx context.Context, c db.Conn, f webhook.Filter) ([]*webhook.Event, error) {
	selected := db.OfPartner(f.PartnerID)
	selected.AddText("type = ?", string(f.Type))
	selected.AddText("order_id = ?", f.OrderID)
	selected.AddText("event_id < ?", f.Before)
	selected.AddText("event_id > ?", f.After)
	selected.AddText("state = ?", string(f.State))
	order := "event_id"
	switch f.State {
	case outbox.Failed, outbox.Skipped:
		selected.Add("state IN ('failed', 'skipped')") // names the partial index that holds these
	case outbox.Pending:
		few, err := fewPending(ctx, c, f.PartnerID)
		if err != nil {
			return nil, err
		}
		if few {
			// Sorted by what no index has, they are found by that of due events.
			selected.Add("state = 'pending'")
			order = "event_id || ''"
		}
	default: // dense among all events
	}
	if f.After == "" {
		order += " DESC"
	}
	tail, args := selected.Clause("ORDER BY "+order+" LIMIT ?", f.Limit)
	return events.All(ctx, c, tail, args...)
}

// fewPending reports whether a partner's pending events are so few that sorting
// them takes less time than finding them among all its events.
func fewPending(ctx context.Context, c db.Conn, partnerID string) (bool, error) {
	const many = 2000
	more, err := db.Exists(ctx, c,
		"SELECT sequence FROM events WHERE partner_id = $1 AND state = 'pending' LIMIT 1 OFFSET $2", partnerID, many)
	return !more, err
}

// writeQueue queues new events and wakes the endpoints that have to send them.
func writeQueue(p *db.Pipeline, entries []outbox.Entry, wakes []outbox.Wake) {
	rows := make([]*webhook.Event, len(entries))
	for i, entry := range entries {
		rows[i] = &webhook.Event{Event: *entry.Event, State: entry.State, DueAt: entry.DueAt}
	}
	woken := make([]*webhook.Endpoint, len(wakes))
	for i, wake := range wakes {
		woken[i] = &webhook.Endpoint{PartnerID: wake.PartnerID, Head: outbox.Head{WakeAt: wake.At}}
	}
	db.WriteAll(p, addEvents, rows)
	db.Write(p, wakeEndpoints, woken)
}

// turn is the row of a partner that transactions lock in order to add events of the partner
// one after the other. Which id is next, the partner's newest event says: a column for it
// would be wrong after events of an earlier release, whose nodes lock no row.
type turn struct{ partnerID string }

var (
	eventTurns = db.NewTable("event_turns", db.Key(db.Text("partner_id", func(t *turn) *string { return &t.partnerID })))
	addTurns   = eventTurns.Insert()
	lockTurns  = db.LockBy(db.ByID("partner_id"), eventTurns)
)

// takeTurns queues locks that keep others from adding events of partners, whose ids are
// sorted, until the transaction ends.
//
// No two transactions wait for each other here. First each adds the rows that are missing.
// While it waits there for another transaction, which has added the same row, it holds only
// rows that it has added itself, and all of them sort before that one. Then all of its rows
// exist, and it locks them in their order; for a row that is being added it no longer waits.
func takeTurns(p *db.Pipeline, partnerIDs []string) {
	if p.Conn.WritesAlone() {
		return
	}
	rows := make([]*turn, len(partnerIDs))
	for i, partnerID := range partnerIDs {
		rows[i] = &turn{partnerID}
	}
	db.Write(p, addTurns, rows)
	db.Find(p, lockTurns, partnerIDs)
}

var (
	endpoints = db.NewTable("webhook_endpoints",
		db.Key(db.Text("partner_id", func(e *webhook.Endpoint) *string { return &e.PartnerID })),
		db.Text("url", func(e *webhook.Endpoint) *string { return &e.URL }),
		db.Flag("enabled", func(e *webhook.Endpoint) *bool { return &e.Enabled }),
		db.Text("disabled_reason", func(e *webhook.Endpoint) *string { return &e.DisabledReason }),
		db.Moment("created_at", func(e *webhook.Endpoint) *time.Time { return &e.CreatedAt }),
		db.Blob("secret", func(e *webhook.Endpoint) *[]byte { return &e.Secret }),
		db.Blob("next_secret", func(e *webhook.Endpoint) *[]byte { return &e.NextSecret }),
		db.Moment("next_secret_at", func(e *webhook.Endpoint) *time.Time { return &e.NextSecretAt }),
		db.Integer("failures", func(e *webhook.Endpoint) *int64 { return &e.Failures }),
		db.Moment("failing_since", func(e *webhook.Endpoint) *time.Time { return &e.FailingSince }),
		db.Integer("pace", func(e *webhook.Endpoint) *int64 { return &e.Pace }),
		db.Moment("open_until", func(e *webhook.Endpoint) *time.Time { return &e.OpenUntil }),
		db.Moment("wake_at", func(e *webhook.Endpoint) *time.Time { return &e.WakeAt }),
		db.Text("holder", func(e *webhook.Endpoint) *string { return &e.Holder }),
		db.Moment("lease_until", func(e *webhook.Endpoint) *time.Time { return &e.LeaseUntil }),
	)
	findEndpoints = db.LookUpBy(db.ByID("partner_id"), endpoints)
	lockEndpoints = db.LockBy(db.ByID("partner_id"), endpoints)
	addEndpoints  = endpoints.Insert()
	saveEndpoints = endpoints.Update()
	wakeEndpoints = db.UpdateOf(endpoints, endpoints.Key, endpoints.Pick("wake_at"))
)

var (
	endpointChanges = db.NewTable("endpoint_changes",
		db.Key(
			db.Text("partner_id", func(c *webhook.Change) *string { return &c.PartnerID }),
			db.Moment("signed_at", func(c *webhook.Change) *time.Time { return &c.SignedAt }),
			db.Blob("signature", func(c *webhook.Change) *[]byte { return &c.Signature })))
	addEndpointChanges = endpointChanges.Insert()
)

// LastChange returns the latest time at which a change of a partner's endpoint was
// signed; zero if none is kept.
func (tx webhookTx) LastChange(ctx context.Context, partnerID string) (signedAt time.Time, err error) {
	err = tx.conn.Query(ctx,
		"SELECT signed_at FROM endpoint_changes WHERE partner_id = $1 ORDER BY signed_at DESC LIMIT 1", []any{partnerID},
		func(r db.Row) error { return r.Scan(&signedAt) })
	return signedAt, err
}

// AddChange keeps a change of a partner's endpoint. It is false if it is kept already.
func (tx webhookTx) AddChange(ctx context.Context, change *webhook.Change) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addEndpointChanges, change)
	return rows == 1, err
}
