package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/store"
)

// waitingRow describes a sender with very many waiting events.
type waitingRow struct {
	Endpoints  int     `json:"endpoints"`
	Events     int     `json:"events"`
	StartMB    float64 `json:"start_mb"`         // resident, before the sender runs
	IdleMB     float64 `json:"idle_mb"`          // after waiting for the endpoints
	BusyMB     float64 `json:"busy_mb"`          // the peak, after the endpoints accept connections
	IdleCPU    float64 `json:"idle_cpu_ms_s"`    // per second of waiting
	PerSecond  float64 `json:"per_second"`       // deliveries, after the endpoints accept connections
	CPUMicros  float64 `json:"cpu_us_each"`      // per delivery
	Delivered  int     `json:"delivered"`        // in that time
	Load       float64 `json:"load_average"`     // at the end
	LayDownSec float64 `json:"lay_down_seconds"` // to write all events
}

// probeTimeout is the longest time until the next probe of an endpoint.
const probeTimeout = 3 * time.Minute

// waitingRow adds events for dead endpoints, measures the sender while it waits, and
// then lets the endpoints accept connections for a while.
func (c *webhooksCommand) waitingRow(ctx context.Context, endpoints int) (row waitingRow, err error) {
	err = c.inWorkspace(ctx, func(w workspace) (err error) {
		row, err = c.waiting(ctx, w, endpoints)
		return err
	})
	row.Load = loadAverage()
	return row, err
}

func (c *webhooksCommand) waiting(ctx context.Context, w workspace, endpoints int) (row waitingRow, err error) {
	row = waitingRow{Endpoints: endpoints, Events: c.Waiting}
	r, err := newReceiver(ctx, endpoints, refuses)
	if err != nil {
		return row, err
	}
	began := time.Now()
	err = seedHooks(ctx, w.database, r.urls(), func(db *store.Store) error { return addEvents(ctx, db, endpoints, c.Waiting) })
	row.LayDownSec = time.Since(began).Seconds()
	if err != nil {
		return row, err
	}
	sender, err := w.start(ctx, "sender", &plan{Send: true})
	if err != nil {
		return row, err
	}
	err = errors.Join(c.watch(ctx, w, sender, r, &row), sender.stop())
	r.close()
	if err != nil {
		return row, err
	}
	delivered, err := countDelivered(ctx, w.database)
	if events := r.count(); err == nil && delivered != events {
		err = fmt.Errorf("invalid: %d events arrived, %d are stored as delivered", events, delivered)
	}
	return row, err
}

// watch measures a sender that waits, and then one that is busy.
func (c *webhooksCommand) watch(ctx context.Context, w workspace, sender *child, r *receiver, row *waitingRow) (err error) {
	pid := sender.command.Process.Pid
	if row.StartMB, err = memory(pid, "VmRSS"); err != nil {
		return err
	}
	idle, busy := w.meter(sender), w.meter(sender)
	err = inTurn(idle.hook, sender.begin, func() error { return pauseFor(ctx, c.Idle) }, idle.hook)
	if err != nil {
		return err
	}
	row.IdleCPU = milliseconds(idle.own.elapsed()) / max(1, c.Idle.Seconds())
	if row.IdleMB, err = memory(pid, "VmRSS"); err != nil {
		return err
	}
	r.behave(accepts, 0)
	r.want(1)
	if err := r.listen(ctx); err != nil {
		return err
	}
	if err := r.wait(ctx, probeTimeout); err != nil {
		return err
	}
	// Endpoints are probed one by one. The window begins a second after the first
	// answered.
	if err := inTurn(func() error { return pauseFor(ctx, time.Second) }, busy.hook); err != nil {
		return err
	}
	began := time.Now()
	before := r.count()
	window := time.Duration(c.Seconds * float64(time.Second))
	if err := inTurn(func() error { return pauseFor(ctx, window) }, busy.hook); err != nil {
		return err
	}
	after := r.count()
	row.Delivered = after - before
	row.PerSecond = float64(row.Delivered) / time.Since(began).Seconds()
	row.CPUMicros = float64(busy.own.elapsed().Microseconds()) / float64(max(1, row.Delivered))
	row.BusyMB, err = memory(pid, "VmHWM")
	return err
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// memory returns a value of a process's memory from /proc, in MB.
func memory(pid int, name string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
			return kb / 1024, err
		}
	}
	return 0, fmt.Errorf("the status of process %d does not hold %s", pid, name)
}
