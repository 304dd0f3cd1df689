package webhook

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/outbox"
)

// batch is one transaction of the settler.
type batch struct {
	sender *Sender
	now    time.Time
	notes  []note
	written

	changed  map[*Endpoint]bool
	progress []Progress
	saved    map[outbox.EventKey]bool // the events of progress
	promoted []outbox.EventKey        // may be sent, as the event in front of them is done
	// fresh has the requests that delivered their events, by event; without those
	// that were delivered before.
	fresh    map[outbox.EventKey]*request
	failed   map[outbox.EventKey]bool // the events of progress that have failed
	disabled []*Endpoint              // by this transaction
	figures  figures.Tally
}

func newBatch(s *Sender, notes []note) *batch {
	return &batch{
		sender: s, now: s.now(), notes: notes, written: written{freed: map[*runner]bool{}},
		changed: map[*Endpoint]bool{}, saved: map[outbox.EventKey]bool{},
		fresh: map[outbox.EventKey]*request{}, failed: map[outbox.EventKey]bool{},
		figures: figures.Tally{Clock: s.config.Clock},
	}
}

func (b *batch) write(ctx context.Context, tx Writer) (err error) {
	if b.endpoints, err = tx.LockEndpoints(ctx, b.keys()); err != nil {
		return err
	}
	for _, n := range b.notes {
		if n.request != nil {
			b.judge(n)
		}
		b.renew(n.lane)
	}
	if err := b.saveEvents(ctx, tx); err != nil {
		return err
	}
	for _, n := range b.notes {
		if n.parks {
			if err := b.park(ctx, tx, n); err != nil {
				return err
			}
		}
	}
	if err := tx.SaveEndpoints(ctx, slices.Collect(maps.Keys(b.changed))); err != nil {
		return err
	}
	for _, endpoint := range b.disabled {
		if err := b.sender.reportDisabled(ctx, tx, endpoint, b.now); err != nil {
			return err
		}
	}
	return tx.AddFigures(ctx, &b.figures)
}

// keys returns the endpoints of the notes, sorted.
func (b *batch) keys() []outbox.EndpointKey {
	keys := map[outbox.EndpointKey]bool{}
	for _, n := range b.notes {
		keys[n.lane.key] = true
	}
	return slices.SortedFunc(maps.Keys(keys), outbox.EndpointKey.Compare)
}

// judge applies the outcome of a request to its event, to the next one of the
// order and to the endpoint. Of a lane that has lost its endpoint, because its node was
// frozen for longer than the lease, only deliveries count: the receiver has those events,
// but all else is up to the lane that has the endpoint now.
func (b *batch) judge(n note) {
	endpoint := b.endpoints[n.lane.key]
	if endpoint != nil && endpoint.Holder != n.lane.holder {
		b.judgeLate(endpoint, n)
		return
	}
	var before Endpoint
	if endpoint != nil {
		before = *endpoint
	}
	request := *n.request
	if b.sender.config.Aged != nil {
		request.aged = b.sender.config.Aged()
	}
	p := judge(endpoint, request, b.now, b.sender.chance())
	b.progress = append(b.progress, p)
	b.saved[p.Key()] = true
	if p.State == outbox.Delivered && !n.request.event.delivered() {
		b.fresh[p.Key()] = n.request
	}
	if p.State == outbox.Failed {
		b.failed[p.Key()] = true
	}
	if endpoint != nil && !endpoint.sameHealth(&before) {
		b.changed[endpoint] = true
	}
	if endpoint != nil && before.Enabled && !endpoint.Enabled {
		b.disabled = append(b.disabled, endpoint)
	}
	if !outbox.Blocks(p.State, p.Tries) {
		b.promoted = append(b.promoted, p.Key().Next())
		b.wake(endpoint, n.lane)
	}
}

// judgeLate applies the outcome of a request of a lane that has lost its endpoint.
func (b *batch) judgeLate(endpoint *Endpoint, n note) {
	p := judge(nil, *n.request, b.now, b.sender.chance())
	if p.State != outbox.Delivered {
		return
	}
	b.progress = append(b.progress, p)
	b.saved[p.Key()] = true
	if !n.request.event.delivered() {
		b.fresh[p.Key()] = n.request
	}
	b.promoted = append(b.promoted, p.Key().Next())
	b.wake(endpoint, n.lane)
}

// wake makes sure that the next event is sent if the lane has lost its endpoint:
// the lane that has it now may have parked it meanwhile.
func (b *batch) wake(endpoint *Endpoint, lane *runner) {
	if endpoint == nil || endpoint.Holder == lane.holder {
		return
	}
	if endpoint.wakeFor(b.now) {
		b.changed[endpoint] = true
	}
}

// renew extends the lane's lease, unless it is long enough.
func (b *batch) renew(lane *runner) {
	endpoint := b.endpoints[lane.key]
	if endpoint != nil && endpoint.Holder == lane.holder && endpoint.LeaseUntil.Sub(b.now) < renewBelow {
		endpoint.LeaseUntil = b.now.Add(leaseFor)
		b.changed[endpoint] = true
	}
}

// saveEvents writes the events' progress, and makes those due that waited behind
// them.
func (b *batch) saveEvents(ctx context.Context, tx Writer) error {
	saved, err := tx.SaveProgress(ctx, b.progress)
	if err != nil {
		return err
	}
	b.count(saved)
	if len(saved) == len(b.progress) {
		// An event whose outcome has just been saved does not wait. If an outcome
		// came too late to be saved, its event may: all are promoted then.
		b.promoted = slices.DeleteFunc(b.promoted, func(key outbox.EventKey) bool { return b.saved[key] })
	}
	return tx.Promote(ctx, b.promoted, b.now)
}

// count adds to the figures what was delivered, and counts what has failed, of the events
// that were saved: the others were judged by an earlier try at this transaction, or on
// another node.
func (b *batch) count(saved []outbox.EventKey) {
	for _, key := range saved {
		if b.failed[key] {
			b.givenUp++
		}
		if r := b.fresh[key]; r != nil {
			b.figures.WebhookDelivered(&r.event.Event, r.at)
		}
	}
}

// park frees the endpoint until its next event is due. If one is due now the
// endpoint is not freed, unless its lane yields: then it wakes now, and so comes
// behind all that have been due before.
func (b *batch) park(ctx context.Context, tx Writer, n note) error {
	endpoint := b.endpoints[n.lane.key]
	if endpoint == nil || endpoint.Holder != n.lane.holder {
		b.freed[n.lane] = true
		return nil
	}
	next, err := tx.NextDue(ctx, endpoint.Key())
	if err != nil {
		return err
	}
	if !next.IsZero() {
		next = later(next, endpoint.OpenUntil)
	}
	if endpoint.Enabled && !next.IsZero() && !next.After(b.now) && !b.sender.isClosing() {
		if !n.yields {
			return nil
		}
		next = b.now
	}
	endpoint.WakeAt, endpoint.Holder, endpoint.LeaseUntil = next, "", time.Time{}
	b.freed[n.lane], b.changed[endpoint] = true, true
	return nil
}

// later returns the later one of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// sameHealth reports whether two versions of an endpoint agree in all fields that
// judge changes.
func (e *Endpoint) sameHealth(o *Endpoint) bool {
	return e.Enabled == o.Enabled && e.Failures == o.Failures && e.FailingSince.Equal(o.FailingSince) &&
		e.OpenUntil.Equal(o.OpenUntil) && e.Pace == o.Pace
}
