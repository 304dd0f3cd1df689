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
	// writeCallers is the number of concurrent callers of the committer.
	writeCallers = 64
	// writePartners is the number of partners that the orders belong to.
	writePartners = 8
	// movesPerSecond is more than a committer can make. It decides how many orders
	// are added.
	movesPerSecond = 12_000
)

// write measures transitions, made as fast as the committer can.
func (c *webhooksCommand) write(ctx context.Context, w workspace, queue, send bool) (f figures, err error) {
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
	err = seedHooks(ctx, w.database, urls, func(db *store.Store) (err error) {
		p.Moves.Orders, err = addMovable(ctx, db, partners)
		return err
	})
	if err != nil {
		return f, err
	}
	mover, err := w.start(ctx, "mover", p)
	if err != nil {
		return f, err
	}
	meter := w.meter(mover)
	err = inTurn(meter.hook, mover.begin, mover.done, meter.hook)
	if err = errors.Join(err, mover.stop()); err != nil {
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
		err = fmt.Errorf("invalid: %d transitions wrote %d events", did.Moved, f.Kept)
	}
	return f, err
}

// latencyFigures returns the percentiles of latencies.
func latencyFigures(latencies []time.Duration) figures {
	slices.Sort(latencies)
	return summarise(load{length: time.Second}, &result{Latencies: latencies, Total: len(latencies)})
}

// deadOthers holds the behaviours of ten dead neighbours.
var deadOthers = []behaviour{refuses, hangs, resets, fails, refuses, hangs, resets, fails, hangs, fails}

// healthyOthers holds the behaviours of as many healthy ones.
var healthyOthers = slices.Repeat([]behaviour{accepts}, len(deadOthers))

// neighbour measures the time from commit to arrival at a partner beside others, which
// together get as many events as the partner. If they are dead, as many events have
// waited for each of them before.
func (c *webhooksCommand) neighbour(ctx context.Context, w workspace, others []behaviour) (f figures, err error) {
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
	err = seedHooks(ctx, w.database, urls, func(db *store.Store) (err error) {
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
	return c.commitToArrival(ctx, w, p, nil, healthy)
}

// wake measures the time from commit to arrival at a quiet endpoint, so that every
// event finds the sender idle. With other, the sender is on another node, which must
// discover the event itself.
func (c *webhooksCommand) wake(ctx context.Context, w workspace, other bool) (f figures, err error) {
	const perSecond = 10 // so that each event is delivered before the next
	r, err := newReceiver(ctx, 1, accepts)
	if err != nil {
		return f, err
	}
	defer r.close()
	count := max(1, int(c.Seconds*perSecond))
	p := &plan{Send: !other, Moves: moves{PerSecond: perSecond}}
	err = seedHooks(ctx, w.database, r.urls(), func(db *store.Store) (err error) {
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
	return c.commitToArrival(ctx, w, p, second, r)
}

// commitToArrival runs a node that moves orders, and another that sends if second is
// not nil, until all events have arrived.
func (c *webhooksCommand) commitToArrival(ctx context.Context, w workspace, p, second *plan, r *receiver) (f figures, err error) {
	if second != nil {
		other, failed := w.start(ctx, "second", second)
		if failed != nil {
			return f, failed
		}
		defer func() { err = errors.Join(err, other.stop()) }()
		if err := other.begin(); err != nil {
			return f, err
		}
	}
	node, err := w.start(ctx, "first", p)
	if err != nil {
		return f, err
	}
	meter := w.meter(node)
	began := time.Now()
	err = inTurn(meter.hook, node.begin, node.done, func() error { return r.wait(ctx, deliverTimeout) })
	took := time.Since(began)
	if err = errors.Join(err, meter.hook(), node.stop()); err != nil {
		return f, err
	}
	var did outcome
	if err := readJSON(p.Outcome, &did); err != nil {
		return f, err
	}
	var latencies []time.Duration
	for id, at := range r.arrivals { // not modified after wait has returned
		latencies = append(latencies, at.Sub(time.Unix(0, did.Commits[id])))
	}
	f = latencyFigures(latencies)
	f.PerSecond = float64(len(latencies)) / took.Seconds()
	meter.per(&f, len(latencies))
	return f, nil
}
