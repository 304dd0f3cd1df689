package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	events = db.NewTable("events",
		db.Key(partnerOfEvent, orderOfEvent, sequenceOfEvent),
		eventID, eventType,
		db.Encoded("facts", encodeFacts, decodeFacts),
		db.Moment("created_at", func(e *webhook.Event) *time.Time { return &e.CreatedAt }),
		stateOfEvent, dueAt, tries, attempts)
	// furtherDeliveries has how far events have come at further endpoints; addContents reads
	// what they say.
	furtherDeliveries = db.NewTable("further_deliveries",
		db.Key(partnerOfEvent, orderOfEvent, sequenceOfEvent,
			db.Text("endpoint_id", func(e *webhook.Event) *string { return &e.EndpointID })),
		eventID, eventType, stateOfEvent, dueAt, tries, attempts)

	partnerOfEvent  = db.Text("partner_id", func(e *webhook.Event) *string { return &e.PartnerID })
	orderOfEvent    = db.Text("order_id", func(e *webhook.Event) *string { return &e.OrderID })
	sequenceOfEvent = db.Integer("sequence", func(e *webhook.Event) *int64 { return &e.Sequence })
	eventID         = db.Text("event_id", func(e *webhook.Event) *string { return &e.EventID })
	eventType       = db.Text("type", func(e *webhook.Event) *string { return (*string)(&e.Type) })
	stateOfEvent    = db.Text("state", func(e *webhook.Event) *string { return (*string)(&e.State) })
	dueAt           = db.Moment("due_at", func(e *webhook.Event) *time.Time { return &e.DueAt })
	tries           = db.Integer("tries", func(e *webhook.Event) *int64 { return &e.Tries })
	attempts        = db.Encoded("attempts", encodeAttempts, decodeAttempts)

	findEventsByOrder = db.LookUpBy(byOrder, events)
	findEvents        = db.LookUpBy(byEvent, events)
	findFurther       = db.LookUpBy(byEvent, furtherDeliveries)
	findFurtherDue    = findFurther.Where("state = 'pending'")
	findNewest        = db.LookUpSome(db.ByID("partner_id"), events,
		events.Pick("partner_id", "event_id")).Last("event_id")
	findLatest        = db.LookUpSome(byOrderOfEvent, events, events.Key).Last("sequence")
	dropEventsOf      = db.DeleteFrom(events, byOrder)
	dropFurtherOf     = db.DeleteFrom(furtherDeliveries, byOrder)
	dropFurther       = db.DeleteFrom(furtherDeliveries, byEvent)
	dropEventsInState = db.DeleteFrom(events, slices.Concat(events.Key, events.Pick("state")))
	eraseFacts        = db.UpdateOf(events, events.Key, events.Pick("facts"))

	byOrderOfEvent = db.Key(
		db.Text("partner_id", func(k *outbox.EventKey) *string { return &k.PartnerID }),
		db.Text("order_id", func(k *outbox.EventKey) *string { return &k.OrderID }))
	byEvent = append(slices.Clip(byOrderOfEvent),
		db.Integer("sequence", func(k *outbox.EventKey) *int64 { return &k.Sequence }))
	byDelivery = append(slices.Clip(byEvent),
		db.Text("endpoint_id", func(k *outbox.EventKey) *string { return &k.EndpointID }))

	byPartner  = db.Key(db.Text("partner_id", func(k *outbox.EndpointKey) *string { return &k.PartnerID }))
	byEndpoint = append(slices.Clip(byPartner),
		db.Text("endpoint_id", func(k *outbox.EndpointKey) *string { return &k.EndpointID }))
)

