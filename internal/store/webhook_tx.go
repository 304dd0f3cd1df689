package store

import (
	"context"
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
		func(c db.Conn) webhook.Reader { return webhookTx{c, mailing{c}} },
		func(c db.Conn) webhook.Writer { return webhookTx{c, mailing{c}} }}
}

// webhookTx is a transaction of package webhook.
type webhookTx struct {
	conn db.Conn
	mailing
}

// Endpoint returns a partner's endpoint; nil if there is none.
func (tx webhookTx) Endpoint(ctx context.Context, partnerID string) (*webhook.Endpoint, error) {
	return db.FindOne(ctx, tx.conn, findEndpoints, partnerID)
}

// LockEndpoints returns endpoints, locked until the transaction ends. The ids
// must be sorted, so that two transactions lock in the same order.
func (tx webhookTx) LockEndpoints(ctx context.Context, partnerIDs []string) (map[string]*webhook.Endpoint, error) {
	rows, err := db.FindNow(ctx, tx.conn, lockEndpoints, partnerIDs...)
	found := make(map[string]*webhook.Endpoint, len(rows))
	for _, row := range rows {
		found[row.PartnerID] = row
	}
	return found, err
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

// AddEndpoint adds a partner's endpoint. It is false if there is one.
func (tx webhookTx) AddEndpoint(ctx context.Context, endpoint *webhook.Endpoint) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addEndpoints, endpoint)
	return rows == 1, err
}

// SaveEndpoints overwrites endpoints.
func (tx webhookTx) SaveEndpoints(ctx context.Context, endpoints []*webhook.Endpoint) error {
	_, err := db.WriteNow(ctx, tx.conn, saveEndpoints, endpoints...)
	return err
}

// RemoveEndpoint removes a partner's endpoint.
func (tx webhookTx) RemoveEndpoint(ctx context.Context, partnerID string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM webhook_endpoints WHERE partner_id = $1", partnerID)
	return err
}

// DropLeases frees all endpoints.
func (tx webhookTx) DropLeases(ctx context.Context) error {
	_, err := tx.conn.Exec(ctx, "UPDATE webhook_endpoints SET holder = $1, lease_until = $2 WHERE holder <> $1", "", 0)
	return err
}

// wakes are the queries of Wakes. The conditions are those of the indexes.
var wakes = map[webhook.Speed]string{
	webhook.Quick:   wakesOf + "pace = 1" + inWakeOrder,
	webhook.Untried: wakesOf + "pace = 0" + inWakeOrder,
	webhook.Slow:    wakesOf + "pace > 1" + inWakeOrder,
}

const (
	wakesOf     = "SELECT partner_id, wake_at FROM webhook_endpoints WHERE enabled = 1 AND holder = '' AND "
	inWakeOrder = " AND wake_at > 0 ORDER BY wake_at LIMIT $1"
)

// Wakes lists the enabled endpoints of a speed that are not leased and have
// something to do, or will have, in the order in which they wake.
func (tx webhookTx) Wakes(ctx context.Context, speed webhook.Speed, limit int) (found []outbox.Wake, err error) {
	err = tx.conn.Query(ctx, wakes[speed], []any{limit}, func(r db.Row) error {
		var wake outbox.Wake
		err := r.Scan(&wake.PartnerID, &wake.At)
		found = append(found, wake)
		return err
	})
	return found, err
}

// Expired lists partners whose endpoints are leased by a lease that has expired.
func (tx webhookTx) Expired(ctx context.Context, now time.Time, limit int) (partnerIDs []string, err error) {
	return db.IDs(ctx, tx.conn,
		"SELECT partner_id FROM webhook_endpoints WHERE holder <> '' AND lease_until <= $1 LIMIT $2", now, limit)
}

