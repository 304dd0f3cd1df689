package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/store"
)

const (
	// writeCallers wait for the committer at once.
	writeCallers = 64
	// writePartners share the orders that they move.
	writePartners = 8
	// movesPerSecond is more than a committer makes: so many orders are laid down.
	movesPerSecond = 12_000
)

// write moves orders as fast as the committer can.
func (c *webhooksCommand) write(ctx context.Context, b bed, queue, send bool) (f figures, err error) {
	r, err := newReceiver(ctx, writePartners, accepts)
	if err != nil {
		return f, err
	}
	defer r.close()
	var urls []string
	if queue {
		urls = r.urls()
	}
	p := &plan{Send: send, Moves: moves{Callers: writeCallers, Seconds: c.Seconds}}
	partners := make([]string, int(c.Seconds*movesPerSecond)/len(movesOf)+writeCallers)
	for i := range partners {
		partners[i] = hookPartner(i % writePartners)
	}
	err = layDown(ctx, b.database, urls, func(db *store.Store) (err error) {
		p.Moves.Orders, err = addMovable(ctx, db, partners)
		return err
	})
	if err != nil {
		return f, err
	}
	mover, err := b.start(ctx, "mover", p)
	if err != nil {
		return f, err
	}
	meter := b.meter(mover)
	err = errors.Join(meter.hook(), mover.begin(), mover.done(), meter.hook(), mover.stop())
	if err != nil {
		return f, err
	}
	var did outcome
	if err := readJSON(p.Outcome, &did); err != nil {
		return f, err
	}
	f = latencyFigures(did.Latencies)
	f.PerSecond = float64(did.Moved) / did.Seconds
	meter.per(&f, did.Moved)
	if f.Kept = len(did.Commits); f.Kept != did.Moved {
		err = fmt.Errorf("%d transitions wrote %d events", did.Moved, f.Kept)
	}
	return f, err
}

// latencyFigures says how long things took.
func latencyFigures(latencies []time.Duration) figures {
	slices.Sort(latencies)
	return summarise(load{length: time.Second}, &result{Latencies: latencies, Total: len(latencies)})
}

// deadManners are the ways in which ten neighbours are dead.
var deadManners = []manner{refuses, hangs, resets, fails, refuses, hangs, resets, fails, hangs, fails}

// healthyManners are those of as many neighbours that are alive.
var healthyManners = slices.Repeat([]manner{accepts}, len(deadManners))

// neighbour measures from commit to arrival at a partner, beside others: as
// many events as it gets go to them together while it gets them. If they are
// dead, as many have waited at each of them before.
func (c *webhooksCommand) neighbour(ctx context.Context, b bed, others []manner) (f figures, err error) {
	healthy, err := newReceiver(ctx, 1, accepts)
	if err != nil {
		return f, err
	}
	defer healthy.close()
	urls := healthy.urls()
	for _, m := range others {
		r, err := newReceiver(ctx, 1, m)
		if err != nil {
			return f, err
		}
		defer r.close()
		urls = append(urls, r.urls()...)
	}
	own := int(c.Rate * c.Seconds)
	var partners []string
	for i := range own {
		partners = append(partners, hookPartner(0))
		if len(others) > 0 {
			partners = append(partners, hookPartner(1+i%len(others)))
		}
	}
	p := &plan{Send: true, Moves: moves{PerSecond: c.Rate * float64(len(partners)/own)}}
	err = layDown(ctx, b.database, urls, func(db *store.Store) (err error) {
		if p.Moves.Orders, err = addMovable(ctx, db, partners); err != nil || !slices.Contains(others, refuses) {
			return err
		}
		var waiting []string
		for i := range own * len(others) {
			waiting = append(waiting, hookPartner(1+i%len(others)))
		}
		return addWaiting(ctx, db, waiting)
	})
	if err != nil {
		return f, err
	}
	healthy.want(own)
	return c.commitToArrival(ctx, b, p, nil, healthy)
}

// wake measures from commit to arrival at a quiet endpoint: every event finds
// the sender asleep. On another node it is for the sender's node to find out.
func (c *webhooksCommand) wake(ctx context.Context, b bed, other bool) (f figures, err error) {
	const perSecond = 10 // each is delivered before the next
	r, err := newReceiver(ctx, 1, accepts)
	if err != nil {
		return f, err
	}
	defer r.close()
	count := max(1, int(c.Seconds*perSecond))
	p := &plan{Send: !other, Moves: moves{PerSecond: perSecond}}
	err = layDown(ctx, b.database, r.urls(), func(db *store.Store) (err error) {
		p.Moves.Orders, err = addMovable(ctx, db, slices.Repeat([]string{hookPartner(0)}, count))
		return err
	})
	if err != nil {
		return f, err
	}
	r.want(count)
	var second *plan
	if other {
		second = &plan{Send: true}
	}
	return c.commitToArrival(ctx, b, p, second, r)
}

// commitToArrival runs one node that moves orders, and perhaps another one that
// sends, until all events have arrived.
func (c *webhooksCommand) commitToArrival(ctx context.Context, b bed, p, second *plan, r *receiver) (f figures, err error) {
	if second != nil {
		other, failed := b.start(ctx, "second", second)
		if failed != nil {
			return f, failed
		}
		defer func() { err = errors.Join(err, other.stop()) }()
		if err := other.begin(); err != nil {
			return f, err
		}
	}
	node, err := b.start(ctx, "first", p)
	if err != nil {
		return f, err
	}
	meter := b.meter(node)
	began := time.Now()
	err = errors.Join(meter.hook(), node.begin(), node.done())
	if err == nil {
		err = r.wait(ctx, deliverTimeout)
	}
	took := time.Since(began)
	if err = errors.Join(err, meter.hook(), node.stop()); err != nil {
		return f, err
	}
	var did outcome
	if err := readJSON(p.Outcome, &did); err != nil {
		return f, err
	}
	var latencies []time.Duration
	for id, at := range r.arrivals { // nobody adds to them any more
		latencies = append(latencies, at.Sub(time.Unix(0, did.Commits[id])))
	}
	f = latencyFigures(latencies)
	f.PerSecond = float64(len(latencies)) / took.Seconds()
	meter.per(&f, len(latencies))
	return f, nil
}