// queueTables are the two tables of queues, of the first endpoints of partners or of further
// ones, and the statements that both have.
type queueTables struct {
	events    *db.Table[*webhook.Event]
	endpoints *db.Table[*webhook.Endpoint]

	addEvents    *db.Statement[*webhook.Event]
	findStates   *db.Lookup[*outbox.EventKey, *webhook.Event]
	findRows     *db.Lookup[*outbox.EventKey, *webhook.Event]
	findWaiting  *db.Lookup[*outbox.EventKey, *webhook.Event] // of an order
	saveProgress *db.Lookup[*webhook.Progress, *outbox.EventKey]
	makeDue      *db.Statement[*promotion]

	findEndpoints *db.Lookup[*outbox.EndpointKey, *webhook.Endpoint]
	lockEndpoints *db.Lookup[*outbox.EndpointKey, *webhook.Endpoint]
	addEndpoints  *db.Statement[*webhook.Endpoint]
	saveEndpoints *db.Statement[*webhook.Endpoint]
	wakeEndpoints *db.Statement[*webhook.Endpoint]
	dropEndpoints *db.Statement[*outbox.EndpointKey]
}

func newQueueTables(
	events *db.Table[*webhook.Event], byKey []db.Column[*outbox.EventKey],
	endpoints *db.Table[*webhook.Endpoint], byEndpoint []db.Column[*outbox.EndpointKey],
) *queueTables {
	ofOrder := slices.DeleteFunc(slices.Clone(byKey),
		func(c db.Column[*outbox.EventKey]) bool { return c.Name == "sequence" })
	return &queueTables{
		events: events, endpoints: endpoints,
		addEvents:  events.Insert(),
		findStates: db.LookUpSome(byKey, events, slices.Concat(events.Key, events.Pick("state", "tries"))),
		findRows:   db.LookUpBy(byKey, events),
		// What waits behind another of its order is pending and never due.
		findWaiting: db.LookUpBy(ofOrder, events).Where("state = 'pending' AND due_at = 0"),
		// It writes how far events have come, from the old state and tries to the new, and
		// returns the keys of those that it has written.
		saveProgress: db.UpdateReturning(events,
			append(db.Within(eventOf, events.Key...),
				db.Text("state", func(p *webhook.Progress) *string { return (*string)(&p.FromState) }),
				db.Integer("tries", func(p *webhook.Progress) *int64 { return &p.FromTries })),
			db.Within(eventOf, events.Pick("state", "due_at", "tries", "attempts")...),
			byKey, func(p *webhook.Progress) *outbox.EventKey { key := p.Key(); return &key }),
		makeDue: db.UpdateOf(events,
			db.Within(waitingEvent, slices.Concat(events.Key, events.Pick("state", "due_at"))...),
			db.Key(db.Moment("due_at", func(p *promotion) *time.Time { return &p.at }))),

		findEndpoints: db.LookUpBy(byEndpoint, endpoints),
		lockEndpoints: db.LockBy(byEndpoint, endpoints),
		addEndpoints:  endpoints.Insert(),
		saveEndpoints: endpoints.Update(),
		wakeEndpoints: db.UpdateOf(endpoints, endpoints.Key, endpoints.Pick("wake_at")),
		dropEndpoints: db.DeleteFrom(endpoints, byEndpoint),
	}
}

var (
	firstQueues   = newQueueTables(events, byEvent, endpoints, byPartner)
	furtherQueues = newQueueTables(furtherDeliveries, byDelivery, furtherEndpoints, byEndpoint)

	// queuesInOrder are all queues, in the order in which their endpoints are locked.
	queuesInOrder = [...]*queueTables{firstQueues, furtherQueues}

	// findFurtherKeys finds the keys of a partner's further endpoints.
	findFurtherKeys = db.LookUpSome(byPartner, furtherEndpoints, furtherEndpoints.Key)

	// findFilters and findFurtherFilters find which types of events are named by endpoints of a partner.
	findFilters        = filtersOf(endpoints)
	findFurtherFilters = filtersOf(furtherEndpoints)
)

func filtersOf(endpoints *db.Table[*webhook.Endpoint]) *db.Lookup[*outbox.EndpointKey, *webhook.Endpoint] {
	return db.LookUpSome(byPartner, endpoints, endpoints.Pick("partner_id", "events")).Where("events <> ''")
}

