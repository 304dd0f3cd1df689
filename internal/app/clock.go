package app

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
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
	if at, ok := timestamp.Parse(text); ok {
		a.clock.Resume(at)
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
}

// save writes the time. That it fails is reported by all else that writes.
func (l *lastTime) save() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.app.store.SetSetting(ctx, lastTimeSetting, timestamp.Format(l.app.Now()))
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