// Backlog sums up all endpoints.
func (tx webhookTx) Backlog(ctx context.Context) (b webhook.Backlog, err error) {
	err = tx.conn.Query(ctx, `SELECT coalesce(sum(enabled), 0), coalesce(sum(1 - enabled), 0),
			coalesce(sum(CASE WHEN open_until > 0 THEN enabled ELSE 0 END), 0) FROM webhook_endpoints`, nil,
		func(r db.Row) error { return r.Scan(&b.Enabled, &b.Disabled, &b.Broken) })
	if err != nil {
		return b, err
	}
	// One look into the index for each endpoint, however much waits there.
	err = tx.conn.Query(ctx, `SELECT coalesce(min((SELECT e.due_at FROM events AS e
			WHERE e.partner_id = w.partner_id AND e.state = 'pending' AND e.due_at > 0 ORDER BY e.due_at LIMIT 1)), 0)
		FROM webhook_endpoints AS w WHERE w.enabled = 1 AND w.open_until = 0 AND w.wake_at > 0`, nil,
		func(r db.Row) error { return r.Scan(&b.OldestDue) })
	return b, err
}

// Event returns one event of a partner; nil if there is none.
func (tx webhookTx) Event(ctx context.Context, partnerID, eventID string) (*webhook.Event, error) {
	return events.One(ctx, tx.conn, "WHERE partner_id = $1 AND event_id = $2", partnerID, eventID)
}

// Events lists a partner's events.
func (tx webhookTx) Events(ctx context.Context, filter webhook.Filter) ([]*webhook.Event, error) {
	return eventsOf(ctx, tx.conn, filter)
}

// DueEvents lists what may be sent to a partner now, longest due first, from
// behind the given event on; from the first on if it is nil. Where many are due,
// those that wait behind them come along.
func (tx webhookTx) DueEvents(
	ctx context.Context, partnerID string, after *webhook.Event, now time.Time, limit int,
) ([]*webhook.Event, error) {
	if after == nil {
		after = &webhook.Event{DueAt: time.UnixMicro(1)}
	}
	due, err := events.All(ctx, tx.conn, `WHERE partner_id = $1 AND state = 'pending' AND due_at >= $2 AND due_at <= $3
		AND (due_at > $2 OR order_id > $4 OR order_id = $4 AND sequence > $5)
		ORDER BY due_at, order_id, sequence LIMIT $6`, partnerID, after.DueAt, now, after.OrderID, after.Sequence, limit)
	if err != nil || len(due) < worthOneQuery {
		return due, err
	}
	return due, addBehind(ctx, tx.conn, due)
}

// NextDue returns when a partner's next event is due; zero if none is.
func (tx webhookTx) NextDue(ctx context.Context, partnerID string) (next time.Time, err error) {
	err = tx.conn.Query(ctx, `SELECT due_at FROM events
		WHERE partner_id = $1 AND state = 'pending' AND due_at > 0 ORDER BY due_at LIMIT 1`,
		[]any{partnerID}, func(r db.Row) error { return r.Scan(&next) })
	return next, err
}

// SaveProgress writes the state of events, each unless it has changed since it
// was read, and returns the keys of those that were written.
func (tx webhookTx) SaveProgress(
	ctx context.Context, progress []webhook.Progress,
) (saved []outbox.EventKey, err error) {
	rows, err := db.FindNow(ctx, tx.conn, saveProgress, progress...)
	for _, key := range rows {
		saved = append(saved, *key)
	}
	return saved, err
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

// SkipPending ends waiting for so many pending events, and for the others of
// their orders.
func (tx webhookTx) SkipPending(ctx context.Context, partnerID string, limit int) (skipped int64, err error) {
	// In the order of the index that holds only what is pending.
	return tx.conn.Exec(ctx, `UPDATE events SET state = 'skipped', due_at = 0
		WHERE partner_id = $1 AND state = 'pending' AND order_id IN (
			SELECT order_id FROM events WHERE partner_id = $1 AND state = 'pending' ORDER BY due_at LIMIT $2)`, partnerID, limit)
}
