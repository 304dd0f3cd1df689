package store

import (
	"context"
	"errors"
	"slices"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
)

func texts(names ...string) []columnSpec    { return columns(textColumn, names) }
func integers(names ...string) []columnSpec { return columns(integerColumn, names) }
func byteses(names ...string) []columnSpec  { return columns(bytesColumn, names) }

func columns(kind columnKind, names []string) []columnSpec {
	all := make([]columnSpec, len(names))
	for i, name := range names {
		all[i] = columnSpec{name, kind}
	}
	return all
}

type legacyConn struct{ conn }

func (c legacyConn) apply(ctx context.Context, st *setStatement, n int, bind func(i int, b binder)) (rows int64, err error) {
	if n == 0 {
		return 0, nil
	}
	err = c.send(ctx, []*queued{{set: st, rows: n, bind: bind, done: func(w int64) error { rows += w; return nil }}})
	return rows, err
}

func (c legacyConn) find(ctx context.Context, st *setStatement, n int, bind func(i int, b binder), each func(row) error) error {
	if n == 0 {
		return nil
	}
	return c.send(ctx, []*queued{{set: st, rows: n, bind: bind, each: each}})
}

// all runs a set statement and insists on every row.
func (tx *Tx) all(ctx context.Context, st *setStatement, n int, bind func(int, binder)) error {
	written, err := tx.conn.apply(ctx, st, n, bind)
	if err == nil && written != int64(n) {
		return order.ErrRaced
	}
	return err
}

type encodings struct{ err error }

func (e *encodings) json(value any, empty bool) string {
	encoded, err := toJSON(value, empty)
	e.err = errors.Join(e.err, err)
	return encoded
}

func toJSON(value any, empty bool) (string, error) {
	if empty {
		return "", nil
	}
	text, err := strictjson.Marshal(value)
	return string(text), err
}

// together is to go.
func (tx *Tx) together(_ context.Context, fn func(*Tx) error) error { return fn(tx) }

// AddAudit is to go with Tx.
func (tx *Tx) AddAudit(ctx context.Context, entries ...*audit.Entry) error {
	return auditing{tx.conn.conn}.AddAudit(ctx, entries...)
}

// HasRateCards is to go with Tx.
func (tx *Tx) HasRateCards(ctx context.Context, name string) (bool, error) {
	return partnerTx{auditing{tx.conn.conn}}.HasRateCards(ctx, name)
}

// AddPartnerCounters is to go with Tx.
func (tx *Tx) AddPartnerCounters(ctx context.Context, partnerID string) error {
	_, err := writeNow(ctx, tx.conn.conn, addCounters, &counters{partnerID: partnerID})
	return err
}

var (
	orderKeys   = texts("partner_id", "order_id")
	receiptKeys = slices.Concat(texts("partner_id"), byteses("idempotency_key"), texts("scope"))
)

func bindOrderKeys(keys []order.OrderKey) func(int, binder) {
	return func(i int, b binder) {
		b.text(keys[i].PartnerID)
		b.text(keys[i].OrderID)
	}
}

func (tx *Tx) ids(ctx context.Context, sql string, args ...any) ([]string, error) {
	return ids(ctx, tx.conn.conn, sql, args...)
}

func (tx *Tx) ordersByKey(ctx context.Context, by *lookup[order.OrderKey, orderRow], keys []order.OrderKey) (map[order.OrderKey]*delivery.Order, error) {
	return ordersByKey(ctx, tx.conn.conn, by, keys)
}

// Order is to go with Tx.
func (tx *Tx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderTx{tx.conn.conn}.Order(ctx, partnerID, orderID)
}

// Orders is to go with Tx.
func (tx *Tx) Orders(ctx context.Context, filter order.Filter) ([]*delivery.Order, bool, error) {
	return listOrders(ctx, tx.conn.conn, filter)
}

// PartnerIDs is to go with Tx.
func (tx *Tx) PartnerIDs(ctx context.Context) ([]string, error) { return partnerIDs(ctx, tx.conn.conn) }
