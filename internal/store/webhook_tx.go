package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Webhooks is the store as package webhook sees it.
func (s *Store) Webhooks() webhook.Store {
	return view[webhook.Reader, webhook.Writer]{s.Database,
		func(c db.Conn) webhook.Reader { return webhookTx{c, auditing{c}, mailing{c}} },
		func(c db.Conn) webhook.Writer { return webhookTx{c, auditing{c}, mailing{c}} }}
}

// webhookTx is a transaction of package webhook.
type webhookTx struct {
	conn db.Conn
	auditing
	mailing
}

// Endpoint returns an endpoint; nil if there is none.
func (tx webhookTx) Endpoint(ctx context.Context, key outbox.EndpointKey) (*webhook.Endpoint, error) {
	return db.FindOne(ctx, tx.conn, queuesOf(key.EndpointID).findEndpoints, key)
}

// Endpoints lists the endpoints of a partner: the first, and then the others as they were added.
func (tx webhookTx) Endpoints(ctx context.Context, partnerID string) ([]*webhook.Endpoint, error) {
	return endpointsOf(ctx, tx.conn, partnerID)
}

func endpointsOf(ctx context.Context, c db.Conn, partnerID string) (listed []*webhook.Endpoint, err error) {
	for _, q := range queuesInOrder {
		found, err := q.endpoints.All(ctx, c, "WHERE partner_id = $1", partnerID)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b *webhook.Endpoint) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.EndpointID, b.EndpointID))
		})
		listed = append(listed, found...)
	}
	return listed, nil
}

// LockEndpoints returns endpoints, locked until the transaction ends. The keys
// must be sorted, so that two transactions lock in the same order.
func (tx webhookTx) LockEndpoints(
	ctx context.Context, keys []outbox.EndpointKey,
) (map[outbox.EndpointKey]*webhook.Endpoint, error) {
	return lockEndpoints(ctx, tx.conn, keys)
}

func lockEndpoints(
	ctx context.Context, c db.Conn, keys []outbox.EndpointKey,
) (map[outbox.EndpointKey]*webhook.Endpoint, error) {
	found := make(map[outbox.EndpointKey]*webhook.Endpoint, len(keys))
	for _, q := range queuesInOrder {
		rows, err := db.FindNow(ctx, c, q.lockEndpoints, of(q, keys, idOfKey)...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found[row.Key()] = row
		}
	}
	return found, nil
}

// LockAdding keeps other transactions from adding endpoints of a partner until this one ends.
func (tx webhookTx) LockAdding(ctx context.Context, partnerID string) error {
	p := db.NewPipeline(tx.conn)
	takeTurns(p, []string{partnerID})
	_, err := p.Flush(ctx)
	return err
}

// Maintainers returns the owners and developers of a partner.
func (tx webhookTx) Maintainers(ctx context.Context, partnerID string) (found webhook.Maintainers, err error) {
	found.Partner, found.Emails, err = peopleWith(ctx, tx.conn, partnerID, partner.RoleOwner, partner.RoleDeveloper)
	return found, err
}

// peopleWith returns the name of a partner and the addresses of its people with some roles; nothing if it does not
// exist.
func peopleWith(
	ctx context.Context, c db.Conn, partnerID string, roles ...partner.Role,
) (name string, emails []string, err error) {
	account, err := db.FindOne(ctx, c, findPartners, partnerID)
	if err != nil || account == nil {
		return "", nil, err
	}
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	selected := db.OfPartner(partnerID)
	selected.AddIn("role", names)
	tail, args := selected.Clause("ORDER BY created_at, user_id")
	emails, err = db.IDs(ctx, c, "SELECT email FROM users "+tail, args...)
	return account.Name, emails, err
}

// AddEndpoint adds an endpoint. It is false if there is one with the key.
func (tx webhookTx) AddEndpoint(ctx context.Context, endpoint *webhook.Endpoint) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, queuesOf(endpoint.EndpointID).addEndpoints, endpoint)
	return rows == 1, err
}

// SaveEndpoints overwrites endpoints.
func (tx webhookTx) SaveEndpoints(ctx context.Context, endpoints []*webhook.Endpoint) error {
	for _, q := range queuesInOrder {
		if _, err := db.WriteNow(ctx, tx.conn, q.saveEndpoints, of(q, endpoints, idOfEndpoint)...); err != nil {
			return err
		}
	}
	return nil
}

// RemoveEndpoint removes an endpoint.
func (tx webhookTx) RemoveEndpoint(ctx context.Context, key outbox.EndpointKey) error {
	_, err := db.WriteNow(ctx, tx.conn, queuesOf(key.EndpointID).dropEndpoints, &key)
	return err
}

// DropLeases frees all endpoints.
func (tx webhookTx) DropLeases(ctx context.Context) error {
	for _, q := range queuesInOrder {
		_, err := tx.conn.Exec(ctx,
			"UPDATE "+q.endpoints.Name+" SET holder = $1, lease_until = $2 WHERE holder <> $1", "", 0)
		if err != nil {
			return err
		}
	}
	return nil
}