// WrongDeliveries finds what cannot be in the queues of endpoints: pending events whose endpoint does not
// exist or would not be woken for them, or that wait behind no other event of their order; and deliveries to
// further endpoints of events that do not exist.
var WrongDeliveries = wrongIn(events.Name, endpoints.Name, "", "'the first endpoint'") + " UNION ALL " +
	wrongIn(furtherDeliveries.Name, furtherEndpoints.Name, " AND o.endpoint_id = d.endpoint_id", "d.endpoint_id") +
	` UNION ALL SELECT 'the event ' || d.event_id || ' at ' || d.endpoint_id || ' does not exist' FROM further_deliveries AS d
	LEFT JOIN events AS e ON e.partner_id = d.partner_id AND e.order_id = d.order_id AND e.sequence = d.sequence
		AND e.event_id = d.event_id AND e.type = d.type
	WHERE e.event_id IS NULL`

// wrongIn returns the part of WrongDeliveries about one pair of tables. same is what an endpoint and a delivery, or two
// deliveries, have in common besides the partner.
func wrongIn(deliveries, endpoints, same, endpoint string) string {
	the := "SELECT 'the event ' || d.event_id || ' at ' || " + endpoint + " || '"
	return the + ` waits, but the endpoint would not be woken for it' FROM ` + deliveries + ` AS d
	LEFT JOIN ` + endpoints + ` AS o ON o.partner_id = d.partner_id` + same + `
	WHERE d.state = 'pending' AND (o.wake_at IS NULL OR d.due_at <> 0 AND o.wake_at = 0)
	UNION ALL ` + the + ` waits behind no event of its order' FROM ` + deliveries + ` AS d
	LEFT JOIN ` + deliveries + ` AS o ON o.partner_id = d.partner_id AND o.order_id = d.order_id
		AND o.sequence = d.sequence - 1` + same + `
	WHERE d.state = 'pending' AND d.due_at = 0 AND (o.state IS NULL OR o.state <> 'pending' OR o.tries >= ` +
		strconv.Itoa(outbox.TriesBeforeNext) + `)`
}

// queuesOf returns the tables of an endpoint's queue.
func queuesOf(endpointID string) *queueTables {
	if endpointID == "" {
		return firstQueues
	}
	return furtherQueues
}

// of returns the elements that are about these queues.
func of[T any](q *queueTables, all []T, endpointID func(T) string) (own []T) {
	for _, one := range all {
		if queuesOf(endpointID(one)) == q {
			own = append(own, one)
		}
	}
	return own
}

func endpointOfKey(k outbox.EventKey) string       { return k.EndpointID }
func endpointOfEvent(e *webhook.Event) string      { return e.EndpointID }
func endpointOfProgress(p webhook.Progress) string { return p.EndpointID }
func idOfKey(k outbox.EndpointKey) string          { return k.EndpointID }
func idOfEndpoint(e *webhook.Endpoint) string      { return e.EndpointID }

// inQueue begins with the conditions that select the events of an endpoint.
func inQueue(of outbox.EndpointKey) *db.Conditions {
	selected := db.OfPartner(of.PartnerID)
	selected.AddText("endpoint_id = ?", of.EndpointID)
	return selected
}

// all returns events of the queue of an endpoint, with what they say.
func (q *queueTables) all(
	ctx context.Context, c db.Conn, selected *db.Conditions, rest string, values ...any,
) ([]*webhook.Event, error) {
	tail, args := selected.Clause(rest, values...)
	found, err := q.events.All(ctx, c, tail, args...)
	if err != nil {
		return nil, err
	}
	return found, q.addContents(ctx, c, found)
}

// addContents adds to rows of further deliveries what their events say. Those of an event that was removed are
// damaged.
func (q *queueTables) addContents(ctx context.Context, c db.Conn, rows []*webhook.Event) error {
	if q == firstQueues || len(rows) == 0 {
		return nil
	}
	keys := make([]outbox.EventKey, len(rows))
	for i, row := range rows {
		keys[i] = outbox.KeyOf(&row.Event)
	}
	found, err := db.FindNow(ctx, c, findEvents, keys...)
	said := make(map[outbox.EventKey]*webhook.Event, len(found))
	for _, event := range found {
		said[event.Key()] = event
	}
	for i, row := range rows {
		event := said[keys[i]]
		if row.Damaged = event == nil || event.Damaged; event != nil {
			row.Event = event.Event
		}
	}
	return err
}

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

