package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	_ webhook.Reader = (*Tx)(nil)
	_ webhook.Writer = (*Tx)(nil)
)

// Webhooks is the store as the webhook room sees it.
func (s *Store) Webhooks() webhook.Store { return View[webhook.Reader, webhook.Writer]{s} }

var (
	endpointKeys  = texts("partner_id")
	wakeEndpoints = newSet(update, "webhook_endpoints", endpointKeys, integers("wake_at"))

	progressColumns = slices.Concat(eventColumns, texts("state"), integers("due_at", "tries"), texts("attempts"))
	// The state and tries are among the values and the keys: from the old to the new.
	setProgress = newSet(update, "events", slices.Concat(eventKeys, texts("state"), integers("tries")),
		slices.Concat(texts("state"), integers("due_at", "tries"), texts("attempts")))
	findWaiting = newSet(lookUp, "events", slices.Concat(orderKeys, texts("state"), integers("due_at")), progressColumns)
	// An event that waits behind another is pending and never due.
	promoteEvents = newSet(update, "events", slices.Concat(eventKeys, texts("state"), integers("due_at")), integers("due_at"))
)

// Endpoint is a partner's endpoint; nil if there is none.
func (tx *Tx) Endpoint(ctx context.Context, partnerID string) (*webhook.Endpoint, error) {
	return findOne(ctx, tx.conn.conn, findEndpoints, partnerID)
}

// LockEndpoints reads endpoints, locked until the transaction ends. The ids must
// be sorted.
func (tx *Tx) LockEndpoints(ctx context.Context, partnerIDs []string) (map[string]*webhook.Endpoint, error) {
	return endpointsByPartner(ctx, tx.conn.conn, lockEndpoints, partnerIDs)
}

// AddEndpoint adds a partner's endpoint. It is false if there is one.
func (tx *Tx) AddEndpoint(ctx context.Context, endpoint *webhook.Endpoint) (added bool, err error) {
	rows, err := writeNow(ctx, tx.conn.conn, addEndpoints, endpoint)
	return rows == 1, err
}

// SaveEndpoints overwrites endpoints.
func (tx *Tx) SaveEndpoints(ctx context.Context, endpoints []*webhook.Endpoint) error {
	_, err := writeNow(ctx, tx.conn.conn, saveEndpoints, endpoints...)
	return err
}

// RemoveEndpoint removes a partner's endpoint.
func (tx *Tx) RemoveEndpoint(ctx context.Context, partnerID string) error {
	_, err := tx.conn.exec(ctx, "DELETE FROM webhook_endpoints WHERE partner_id = $1", partnerID)
	return err
}

// SkipPending ends waiting for so many pending events, and for the others of
// their orders.
func (tx *Tx) SkipPending(ctx context.Context, partnerID string, limit int) (skipped int64, err error) {
	// Sorted as the index is that has nothing but what is pending.
	return tx.conn.exec(ctx, `UPDATE events SET state = 'skipped', due_at = 0
		WHERE partner_id = $1 AND state = 'pending' AND order_id IN (
			SELECT order_id FROM events WHERE partner_id = $1 AND state = 'pending' ORDER BY due_at LIMIT $2)`, partnerID, limit)
}

// DropLeases frees all endpoints.
func (tx *Tx) DropLeases(ctx context.Context) error {
	_, err := tx.conn.exec(ctx, "UPDATE webhook_endpoints SET holder = $1, lease_until = $2 WHERE holder <> $1", "", 0)
	return err
}

// Wakes lists the partners whose enabled endpoints have something to do and are
// leased by nobody, longest due first, and tells when the next one will have.
func (tx *Tx) Wakes(ctx context.Context, now time.Time, limit int) (due []string, next time.Time, err error) {
	err = tx.conn.query(ctx, `SELECT partner_id FROM webhook_endpoints
		WHERE enabled = 1 AND wake_at > 0 AND wake_at <= $1 AND lease_until <= $1 ORDER BY wake_at LIMIT $2`,
		[]any{now, limit}, func(r row) error {
			var partnerID string
			err := r.scan(&partnerID)
			due = append(due, partnerID)
			return err
		})
	if err != nil {
		return nil, next, err
	}
	err = tx.conn.query(ctx, "SELECT wake_at FROM webhook_endpoints WHERE enabled = 1 AND wake_at > $1 ORDER BY wake_at LIMIT 1",
		[]any{now}, func(r row) error { return r.scan(&next) })
	return due, next, err
}

