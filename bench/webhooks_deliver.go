package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// deliverTimeout is how long all events may take to arrive.
const deliverTimeout = 5 * time.Minute

// deliver measures a sender that finds waiting events. It also returns the greatest
// number of concurrent requests.
func (c *webhooksCommand) deliver(ctx context.Context, w workspace, endpoints int) (f figures, peak int, err error) {
	r, err := newReceiver(ctx, endpoints, accepts)
	if err != nil {
		return f, 0, err
	}
	defer r.close()
	err = seedHooks(ctx, w.database, r.urls(), func(db *store.Store) error { return addEvents(ctx, db, endpoints, c.Events) })
	if err != nil {
		return f, 0, err
	}
	p := &plan{Send: true}
	if endpoints == 1 {
		p.Profile = c.Profile
	}
	if f, err = c.deliverAll(ctx, w, p, r); err != nil {
		return f, 0, err
	}
	f.Kept, err = countDelivered(ctx, w.database)
	if err == nil && f.Kept != c.Events {
		err = fmt.Errorf("invalid: %d events arrived, %d of %d are stored as delivered", f.Orders, f.Kept, c.Events)
	}
	return f, int(r.peak.Load()), err
}

// bare measures the floor: the same requests by the bare client.
func (c *webhooksCommand) bare(ctx context.Context, w workspace, endpoints, atOnce int) (f figures, err error) {
	r, err := newReceiver(ctx, endpoints, accepts)
	if err != nil {
		return f, err
	}
	defer r.close()
	return c.deliverAll(ctx, w, &plan{Floor: true, URLs: r.urls(), Events: c.Events, AtOnce: atOnce}, r)
}

// deliverAll runs a child until all events have arrived.
func (c *webhooksCommand) deliverAll(ctx context.Context, w workspace, p *plan, r *receiver) (f figures, err error) {
	r.want(c.Events)
	sender, err := w.start(ctx, "sender", p)
	if err != nil {
		return f, err
	}
	meter := w.meter(sender)
	err = inTurn(meter.hook, sender.begin)
	if err == nil {
		err = r.wait(ctx, deliverTimeout)
	}
	err = errors.Join(err, meter.hook(), sender.stop())
	events := r.count()
	f.Orders = events
	f.PerSecond = float64(events-1) / r.span().Seconds()
	meter.per(&f, events)
	return f, err
}

const deliveredSQL = "SELECT count(*) FROM events WHERE state = 'delivered'"

// countDelivered returns the number of events that are stored as delivered. No other
// process may have the database open.
func countDelivered(ctx context.Context, database string) (count int, err error) {
	if isPostgres(database) {
		err = onPostgres(ctx, database, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, deliveredSQL).Scan(&count) })
		return count, err
	}
	err = onDatabase(database, func(c *sqlite.Conn) error {
		count, err = sqlitex.ResultInt(c.Prep(deliveredSQL))
		return err
	})
	return count, err
}

func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Clean(path), text, 0o600)
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