func eventOf(p *webhook.Progress) *webhook.Event { return p.Event }

// promotion makes an event due at a time.
type promotion struct {
	waiting webhook.Event
	at      time.Time
}

func waitingEvent(p *promotion) *webhook.Event { return &p.waiting }

// waitingAt is what makeDue expects of the event of a key: that it waits behind another.
func waitingAt(key outbox.EventKey) webhook.Event {
	return webhook.Event{
		Event:      delivery.Event{PartnerID: key.PartnerID, OrderID: key.OrderID, Sequence: key.Sequence},
		EndpointID: key.EndpointID, State: outbox.Pending,
	}
}

// promote makes events due that wait. Keys of other events are left alone.
func promote(ctx context.Context, c db.Conn, keys []outbox.EventKey, at time.Time) error {
	keys, err := mayWait(ctx, c, keys)
	if err != nil {
		return err
	}
	for _, q := range queuesInOrder {
		var rows []*promotion
		for _, key := range of(q, keys, endpointOfKey) {
			rows = append(rows, &promotion{waitingAt(key), at})
		}
		if _, err := db.WriteNow(ctx, c, q.makeDue, rows...); err != nil {
			return err
		}
	}
	return nil
}

// addBehind adds to events of a queue those of their orders that wait behind them.
func (q *queueTables) addBehind(ctx context.Context, c db.Conn, due []*webhook.Event) error {
	keys := make([]outbox.EventKey, len(due))
	for i, event := range due {
		keys[i] = event.Key().Next()
	}
	keys, err := mayWait(ctx, c, keys)
	if err != nil {
		return err
	}
	rows, err := db.FindNow(ctx, c, q.findWaiting, keys...)
	if err != nil {
		return err
	}
	waiting := make(map[outbox.EventKey]*webhook.Event, len(rows))
	for _, row := range rows {
		waiting[row.Key()] = row
	}
	for _, event := range due {
		for key := event.Key().Next(); waiting[key] != nil; key = key.Next() {
			event.Behind = append(event.Behind, waiting[key])
		}
	}
	return q.addContents(ctx, c, rows)
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
	byQueue := map[outbox.EndpointKey][]outbox.EventKey{}
	for _, key := range keys {
		byQueue[key.Endpoint()] = append(byQueue[key.Endpoint()], key)
	}
	for endpoint, own := range byQueue {
		if len(own) >= worthOneQuery {
			if own, err = mayWaitAt(ctx, c, endpoint, own); err != nil {
				return nil, err
			}
		}
		left = append(left, own...)
	}
	return left, nil
}

// mayWaitAt does the same for keys of one queue.
func mayWaitAt(
	ctx context.Context, c db.Conn, endpoint outbox.EndpointKey, keys []outbox.EventKey,
) ([]outbox.EventKey, error) {
	const perKey = 4 // with so many waiting events for each key, reading them takes as long as looking for each key
	most := perKey * len(keys)
	byOrder := func(a, b outbox.EventKey) int { return strings.Compare(a.OrderID, b.OrderID) }
	first, last := slices.MinFunc(keys, byOrder).OrderID, slices.MaxFunc(keys, byOrder).OrderID
	waiting := make(map[outbox.EventKey]bool, len(keys))
	// The index of pending events has the keys of the table behind endpoint and time.
	selected := inQueue(endpoint)
	selected.Add("state = 'pending' AND due_at = 0")
	selected.Add("order_id >= ?", first)
	selected.Add("order_id <= ?", last)
	tail, args := selected.Clause("LIMIT ?", most)
	err := c.Query(ctx, "SELECT order_id, sequence FROM "+queuesOf(endpoint.EndpointID).events.Name+" "+tail, args,
		func(r db.Row) error {
			key := outbox.EventKey{PartnerID: endpoint.PartnerID, EndpointID: endpoint.EndpointID}
			err := r.Scan(&key.OrderID, &key.Sequence)
			waiting[key] = true
			return err
		})
	if err != nil || len(waiting) == most { // there may be more
		return keys, err
	}
	return slices.DeleteFunc(keys, func(key outbox.EventKey) bool { return !waiting[key] }), nil
}