// Backlog sums up all endpoints.
func (tx *Tx) Backlog(ctx context.Context) (b webhook.Backlog, err error) {
	err = tx.conn.query(ctx, `SELECT coalesce(sum(enabled), 0), coalesce(sum(1 - enabled), 0),
			coalesce(sum(CASE WHEN open_until > 0 THEN enabled ELSE 0 END), 0) FROM webhook_endpoints`, nil,
		func(r row) error { return r.scan(&b.Enabled, &b.Disabled, &b.Broken) })
	if err != nil {
		return b, err
	}
	// One look into the index for each endpoint, however much waits there.
	err = tx.conn.query(ctx, `SELECT coalesce(min((SELECT e.due_at FROM events AS e
			WHERE e.partner_id = w.partner_id AND e.state = 'pending' AND e.due_at > 0 ORDER BY e.due_at LIMIT 1)), 0)
		FROM webhook_endpoints AS w WHERE w.enabled = 1 AND w.open_until = 0 AND w.wake_at > 0`, nil,
		func(r row) error { return r.scan(&b.OldestDue) })
	return b, err
}

// DueEvents lists what may be sent to a partner now, oldest due first, from
// behind the given event on; from the first on if it is nil.
func (tx *Tx) DueEvents(ctx context.Context, partnerID string, after *webhook.Event, now time.Time, limit int) ([]*webhook.Event, error) {
	if after == nil {
		after = &webhook.Event{DueAt: time.UnixMicro(1)}
	}
	due, err := tx.events(ctx, `WHERE partner_id = $1 AND state = 'pending' AND due_at >= $2 AND due_at <= $3
		AND (due_at > $2 OR order_id > $4 OR order_id = $4 AND sequence > $5)
		ORDER BY due_at, order_id, sequence LIMIT $6`, partnerID, after.DueAt, now, after.OrderID, after.Sequence, limit)
	if err != nil || len(due) < few {
		return due, err
	}
	return due, tx.bringBehind(ctx, due)
}

// few events are as soon dealt with one by one as looked at together.
const few = 8

// bringBehind gives events what waits behind them.
func (tx *Tx) bringBehind(ctx context.Context, due []*webhook.Event) error {
	keys := make([]webhook.EventKey, len(due))
	for i, event := range due {
		keys[i] = event.Key().Next()
	}
	keys, err := tx.mayWait(ctx, keys)
	if err != nil {
		return err
	}
	waiting := map[webhook.EventKey]*webhook.Event{}
	err = tx.conn.find(ctx, findWaiting, len(keys), func(i int, b binder) {
		b.text(keys[i].PartnerID)
		b.text(keys[i].OrderID)
		b.text(string(webhook.Pending))
		b.integer(0)
	}, func(r row) error {
		event, err := scanProgress(r)
		if err == nil {
			waiting[event.Key()] = event
		}
		return err
	})
	for _, event := range due {
		for key := event.Key().Next(); waiting[key] != nil; key = key.Next() {
			event.Behind = append(event.Behind, waiting[key])
		}
	}
	return err
}

// NextDue is when the partner's next event is due; zero if none is.
func (tx *Tx) NextDue(ctx context.Context, partnerID string) (next time.Time, err error) {
	err = tx.conn.query(ctx, `SELECT due_at FROM events
		WHERE partner_id = $1 AND state = 'pending' AND due_at > 0 ORDER BY due_at LIMIT 1`,
		[]any{partnerID}, func(r row) error { return r.scan(&next) })
	return next, err
}

