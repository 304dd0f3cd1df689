package feed

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// follower keeps a mirror up to date. It runs on one goroutine.
type follower struct {
	*Config
	mirror   *mirror
	partners map[string]string           // names, by id
	couriers map[string]dispatch.Courier // by id
	// ahead is how much the database's clock is ahead of the node's.
	ahead  time.Duration
	round  int64               // of comparisons
	fresh  map[string]sighting // the orders that are too new for the mirror
	buffer []byte              // in which entryOf encodes rows
}

// sighting is when a new order was first seen, by the node's clock, and the beginning
// of the last comparison that did not have it.
type sighting struct{ at, after time.Time }

// follow builds the mirror and keeps it up to date until it is retired or the
// service closed.
func (s *Service) follow(ctx context.Context, m *mirror) {
	f := &follower{
		Config: &s.config, mirror: m, partners: map[string]string{}, couriers: map[string]dispatch.Courier{},
		fresh: map[string]sighting{},
	}
	m.broken = f.compare(ctx)
	close(m.built)
	if m.broken != nil {
		s.mu.Lock()
		s.mirror = nil
		s.mu.Unlock()
		return
	}
	f.run(ctx, s.retire)
}

// run publishes what the node commits, at most once in a gap, and compares the mirror
// with the table at every tick, until ctx ends or the mirror is retired.
func (f *follower) run(ctx context.Context, retire func() bool) {
	tick := f.At(f.Now().Add(f.every(0)))
	var due <-chan time.Time // nil unless there are hints
	published := f.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.mirror.hints.wake:
			if due == nil {
				due = f.At(published.Add(gap))
			}
			continue
		case <-due:
			due, published = nil, f.Now()
			if f.takeHints(ctx) {
				continue
			}
		case <-tick:
			if retire() {
				return
			}
		}
		begun := time.Now() // the real clock, because it measures work
		if err := f.compare(ctx); err != nil && ctx.Err() == nil {
			if f.mirror.failure() == nil {
				f.Log.Error("the board that desks follow was not compared with the table, trying again", "error", err)
			}
			f.mirror.fail(err)
		}
		tick = f.At(f.Now().Add(f.every(time.Since(begun))))
	}
}

// every returns the time from a comparison that took so long to the next.
func (f *follower) every(took time.Duration) time.Duration {
	if f.Shared {
		return max(everyShared, restFactor*took)
	}
	return max(everyAlone, restFactor*took)
}

// found is what a comparison reads in one view of the data.
type found struct {
	clock    time.Time
	rows     []*board.Row // those that the mirror lacks or has in another version
	partners map[string]string
	couriers map[string]dispatch.Courier
}