// eventsOf lists a partner's events in the queue of an endpoint.
func eventsOf(ctx context.Context, c db.Conn, f webhook.Filter) ([]*webhook.Event, error) {
	selected := inQueue(f.Endpoint())
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
		few, err := fewPending(ctx, c, f.Endpoint())
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
	return queuesOf(f.EndpointID).all(ctx, c, selected, "ORDER BY "+order+" LIMIT ?", f.Limit)
}

// fewPending reports whether the pending events of a queue are so few that sorting
// them takes less time than finding them among all its events.
func fewPending(ctx context.Context, c db.Conn, endpoint outbox.EndpointKey) (bool, error) {
	const many = 2000
	selected := inQueue(endpoint)
	selected.Add("state = 'pending'")
	tail, args := selected.Clause("LIMIT 1 OFFSET ?", many)
	more, err := db.Exists(ctx, c, "SELECT sequence FROM "+queuesOf(endpoint.EndpointID).events.Name+" "+tail, args...)
	return !more, err
}

// addEvents adds events of partners, some of which have no sequence yet, and returns the endpoints for which they wait.
func addEvents(ctx context.Context, c db.Conn, events []*delivery.Event) (waits []outbox.EndpointKey, err error) {
	partnerIDs := make([]string, len(events))
	for i, event := range events {
		partnerIDs[i] = event.PartnerID
	}
	slices.Sort(partnerIDs)
	queues, err := orderTx{conn: c}.LockQueues(ctx, slices.Compact(partnerIDs), outbox.Ahead(events))
	if err != nil {
		return nil, err
	}
	entries, wakes := queues.Add(events)
	p := db.NewPipeline(c)
	writeQueue(p, entries, wakes)
	_, err = p.Flush(ctx)
	return outbox.Waiting(entries), err
}

// writeQueue queues new events and wakes the endpoints that have to send them.
func writeQueue(p *db.Pipeline, entries []outbox.Entry, wakes []outbox.Wake) {
	rows := make([]*webhook.Event, len(entries))
	for i, entry := range entries {
		rows[i] = &webhook.Event{
			Event: *entry.Event, EndpointID: entry.EndpointID, State: entry.State, DueAt: entry.DueAt,
		}
	}
	woken := make([]*webhook.Endpoint, len(wakes))
	for i, wake := range wakes {
		woken[i] = &webhook.Endpoint{
			PartnerID: wake.PartnerID, EndpointID: wake.EndpointID, Head: outbox.Head{WakeAt: wake.At},
		}
	}
	for _, q := range queuesInOrder {
		db.WriteAll(p, q.addEvents, of(q, rows, endpointOfEvent))
		db.Write(p, q.wakeEndpoints, of(q, woken, idOfEndpoint))
	}
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
	partnerOfEndpoint = db.Text("partner_id", func(e *webhook.Endpoint) *string { return &e.PartnerID })

	endpoints        = db.NewTable("webhook_endpoints", db.Key(partnerOfEndpoint), endpointColumns...)
	furtherEndpoints = db.NewTable("further_endpoints", db.Key(partnerOfEndpoint,
		db.Text("endpoint_id", func(e *webhook.Endpoint) *string { return &e.EndpointID })), endpointColumns...)

	endpointColumns = []db.Column[*webhook.Endpoint]{
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
		db.Text("events", func(e *webhook.Endpoint) *string { return (*string)(&e.Events) }),
		db.Text("format", func(e *webhook.Endpoint) *string { return (*string)(&e.Format) }),
	}
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
