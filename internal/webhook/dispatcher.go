package webhook

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/outbox"
)

const (
	// startGroup is how many endpoints of a speed are leased in one transaction,
	// which the commits of others wait for.
	startGroup = 64
	// startEvery is the time between two groups of endpoints that are not quick, so
	// that reading the events of many does not hold up the others.
	startEvery = 40 * time.Millisecond
	// expiredGroup is how many endpoints whose lease has expired are freed in one
	// transaction.
	expiredGroup = 256
)

// dispatcher leases endpoints that have something to do, and starts their lanes. Its
// fields belong to the goroutine that calls run.
type dispatcher struct {
	*Sender
	leases    int                    // how many have been named
	unsure    time.Time              // until then there may be leases without a lane
	notBefore [len(Speeds)]time.Time // when endpoints of a speed get lanes again
}

// run starts lanes for endpoints with due events until the sender closes.
func (d *dispatcher) run(ctx context.Context) {
	for {
		began := time.Now() // the real clock, because it measures work
		d.looking.Store(&began)
		next, err := d.startDue(ctx)
		d.looking.Store(nil)
		if err != nil {
			next = d.now().Add(lookEvery)
			if !d.isClosing() {
				d.config.Log.Error("due webhooks not read or not leased, trying again soon", "error", err)
			}
		}
		select {
		case <-d.wakes:
		case <-d.config.At(next):
		case <-d.closing:
			return
		}
	}
}

// startDue starts lanes for endpoints with due events, quick ones first, and returns
// when to do it again.
func (d *dispatcher) startDue(ctx context.Context) (next time.Time, err error) {
	try, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	now := d.now()
	next = now.Add(maxIdle)
	if d.config.Held() {
		return next, nil
	}
	if d.config.Shared || now.Before(d.unsure) {
		next = now.Add(lookEvery)
		if err := d.freeExpired(try, now); err != nil {
			return next, err
		}
	}
	found, err := d.look(try, now)
	if err != nil {
		return next, err
	}
	for _, speed := range Speeds {
		again := d.notBefore[speed]
		if !now.Before(again) {
			if again, err = d.startFirst(ctx, try, speed, found[speed], now); err != nil {
				return next, err
			}
		}
		if !again.IsZero() && again.Before(next) {
			next = again
		}
	}
	return next, nil
}

// look reads which endpoints wake first, of each speed whose endpoints may get lanes
// now: one more than may get one.
func (d *dispatcher) look(ctx context.Context, now time.Time) (found [len(Speeds)][]outbox.Wake, err error) {
	err = d.config.Store.Read(ctx, func(tx Reader) error {
		for _, speed := range Speeds {
			if now.Before(d.notBefore[speed]) {
				continue
			}
			limit := 1 + min(startGroup, d.permits.room(speed))
			if found[speed], err = tx.Wakes(ctx, speed, limit); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// startFirst starts lanes for endpoints of a speed that are due, as many as there are
// permits for, and returns when others of the speed may be started; zero if none will
// wake.
func (d *dispatcher) startFirst(
	ctx, try context.Context, speed Speed, wakes []outbox.Wake, now time.Time,
) (next time.Time, err error) {
	var due []outbox.EndpointKey
	for _, wake := range wakes {
		if wake.At.After(now) {
			next = wake.At
			break
		}
		due = append(due, wake.EndpointKey)
	}
	granted := d.permits.reserve(speed, min(len(due), startGroup))
	full := granted < min(len(due), startGroup)
	d.permits.await(speed, full)
	switch {
	case full:
		next = now.Add(lookEvery)
	case granted < len(due) && speed == Quick:
		next = now
	case granted < len(due):
		next = now.Add(startEvery)
	}
	if speed != Quick && granted < len(due) {
		d.notBefore[speed] = next
	}
	leased, err := d.lease(try, due[:granted])
	d.permits.add(speed, -granted)
	if err != nil {
		// It may have been committed all the same. Then the leases expire unused.
		d.unsure = now.Add(2 * leaseFor)
		return next, err
	}
	d.startLanes(ctx, leased)
	return next, nil
}

// lease leases endpoints. Of several nodes that try, one gets each.
func (d *dispatcher) lease(ctx context.Context, keys []outbox.EndpointKey) (leased []*Endpoint, err error) {
	err = d.change(ctx, keys, func(e *Endpoint, now time.Time) bool {
		free := e.Enabled && !e.WakeAt.IsZero() && !e.WakeAt.After(now) && !e.LeaseUntil.After(now)
		if free {
			e.Holder, e.LeaseUntil = d.newLease(), now.Add(leaseFor)
		}
		return free
	}, &leased)
	if err != nil {
		return nil, fmt.Errorf("lease endpoints: %w", err)
	}
	return leased, nil
}

// freeExpired frees endpoints that were leased by a node that has died.
func (d *dispatcher) freeExpired(ctx context.Context, now time.Time) error {
	var expired []outbox.EndpointKey
	err := d.config.Store.Read(ctx, func(tx Reader) (err error) {
		expired, err = tx.Expired(ctx, now, expiredGroup)
		return err
	})
	if err != nil {
		return err
	}
	var freed []*Endpoint
	return d.change(ctx, expired, func(e *Endpoint, now time.Time) bool {
		expired := e.Holder != "" && !e.LeaseUntil.After(now)
		if expired {
			e.Holder, e.LeaseUntil = "", time.Time{}
		}
		return expired
	}, &freed)
}

// change saves the endpoints that fn changes, under their locks, and sets changed to
// them.
func (d *dispatcher) change(
	ctx context.Context, keys []outbox.EndpointKey, fn func(e *Endpoint, now time.Time) bool, changed *[]*Endpoint,
) error {
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, outbox.EndpointKey.Compare)
	return d.config.Store.Write(ctx, func(tx Writer) error {
		*changed = nil
		now := d.now()
		endpoints, err := tx.LockEndpoints(ctx, keys)
		if err != nil {
			return err
		}
		for _, e := range endpoints {
			if fn(e, now) {
				*changed = append(*changed, e)
			}
		}
		return tx.SaveEndpoints(ctx, *changed)
	})
}

// newLease returns a name for a lease that no other has.
func (d *dispatcher) newLease() string {
	d.leases++
	return d.node + "/" + strconv.Itoa(d.leases)
}

// startLanes starts a lane for each of the endpoints, which have been leased.
func (d *dispatcher) startLanes(ctx context.Context, leased []*Endpoint) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, endpoint := range leased {
		lane := newRunner(d.Sender, endpoint)
		d.permits.begin(endpoint.Speed())
		// The lane that this may replace has parked or lost its lease, and will end.
		d.lanes[endpoint.Key()] = lane
		d.running.Go(func() {
			lane.run(ctx)
			d.forget(lane)
		})
	}
}
