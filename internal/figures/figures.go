// Package figures counts what happens to orders, by partner, day and courier: what
// one creation, move or delivered webhook adds to which row. The rows are sums, so
// that transactions only ever add to them, in any order.
//
// A day is the local date at an order's dropoff: of the creation for what is counted
// once per order, and of the act for all else.
package figures

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Key names a row.
type Key struct {
	PartnerID string
	Day       date.Day
	CourierID string // empty for what no courier did
}

// Counts are the sums of a row.
type Counts struct {
	Orders            int64 // created
	Assigned          int64 // assigned to the courier; an order may be assigned several times
	Delivered         int64
	OnTime            int64 // delivered by the estimated delivery that the creation answered
	FailedAttempts    int64
	Cancelled         int64
	WebhooksDelivered int64 // events that the partner has acknowledged, once each
	// Stays has the stays in each of Passing that have ended.
	Stays [len(Passing)]Stay
}

// Plus returns the sums of both.
func (c Counts) Plus(other Counts) Counts {
	c.Orders += other.Orders
	c.Assigned += other.Assigned
	c.Delivered += other.Delivered
	c.OnTime += other.OnTime
	c.FailedAttempts += other.FailedAttempts
	c.Cancelled += other.Cancelled
	c.WebhooksDelivered += other.WebhooksDelivered
	for i, stay := range other.Stays {
		c.Stays[i].Ended += stay.Ended
		c.Stays[i].Millis += stay.Millis
	}
	return c
}

// Stay sums up how long orders have been in a status.
type Stay struct {
	Ended  int64 // how often an order has left the status
	Millis int64 // how long these orders had been in it
}

// Seconds returns the sum of the stays in seconds, rounded.
func (s Stay) Seconds() int64 { return (s.Millis + 500) / 1000 }

// Mean returns how long an order was in the status on average; 0 if none has left it.
func (s Stay) Mean() time.Duration {
	if s.Ended == 0 {
		return 0
	}
	return time.Duration(s.Millis/s.Ended) * time.Millisecond
}

// Passing lists the statuses that orders leave again, in the order of an undisturbed
// delivery.
var Passing = [...]delivery.Status{
	delivery.StatusPending, delivery.StatusAccepted, delivery.StatusCourierAssigned, delivery.StatusPickedUp,
	delivery.StatusInTransit, delivery.StatusOutForDelivery, delivery.StatusFailed,
}

// Row is what is counted under a key.
type Row struct {
	Key
	Counts
}

// Tally gathers what a transaction adds. Orders in test mode are not counted.
type Tally struct {
	Clock Clock // says which day it is
	rows  map[Key]*Row
}

// Created counts a new order.
func (t *Tally) Created(o *delivery.Order) {
	if !delivery.IsTest(o.PartnerID) {
		t.on(Key{o.PartnerID, t.dayOf(o, o.CreatedAt), ""}).Orders++
	}
}

// Moved counts a move, from the order before it to the order after it. The time that
// the order was in the status that it leaves, and what became of it, belong to the
// courier who had it until then.
func (t *Tally) Moved(before, after *delivery.Order) {
	if delivery.IsTest(after.PartnerID) {
		return
	}
	at := after.LastMove().At
	day := t.dayOf(after, at)
	had := t.on(Key{after.PartnerID, day, courierOf(before)})
	had.leave(before.Status, at.Sub(before.LastMove().At))
	switch after.Status {
	case delivery.StatusCourierAssigned:
		t.on(Key{after.PartnerID, day, courierOf(after)}).Assigned++
	case delivery.StatusDelivered:
		had.Delivered++
		if !at.After(after.Promised) {
			had.OnTime++
		}
	case delivery.StatusFailed:
		had.FailedAttempts++
	case delivery.StatusCancelled:
		had.Cancelled++
	default: // the others count only as stays
	}
}

// leave counts the end of a stay.
func (r *Row) leave(status delivery.Status, lasted time.Duration) {
	if i := slices.Index(Passing[:], status); i >= 0 {
		r.Stays[i].Ended++
		r.Stays[i].Millis += max(0, lasted.Milliseconds())
	}
}

// WebhookDelivered counts an event that its partner has acknowledged at a time. No
// courier has a part in that.
func (t *Tally) WebhookDelivered(event *delivery.Event, at time.Time) {
	if !delivery.IsTest(event.PartnerID) {
		t.on(Key{event.PartnerID, DayOf(t.Clock, at, event.Facts.Province), ""}).WebhooksDelivered++
	}
}

// on returns the row of a key.
func (t *Tally) on(key Key) *Row {
	if t.rows == nil {
		t.rows = map[Key]*Row{}
	}
	row := t.rows[key]
	if row == nil {
		row = &Row{Key: key}
		t.rows[key] = row
	}
	return row
}

// Rows returns what was gathered, sorted by key, so that any two transactions lock
// the rows in the same order.
func (t *Tally) Rows() []*Row {
	rows := make([]*Row, 0, len(t.rows))
	for _, row := range t.rows {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *Row) int { return compare(a.Key, b.Key) })
	return rows
}

func compare(a, b Key) int {
	return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.Day, b.Day), cmp.Compare(a.CourierID, b.CourierID))
}

func (t *Tally) dayOf(o *delivery.Order, at time.Time) date.Day {
	return DayOf(t.Clock, at, o.Dropoff.Address.Province)
}

func courierOf(o *delivery.Order) string {
	if o.Courier == nil {
		return ""
	}
	return o.Courier.CourierID
}