// paces are the conditions of the indexes in which Wakes looks.
var paces = map[webhook.Speed]string{webhook.Quick: "pace = 1", webhook.Untried: "pace = 0", webhook.Slow: "pace > 1"}

// Wakes lists the enabled endpoints of a speed that are not leased and have
// something to do, or will have, in the order in which they wake.
func (tx webhookTx) Wakes(ctx context.Context, speed webhook.Speed, limit int) (found []outbox.Wake, err error) {
	for _, q := range queuesInOrder {
		err := q.keys(ctx, tx.conn, ", wake_at", "enabled = 1 AND holder = '' AND "+paces[speed]+
			" AND wake_at > 0 ORDER BY wake_at LIMIT $1", []any{limit}, func(wake outbox.Wake) { found = append(found, wake) })
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found, func(a, b outbox.Wake) int { return a.At.Compare(b.At) })
	return found[:min(len(found), limit)], nil
}

// keys calls add for the endpoints that a condition selects. also lists a further column for
// the time of the wake, or none.
func (q *queueTables) keys(
	ctx context.Context, c db.Conn, also, condition string, args []any, add func(outbox.Wake),
) error {
	return c.Query(ctx, "SELECT "+db.Names(q.endpoints.Key)+also+" FROM "+q.endpoints.Name+" WHERE "+condition, args,
		func(r db.Row) error {
			var wake outbox.Wake
			into := []any{&wake.PartnerID, &wake.EndpointID}[:len(q.endpoints.Key)]
			if also != "" {
				into = append(into, &wake.At)
			}
			err := r.Scan(into...)
			add(wake)
			return err
		})
}

