package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
)

// lastTimeSetting is the setting that holds the last time that records may have, so that
// the next start goes on from there.
const lastTimeSetting = "last_time"

// lastTimeEvery is how old that time may be. After a crash the clock of the next start may
// begin by so much before the times of the latest records.
const lastTimeEvery = time.Minute

// lastTime keeps the setting up to date.
type lastTime struct {
	app  *App
	stop chan struct{}
	done chan struct{}
}

// openClock lets the clock go on from the last time of earlier processes. The store must be
// open.
func (a *App) openClock(ctx context.Context) error {
	text, err := a.store.Setting(ctx, lastTimeSetting)
	if err != nil {
		return err
	}
	at, ok := timestamp.Parse(text)
	if ok {
		a.clock.Resume(at)
	}
	if a.trust, err = clock.OpenTrust(ctx, a.store, at, a.machine, a.Now, a.Elapsed, a.Log); err != nil {
		return fmt.Errorf("compare the clock with the store: %w", err)
	}
	last := &lastTime{app: a, stop: make(chan struct{}), done: make(chan struct{})}
	go last.keep()
	a.atClose(ending(last.close))
	return nil
}

// keep writes the time regularly until close.
func (l *lastTime) keep() {
	defer close(l.done)
	ticker := time.NewTicker(lastTimeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.save()
			l.look()
			l.app.lineage.beat()
		case <-l.stop:
			return
		}
	}
}

// close writes the time once more, if it still can.
func (l *lastTime) close() {
	close(l.stop)
	<-l.done
	l.save()
	l.app.lineage.beat()
}

// look compares the clock with the store's time. That it fails is reported by all else that
// uses the store; data then ages as it did before.
func (l *lastTime) look() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.app.trust.Look(ctx)
}

// AcceptClock has data age by the clock of this machine, which the service doubted. It returns
// the time by which data aged before.
func AcceptClock(ctx context.Context, settings *config.Config, world Surroundings) (was time.Time, err error) {
	db, err := openExisting(ctx, settings)
	if err != nil {
		return was, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return acceptClock(byCommand(ctx), db, world)
}

// acceptedFacts is what the audit log holds of an accepted clock.
type acceptedFacts struct {
	Time time.Time `json:"time"`
}

func acceptClock(ctx context.Context, db *store.Store, world Surroundings) (was time.Time, err error) {
	now := timestamp.Truncate(world.Now())
	entry, err := audit.NewEntry(ctx, world.Random, now, audit.ActionClockAccepted)
	if err != nil {
		return was, err
	}
	accept := clock.Accept
	if world.Elapsed == nil {
		accept = clock.AcceptUnchecked
	}
	entry.ObjectID, entry.After = "clock", acceptedFacts{now}
	return accept(ctx, &accepting{db, entry}, now)
}

// accepting are the settings of a store. It writes the audit log's entry with the setting.
type accepting struct {
	*store.Store
	entry *audit.Entry
}

// ReplaceSetting writes the mark of an accepted clock, in one transaction with the entry.
func (a *accepting) ReplaceSetting(ctx context.Context, name, before, value string) (replaced bool, err error) {
	a.entry.Before = acceptedFacts{clock.TimeOf(before)}
	err = a.Retention().Write(ctx, func(tx retention.Writer) (err error) {
		if replaced, err = tx.ReplaceSetting(ctx, name, before, value); err != nil || !replaced {
			return err
		}
		return tx.AddAudit(ctx, a.entry)
	})
	return replaced, err
}

// acceptClock agrees with the clock of the machine of this node.
func (a *App) acceptClock(ctx context.Context) error {
	world := a.Surroundings
	world.Now = a.machine
	if _, err := acceptClock(ctx, a.store, world); err != nil {
		return err
	}
	return a.trust.Look(ctx)
}

// save writes the time. That it fails is reported by all else that writes.
func (l *lastTime) save() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.app.store.SetSetting(ctx, lastTimeSetting, timestamp.Format(l.app.Now()))
}

// checkTrust finds a clock that is so far ahead of the latest time in the store that data does
// not age by it.
func (d *Diagnosis) checkTrust(mark string, now time.Time) {
	if doubt := clock.Examine(mark, now); doubt != nil && doubt.Off > 0 {
		d.find("%v", doubt)
	}
}

// checkClock finds a clock that is behind the last time of the records.
func (d *Diagnosis) checkClock(last string, now time.Time) {
	at, ok := timestamp.Parse(last)
	behind := at.Sub(now)
	switch {
	case !ok || behind < time.Second:
	case behind > clock.Furthest:
		d.find("the clock of this machine is %v behind the times of the latest records: if it is right now, it was wrong before, and lists sort new records before those", behind.Round(time.Second))
	default:
		d.find("the clock of this machine is %v behind the times of the latest records: look at its time service; new records go on from their time at half the speed until the clock has caught up", behind.Round(time.Second))
	}
}