// Event is one event of a partner; nil if there is none.
func (tx *Tx) Event(ctx context.Context, partnerID, eventID string) (*webhook.Event, error) {
	found, err := tx.events(ctx, "WHERE partner_id = $1 AND event_id = $2", partnerID, eventID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Events lists a partner's events.
func (tx *Tx) Events(ctx context.Context, f webhook.Filter) ([]*webhook.Event, error) {
	parts, args := []string{"partner_id = $1"}, []any{f.PartnerID}
	add := func(condition, value string) {
		if value != "" {
			args = append(args, value)
			parts = append(parts, condition+" $"+strconv.Itoa(len(args)))
		}
	}
	add("type =", string(f.Type))
	add("order_id =", f.OrderID)
	add("event_id <", f.Before)
	add("event_id >", f.After)
	add("state =", string(f.State))
	order := "event_id"
	switch f.State {
	case webhook.Failed, webhook.Skipped:
		// Said for the partial index that holds these.
		parts = append(parts, "state IN ('failed', 'skipped')")
	case webhook.Pending:
		few, err := tx.fewPending(ctx, f.PartnerID)
		if err != nil {
			return nil, err
		}
		if few {
			// Sorted by what no index has, they are found by that of due events.
			parts, order = append(parts, "state = 'pending'"), "event_id || ''"
		}
	default: // dense among all events
	}
	if f.After == "" {
		order += " DESC"
	}
	args = append(args, f.Limit)
	return tx.events(ctx, fmt.Sprintf("WHERE %s ORDER BY %s LIMIT $%d", strings.Join(parts, " AND "), order, len(args)), args...)
}

// fewPending tells whether a partner's pending events are so few that they are
// better sorted than looked for among all its events.
func (tx *Tx) fewPending(ctx context.Context, partnerID string) (few bool, err error) {
	const many = 2000
	few = true
	err = tx.conn.query(ctx, "SELECT sequence FROM events WHERE partner_id = $1 AND state = 'pending' LIMIT 1 OFFSET $2",
		[]any{partnerID, many}, func(row) error {
			few = false
			return nil
		})
	return few, err
}

// events reads events with their progress.
func (tx *Tx) events(ctx context.Context, where string, args ...any) (found []*webhook.Event, err error) {
	err = tx.conn.query(ctx, "SELECT "+names(progressColumns)+" FROM events "+where, args, func(r row) error {
		event, err := scanProgress(r)
		if err == nil {
			found = append(found, event)
		}
		return err
	})
	return found, err
}

// scanProgress reads progressColumns.
func scanProgress(r row) (*webhook.Event, error) {
	var e webhook.Event
	var attempts string
	event, err := scanEvent(r, (*string)(&e.State), &e.DueAt, &e.Tries, &attempts)
	if e.Damaged = errors.Is(err, errDamaged); err != nil && !e.Damaged {
		return nil, err
	}
	e.Event = *event
	if fromJSON(attempts, &e.Log) != nil {
		e.Log = nil // a damaged log must not keep an event from being sent
	}
	return &e, nil
}

// SaveProgress writes the state of events, each if nobody has changed it since
// it was read, and tells whether that was so for all of them.
func (tx *Tx) SaveProgress(ctx context.Context, progress []webhook.Progress) (all bool, err error) {
	var enc encodings
	rows, err := tx.conn.apply(ctx, setProgress, len(progress), func(i int, b binder) {
		p := progress[i]
		b.text(string(p.State))
		b.integer(micros(p.DueAt))
		b.integer(p.Tries)
		b.text(enc.json(p.Log, len(p.Log) == 0))
		bindEventKey(b, p.Key())
		b.text(string(p.FromState))
		b.integer(p.FromTries)
	})
	return rows == int64(len(progress)), cmp.Or(enc.err, err)
}

func bindEventKey(b binder, key webhook.EventKey) {
	b.text(key.PartnerID)
	b.text(key.OrderID)
	b.integer(key.Sequence)
}

// Promote makes events due that waited behind one of their order.
func (tx *Tx) Promote(ctx context.Context, keys []webhook.EventKey, at time.Time) error {
	keys, err := tx.mayWait(ctx, keys)
	if err != nil {
		return err
	}
	_, err = tx.conn.apply(ctx, promoteEvents, len(keys), func(i int, b binder) {
		b.integer(micros(at))
		bindEventKey(b, keys[i])
		b.text(string(webhook.Pending))
		b.integer(0)
	})
	return err
}

// mayWait leaves out keys of which it can be seen together that no event waits
// there. Mostly none does: events of an order are hours apart.
func (tx *Tx) mayWait(ctx context.Context, keys []webhook.EventKey) (left []webhook.EventKey, err error) {
	if !tx.conn.goesRowByRow() {
		return keys, nil // which are dealt with together anyway
	}
	const perLook = 4 // waiting events for each key make a look as long as trying
	byPartner := map[string][]webhook.EventKey{}
	for _, key := range keys {
		byPartner[key.PartnerID] = append(byPartner[key.PartnerID], key)
	}
	for partnerID, own := range byPartner {
		if len(own) < few {
			left = append(left, own...)
			continue
		}
		byOrder := func(a, b webhook.EventKey) int { return strings.Compare(a.OrderID, b.OrderID) }
		first, last := slices.MinFunc(own, byOrder).OrderID, slices.MaxFunc(own, byOrder).OrderID
		found := map[webhook.EventKey]bool{}
		// Its index has the keys of the table behind partner and time.
		err = tx.conn.query(ctx, `SELECT order_id, sequence FROM events
			WHERE partner_id = $1 AND state = 'pending' AND due_at = 0 AND order_id >= $2 AND order_id <= $3 LIMIT $4`,
			[]any{partnerID, first, last, perLook * len(own)}, func(r row) error {
				key := webhook.EventKey{PartnerID: partnerID}
				err := r.scan(&key.OrderID, &key.Sequence)
				found[key] = true
				return err
			})
		if err != nil {
			return nil, err
		}
		if len(found) < perLook*len(own) { // all of them
			own = slices.DeleteFunc(own, func(key webhook.EventKey) bool { return !found[key] })
		}
		left = append(left, own...)
	}
	return left, nil
}

var oldFindStates = newSet(lookUp, "events", eventKeys, slices.Concat(eventKeys, texts("state"), integers("tries")))

// queue decides where new events begin: nowhere if their partner has no
// endpoint, due at once, or behind an earlier event of their order. It locks
// the partners' endpoints until the transaction ends, and wakes them.
func (tx *Tx) queue(ctx context.Context, events []*delivery.Event) (due []bool, err error) {
	if len(events) == 0 {
		return nil, nil
	}
	var partnerIDs []string
	for _, event := range events {
		partnerIDs = append(partnerIDs, event.PartnerID)
	}
	slices.Sort(partnerIDs)
	endpoints, err := tx.LockEndpoints(ctx, slices.Compact(partnerIDs))
	if err != nil {
		return nil, err
	}
	var earlier []webhook.EventKey
	for _, event := range events {
		event.Queued = endpoints[event.PartnerID] != nil
		if event.Queued && event.Sequence > 1 {
			earlier = append(earlier, webhook.EventKey{PartnerID: event.PartnerID, OrderID: event.OrderID, Sequence: event.Sequence - 1})
		}
	}
	blocked, err := tx.blocking(ctx, earlier)
	if err != nil {
		return nil, err
	}
	due = make([]bool, len(events))
	wake := map[string]time.Time{}
	for i, event := range events {
		key := webhook.EventKey{PartnerID: event.PartnerID, OrderID: event.OrderID, Sequence: event.Sequence}
		if !event.Queued {
			continue
		}
		key.Sequence--
		due[i] = !blocked[key]
		key.Sequence++
		blocked[key] = true // for the next one in this transaction
		if at, sooner := endpoints[event.PartnerID].Sooner(event.CreatedAt); due[i] && sooner {
			wake[event.PartnerID] = at
		}
	}
	return due, tx.wake(ctx, wake)
}

// bindQueued binds the state that a new event begins in, and when it is due.
func bindQueued(b binder, event *delivery.Event, due bool) {
	switch {
	case !event.Queued:
		b.text(string(webhook.Skipped))
		b.integer(0)
	case due:
		b.text(string(webhook.Pending))
		b.integer(micros(event.CreatedAt))
	default:
		b.text(string(webhook.Pending))
		b.integer(0)
	}
}

// blocking tells which events hold back the next one of their order.
func (tx *Tx) blocking(ctx context.Context, keys []webhook.EventKey) (map[webhook.EventKey]bool, error) {
	found := map[webhook.EventKey]bool{}
	err := tx.conn.find(ctx, oldFindStates, len(keys), func(i int, b binder) { bindEventKey(b, keys[i]) }, func(r row) error {
		var key webhook.EventKey
		var state webhook.State
		var tries int64
		err := r.scan(&key.PartnerID, &key.OrderID, &key.Sequence, (*string)(&state), &tries)
		found[key] = webhook.Blocks(state, tries)
		return err
	})
	return found, err
}

func (tx *Tx) wake(ctx context.Context, at map[string]time.Time) error {
	partnerIDs := make([]string, 0, len(at))
	for partnerID := range at {
		partnerIDs = append(partnerIDs, partnerID)
	}
	slices.Sort(partnerIDs)
	_, err := tx.conn.apply(ctx, wakeEndpoints, len(partnerIDs), func(i int, b binder) {
		b.integer(micros(at[partnerIDs[i]]))
		b.text(partnerIDs[i])
	})
	return err
}