// Expired lists endpoints that are leased by a lease that has expired.
func (tx webhookTx) Expired(ctx context.Context, now time.Time, limit int) (keys []outbox.EndpointKey, err error) {
	for _, q := range queuesInOrder {
		err := q.keys(ctx, tx.conn, "", "holder <> '' AND lease_until <= $1 LIMIT $2", []any{now, limit - len(keys)},
			func(wake outbox.Wake) { keys = append(keys, wake.EndpointKey) })
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Backlog sums up all endpoints.
func (tx webhookTx) Backlog(ctx context.Context) (b webhook.Backlog, err error) {
	for _, q := range queuesInOrder {
		own, err := q.backlog(ctx, tx.conn)
		if err != nil {
			return b, err
		}
		b.Enabled, b.Disabled, b.Broken = b.Enabled+own.Enabled, b.Disabled+own.Disabled, b.Broken+own.Broken
		if b.OldestDue.IsZero() || !own.OldestDue.IsZero() && own.OldestDue.Before(b.OldestDue) {
			b.OldestDue = own.OldestDue
		}
	}
	return b, nil
}

func (q *queueTables) backlog(ctx context.Context, c db.Conn) (b webhook.Backlog, err error) {
	err = c.Query(ctx, `SELECT coalesce(sum(enabled), 0), coalesce(sum(1 - enabled), 0),
			coalesce(sum(CASE WHEN open_until > 0 THEN enabled ELSE 0 END), 0) FROM `+q.endpoints.Name, nil,
		func(r db.Row) error { return r.Scan(&b.Enabled, &b.Disabled, &b.Broken) })
	if err != nil {
		return b, err
	}
	ofEndpoint := ""
	if q == furtherQueues {
		ofEndpoint = " AND e.endpoint_id = w.endpoint_id"
	}
	// One look into the index for each endpoint, however much waits there.
	err = c.Query(ctx, `SELECT coalesce(min((SELECT e.due_at FROM `+q.events.Name+` AS e
			WHERE e.partner_id = w.partner_id`+ofEndpoint+` AND e.state = 'pending' AND e.due_at > 0 ORDER BY e.due_at LIMIT 1)), 0)
		FROM `+q.endpoints.Name+` AS w WHERE w.enabled = 1 AND w.open_until = 0 AND w.wake_at > 0`, nil,
		func(r db.Row) error { return r.Scan(&b.OldestDue) })
	return b, err
}

// Event returns one event of a partner, as it is at the first endpoint; nil if there is none.
func (tx webhookTx) Event(ctx context.Context, partnerID, eventID string) (*webhook.Event, error) {
	return events.One(ctx, tx.conn, "WHERE partner_id = $1 AND event_id = $2", partnerID, eventID)
}

// Events lists a partner's events.
func (tx webhookTx) Events(ctx context.Context, filter webhook.Filter) ([]*webhook.Event, error) {
	return eventsOf(ctx, tx.conn, filter)
}

// At returns how far events have come at an endpoint: skipped if they are not in its queue.
func (tx webhookTx) At(ctx context.Context, endpointID string, listed []*webhook.Event) ([]*webhook.Event, error) {
	keys := make([]outbox.EventKey, len(listed))
	for i, e := range listed {
		keys[i] = outbox.KeyAt(&e.Event, endpointID)
	}
	rows, err := db.FindNow(ctx, tx.conn, queuesOf(endpointID).findRows, keys...)
	found := make(map[outbox.EventKey]*webhook.Event, len(rows))
	for _, row := range rows {
		found[row.Key()] = row
	}
	at := make([]*webhook.Event, len(listed))
	for i, e := range listed {
		if at[i] = found[keys[i]]; at[i] == nil {
			at[i] = &webhook.Event{State: outbox.Skipped}
		}
		at[i].EndpointID, at[i].Event, at[i].Damaged = endpointID, e.Event, e.Damaged
	}
	return at, err
}

// AddFurther adds to events how far they have come at further endpoints.
func (tx webhookTx) AddFurther(ctx context.Context, listed []*webhook.Event) error {
	return addFurther(ctx, tx.conn, listed)
}

func addFurther(ctx context.Context, c db.Conn, listed []*webhook.Event) error {
	keys := make([]outbox.EventKey, len(listed))
	byKey := make(map[outbox.EventKey]*webhook.Event, len(listed))
	for i, e := range listed {
		keys[i] = outbox.KeyOf(&e.Event)
		byKey[keys[i]] = e
	}
	rows, err := db.FindNow(ctx, c, findFurther, keys...)
	slices.SortFunc(rows, func(a, b *webhook.Event) int { return cmp.Compare(a.EndpointID, b.EndpointID) })
	for _, row := range rows {
		e := byKey[outbox.KeyOf(&row.Event)]
		row.Event, row.Damaged = e.Event, e.Damaged
		e.Further = append(e.Further, row)
	}
	return err
}

// AddToQueue adds events to the queues of further endpoints in which they are not.
func (tx webhookTx) AddToQueue(ctx context.Context, added []*webhook.Event) error {
	_, err := db.WriteNow(ctx, tx.conn, furtherQueues.addEvents, of(furtherQueues, added, endpointOfEvent)...)
	return err
}

// DueEvents lists what may be sent to an endpoint now, longest due first, from
// behind the given event on; from the first on if it is nil. Where many are due,
// those that wait behind them come along.
func (tx webhookTx) DueEvents(
	ctx context.Context, key outbox.EndpointKey, after *webhook.Event, now time.Time, limit int,
) ([]*webhook.Event, error) {
	if after == nil {
		after = &webhook.Event{DueAt: time.UnixMicro(1)}
	}
	q, selected := queuesOf(key.EndpointID), inQueue(key)
	selected.Add("state = 'pending'")
	selected.Add("due_at >= ?", after.DueAt)
	selected.Add("due_at <= ?", now)
	selected.Add("(due_at > ? OR order_id > ? OR order_id = ? AND sequence > ?)",
		after.DueAt, after.OrderID, after.OrderID, after.Sequence)
	due, err := q.all(ctx, tx.conn, selected, "ORDER BY due_at, order_id, sequence LIMIT ?", limit)
	if err != nil || len(due) < worthOneQuery {
		return due, err
	}
	return due, q.addBehind(ctx, tx.conn, due)
}

// NextDue returns when the next event of an endpoint is due; zero if none is.
func (tx webhookTx) NextDue(ctx context.Context, key outbox.EndpointKey) (next time.Time, err error) {
	tail, args := inQueue(key).Clause("AND state = 'pending' AND due_at > 0 ORDER BY due_at LIMIT 1")
	err = tx.conn.Query(ctx, "SELECT due_at FROM "+queuesOf(key.EndpointID).events.Name+" "+tail, args,
		func(r db.Row) error { return r.Scan(&next) })
	return next, err
}

// SaveProgress writes the state of events, each unless it has changed since it
// was read, and returns the keys of those that were written.
func (tx webhookTx) SaveProgress(
	ctx context.Context, progress []webhook.Progress,
) (saved []outbox.EventKey, err error) {
	for _, q := range queuesInOrder {
		rows, err := db.FindNow(ctx, tx.conn, q.saveProgress, of(q, progress, endpointOfProgress)...)
		if err != nil {
			return nil, err
		}
		for _, key := range rows {
			saved = append(saved, *key)
		}
	}
	return saved, nil
}

// AddFigures adds to the figures. It must be the last statement of a transaction.
func (tx webhookTx) AddFigures(ctx context.Context, added *figures.Tally) error {
	p := db.NewPipeline(tx.conn)
	writeFigures(p, added)
	_, err := p.Flush(ctx)
	return err
}

// Promote makes events due at a time that wait behind one of their order. Keys
// of other events are left alone.
func (tx webhookTx) Promote(ctx context.Context, keys []outbox.EventKey, at time.Time) error {
	return promote(ctx, tx.conn, keys, at)
}

// SkipPending ends waiting for so many pending events of an endpoint, and for the others of
// their orders.
func (tx webhookTx) SkipPending(ctx context.Context, key outbox.EndpointKey, limit int) (skipped int64, err error) {
	table := queuesOf(key.EndpointID).events.Name
	pending := inQueue(key)
	pending.Add("state = 'pending'")
	// In the order of the index that holds only what is pending.
	tail, args := pending.Clause("AND order_id IN (SELECT order_id FROM "+table+" WHERE "+pending.String()+
		" ORDER BY due_at LIMIT ?)", limit)
	return tx.conn.Exec(ctx, "UPDATE "+table+" SET state = 'skipped', due_at = 0 "+tail, args...)
}
