package webhook

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// settler writes what came of the requests of all lanes: everything that waits
// in one transaction, as the committer of orders does.
type settler struct {
	sender *Sender
	done   sync.WaitGroup
	wake   chan struct{}
	last   context.Context // ends some time after the sender has begun to close
	end    context.CancelFunc

	mu     sync.Mutex // guards what follows
	items  []*item
	closed bool
}

// item is what a lane wants written: what came of a request, that it has
// nothing left to do, or else only that it is alive.
type item struct {
	lane   *lane
	sent   *sent
	park   bool
	parked bool // the outcome: the lane has to end
}

const (
	// maxItems bounds a transaction.
	maxItems = 512
	// tryTimeout bounds one try at a transaction.
	tryTimeout = 10 * time.Second
	// pause is how long to wait for a database that cannot be reached.
	pause = 200 * time.Millisecond
	// lastWords is how long a closing sender tries to reach it, for all that it
	// has to say.
	lastWords = 10 * time.Second
)

const (
	// crowd is how many items at once show that many more are on their way. Then
	// the settler takes a breath after each commit, so that more of them share
	// the next one: who waits for a single event never waits for that.
	crowd  = 24
	breath = 10 * time.Millisecond
)

func newSettler(s *Sender) *settler {
	t := &settler{sender: s, wake: make(chan struct{}, 1)}
	t.last, t.end = context.WithCancel(context.Background())
	t.done.Go(t.run)
	return t
}

// add gives the settler something to write. It never waits.
func (t *settler) add(i *item) {
	t.mu.Lock()
	t.items = append(t.items, i)
	t.mu.Unlock()
	t.nudge()
}

func (t *settler) nudge() {
	select {
	case t.wake <- struct{}{}:
	default: // it is awake
	}
}

// close ends the settler once all is written. All lanes have ended.
func (t *settler) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.nudge()
	t.done.Wait()
}

func (t *settler) run() {
	for range t.wake {
		for {
			t.mu.Lock()
			n := min(len(t.items), maxItems)
			items := t.items[:n:n]
			t.items = t.items[n:]
			closed := t.closed
			t.mu.Unlock()
			if n == 0 && closed {
				return
			}
			if n == 0 {
				break
			}
			t.settle(items)
			if n >= crowd && n < maxItems {
				time.Sleep(breath)
			}
		}
	}
}

// settle writes items and tells their lanes. Items that the database refuses
// together are written one by one, so that one does not fail its neighbours.
func (t *settler) settle(items []*item) {
	endpoints, err := t.persist(items)
	switch {
	case err == nil:
		for lane, own := range byLane(items) {
			lane.done(endpoints[lane.partnerID], own)
		}
	case len(items) > 1 && !errors.Is(err, refusal.ErrUnreachable):
		for _, i := range items {
			t.settle([]*item{i})
		}
	default:
		t.sender.Log.Error("webhook attempts not written; they will be repeated", "count", len(items), "error", err)
		for lane, own := range byLane(items) {
			for _, i := range own {
				i.parked = i.park && t.sender.isClosing()
			}
			lane.failed(own)
		}
	}
}

func byLane(items []*item) map[*lane][]*item {
	lanes := map[*lane][]*item{}
	for _, i := range items {
		lanes[i.lane] = append(lanes[i.lane], i)
	}
	return lanes
}

// persist waits for a database that cannot be reached: there is nothing better
// to do, and what is known here would be lost. Only a sender that is to end
// gives up after a while.
func (t *settler) persist(items []*item) (endpoints map[string]*Endpoint, err error) {
	for {
		endpoints, err = t.write(items)
		if !errors.Is(err, refusal.ErrUnreachable) || t.last.Err() != nil {
			return endpoints, err
		}
		time.Sleep(pause)
	}
}