// compare makes the mirror agree with the table, and publishes what differed.
func (f *follower) compare(ctx context.Context) error {
	var seen found
	begun := f.Now()
	err := f.Store.Read(ctx, func(tx Reader) (err error) {
		seen, err = f.look(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	f.ahead = 0
	if !seen.clock.IsZero() {
		f.ahead = seen.clock.Sub(begun)
	}
	c := changes{compared: begun.Add(f.ahead), entries: f.renamed(seen)}
	settled, gone := f.settled(seen.rows, true)
	c.entries, c.gone, c.asOf = append(c.entries, f.entriesOf(settled)...), gone, c.compared
	for _, order := range f.fresh {
		if order.after.Before(c.asOf) {
			c.asOf = order.after
		}
	}
	for id, e := range f.mirror.entries {
		if e.round != f.round {
			c.gone = append(c.gone, id)
		}
	}
	for _, e := range c.entries {
		e.round = f.round
	}
	if len(f.mirror.log) == 0 { // what was committed before counts as published at the beginning
		f.mirror.publish(c, c.compared)
	} else {
		f.mirror.publish(c, f.Now().Add(f.ahead))
	}
	return nil
}

// look reads what differs, marks the entries whose rows are still there, and reads
// the names of the partners and couriers of all rows.
func (f *follower) look(ctx context.Context, tx Reader) (seen found, err error) {
	if seen.clock, err = tx.Clock(ctx); err != nil {
		return seen, err
	}
	f.round++
	if len(f.mirror.entries) == 0 {
		seen.rows, err = tx.AllRows(ctx)
	} else {
		var differing []string
		err = tx.EachVersion(ctx, func(orderID string, version int64) {
			e := f.mirror.entries[orderID]
			if e == nil || e.row.Version != version {
				differing = append(differing, orderID)
			}
			if e != nil {
				e.round = f.round
			}
		})
		if err == nil && len(differing) > 0 {
			seen.rows, err = tx.Rows(ctx, differing)
		}
	}
	if err != nil {
		return seen, err
	}
	err = f.readNames(ctx, tx, &seen, true)
	return seen, err
}

// readNames reads the partners and couriers of rows: of all that the follower knows,
// too, or only those that it does not.
func (f *follower) readNames(ctx context.Context, tx Reader, seen *found, known bool) (err error) {
	partners, couriers := map[string]bool{}, map[string]bool{}
	for _, row := range seen.rows {
		partners[row.PartnerID] = true
		if row.CourierID != "" {
			couriers[row.CourierID] = true
		}
	}
	if seen.partners, err = tx.PartnerNames(ctx, wanted(partners, f.partners, known)); err != nil {
		return err
	}
	seen.couriers, err = tx.Couriers(ctx, wanted(couriers, f.couriers, known))
	return err
}

// wanted returns ids and those already known, or ids without those.
func wanted[T any](ids map[string]bool, known map[string]T, all bool) (list []string) {
	for id := range known {
		if all {
			list = append(list, id)
		}
	}
	for id := range ids {
		if _, is := known[id]; !is {
			list = append(list, id)
		}
	}
	return list
}

// learn takes over the names that were read, and returns the ids of those that have
// changed.
func learn[T comparable](known, read map[string]T) map[string]bool {
	changed := map[string]bool{}
	for id, value := range read {
		if before, is := known[id]; is && before != value {
			changed[id] = true
		}
		known[id] = value
	}
	return changed
}

// renamed takes over the names that were read, and returns new entries for the rows
// whose partner or courier has changed.
func (f *follower) renamed(seen found) (entries []*entry) {
	partners, couriers := learn(f.partners, seen.partners), learn(f.couriers, seen.couriers)
	if len(partners) == 0 && len(couriers) == 0 {
		return nil
	}
	for _, e := range f.mirror.entries {
		if e.round == f.round && (partners[e.row.PartnerID] || couriers[e.row.CourierID]) {
			entries = append(entries, f.entryOf(e.row))
		}
	}
	return entries
}

// settled returns the rows that desks may be sent: not those of orders that are new,
// see settling. With all, the rows are those of a comparison, and it also returns the
// new orders that have left the board: another node may have sent them.
func (f *follower) settled(rows []*board.Row, all bool) (settled []*board.Row, gone []string) {
	if !f.Shared || len(f.mirror.log) == 0 {
		return rows, nil
	}
	fresh := f.fresh
	if all {
		f.fresh = map[string]sighting{}
	}
	now := f.Now()
	for _, row := range rows {
		seen, is := fresh[row.OrderID]
		if !is {
			seen = sighting{now, f.mirror.compared}
		}
		if f.mirror.entries[row.OrderID] != nil || all && is && now.Sub(seen.at) >= settling {
			settled = append(settled, row)
			delete(fresh, row.OrderID)
			continue
		}
		if all {
			delete(fresh, row.OrderID)
		}
		f.fresh[row.OrderID] = seen
	}
	if all {
		gone = slices.Collect(maps.Keys(fresh))
	}
	return settled, gone
}

func (f *follower) entriesOf(rows []*board.Row) []*entry {
	entries := make([]*entry, len(rows))
	for i, row := range rows {
		entries[i] = f.entryOf(row)
	}
	return entries
}

// entryOf returns the entry of a row, whose partner and courier are known.
func (f *follower) entryOf(row *board.Row) *entry {
	courier := f.couriers[row.CourierID]
	f.buffer = f.Encode(f.buffer, &dispatch.Entry{
		Row: row, PartnerName: f.partners[row.PartnerID], CourierName: courier.Name, CourierActive: courier.Active,
	})
	return &entry{row: row, encoded: bytes.Clone(f.buffer), courierActive: courier.Active}
}

// takeHints publishes what the node has committed. It reports false if the mirror
// has to be compared instead.
func (f *follower) takeHints(ctx context.Context) bool {
	orderIDs, lost := f.mirror.hints.take()
	if lost {
		return false
	}
	var seen found
	err := f.Store.Read(ctx, func(tx Reader) (err error) {
		seen = found{}
		if seen.rows, err = tx.Rows(ctx, orderIDs); err != nil {
			return err
		}
		return f.readNames(ctx, tx, &seen, false)
	})
	if err != nil {
		return false
	}
	learn(f.partners, seen.partners)
	learn(f.couriers, seen.couriers)
	left := make(map[string]bool, len(orderIDs))
	for _, id := range orderIDs {
		left[id] = f.mirror.entries[id] != nil
	}
	for _, row := range seen.rows {
		left[row.OrderID] = false
	}
	seen.rows = slices.DeleteFunc(seen.rows, func(row *board.Row) bool {
		e := f.mirror.entries[row.OrderID]
		return e != nil && e.row.Version == row.Version
	})
	var c changes
	settled, _ := f.settled(seen.rows, false)
	c.entries = f.entriesOf(settled)
	for id, is := range left {
		if is {
			c.gone = append(c.gone, id)
		}
	}
	f.mirror.publish(c, f.Now().Add(f.ahead))
	return true
}