func (t *settler) write(items []*item) (endpoints map[string]*Endpoint, err error) {
	ctx, cancel := context.WithTimeout(t.last, tryTimeout)
	defer cancel()
	err = t.sender.Store.Write(ctx, func(tx Writer) error {
		batch := batch{sender: t.sender, now: t.sender.now(), items: items}
		endpoints, err = batch.write(ctx, tx)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = errors.Join(refusal.ErrUnreachable, err)
	}
	return endpoints, err
}

// batch is one transaction of the settler.
type batch struct {
	sender    *Sender
	now       time.Time
	items     []*item
	endpoints map[string]*Endpoint
	changed   map[*Endpoint]bool
	progress  []Progress
	saved     map[EventKey]bool // those of progress
	promoted  []EventKey
}

func (b *batch) write(ctx context.Context, tx Writer) (map[string]*Endpoint, error) {
	partners := map[string]bool{}
	for _, i := range b.items {
		partners[i.lane.partnerID] = true
	}
	var err error
	if b.endpoints, err = tx.LockEndpoints(ctx, slices.Sorted(maps.Keys(partners))); err != nil {
		return nil, err
	}
	b.changed, b.saved = map[*Endpoint]bool{}, map[EventKey]bool{}
	for _, i := range b.items {
		b.judge(i)
	}
	all, err := tx.SaveProgress(ctx, b.progress)
	if err != nil {
		return nil, err
	}
	if all {
		// What has an outcome in this transaction waits for nobody any more. One that
		// was written too late is none: that event may wait all the same.
		b.promoted = slices.DeleteFunc(b.promoted, func(key EventKey) bool { return b.saved[key] })
	}
	if err := tx.Promote(ctx, b.promoted, b.now); err != nil {
		return nil, err
	}
	for _, i := range b.items {
		if i.park {
			if err := b.park(ctx, tx, i); err != nil {
				return nil, err
			}
		}
	}
	return b.endpoints, tx.SaveEndpoints(ctx, slices.Collect(maps.Keys(b.changed)))
}

// judge decides what an item changes, and renews its lane's lease in time.
func (b *batch) judge(i *item) {
	endpoint := b.endpoints[i.lane.partnerID]
	if i.sent != nil {
		var before Endpoint
		if endpoint != nil {
			before = *endpoint
		}
		p := judge(endpoint, *i.sent, b.now, b.sender.chance())
		b.progress = append(b.progress, p)
		b.saved[p.Key()] = true
		if !Blocks(p.State, p.Tries) {
			b.promoted = append(b.promoted, p.Key().Next())
			b.wake(endpoint, i.lane)
		}
		if endpoint != nil && !endpoint.sameHealth(&before) {
			b.changed[endpoint] = true
		}
	}
	if endpoint != nil && endpoint.Holder == i.lane.holder && endpoint.LeaseUntil.Sub(b.now) < leaseFor*2/3 {
		endpoint.LeaseUntil = b.now.Add(leaseFor)
		b.changed[endpoint] = true
	}
}

// wake sees to it that what was promoted is sent although the lane has lost its
// endpoint to another, which may have parked it meanwhile.
func (b *batch) wake(endpoint *Endpoint, l *lane) {
	if endpoint == nil || endpoint.Holder == l.holder {
		return
	}
	if at, sooner := endpoint.Sooner(b.now); sooner {
		endpoint.WakeAt = at
		b.changed[endpoint] = true
	}
}

// park frees the endpoint until its next event is due, unless one is due now.
func (b *batch) park(ctx context.Context, tx Writer, i *item) error {
	endpoint := b.endpoints[i.lane.partnerID]
	if i.parked = endpoint == nil || endpoint.Holder != i.lane.holder; i.parked {
		return nil
	}
	next, err := tx.NextDue(ctx, endpoint.PartnerID)
	if err != nil {
		return err
	}
	if !next.IsZero() {
		next = later(next, endpoint.OpenUntil)
	}
	if endpoint.Enabled && !next.IsZero() && !next.After(b.now) && !b.sender.isClosing() {
		return nil
	}
	endpoint.WakeAt, endpoint.Holder, endpoint.LeaseUntil = next, "", time.Time{}
	i.parked, b.changed[endpoint] = true, true
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (e *Endpoint) sameHealth(o *Endpoint) bool {
	return e.Enabled == o.Enabled && e.Failures == o.Failures && e.FailingSince.Equal(o.FailingSince) && e.OpenUntil.Equal(o.OpenUntil)
}
