package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
)

// movesOf holds the transitions of an order that starts as picked up. None of them
// needs a courier.
var movesOf = [...]delivery.Status{
	delivery.StatusInTransit, delivery.StatusOutForDelivery, delivery.StatusFailed,
	delivery.StatusInTransit, delivery.StatusOutForDelivery, delivery.StatusDelivered,
}

// move makes the transitions of the plan.
func (p plan) move(ctx context.Context, db *store.Store, wake func(...string)) (*outcome, error) {
	if len(p.Moves.Orders) == 0 {
		return &outcome{}, nil
	}
	service, timed := newMover(db, wake)
	defer service.Close()
	m := &mover{moves: p.Moves, service: service}
	for i, status := range movesOf {
		m.steps[i] = document(`{"status":"` + string(status) + `"}`)
	}
	began := time.Now()
	if m.Callers > 0 {
		m.flatOut(ctx, began.Add(time.Duration(m.Seconds*float64(time.Second))))
	} else {
		m.steadily(ctx, began)
	}
	return &outcome{
		Moved: len(m.latencies), Seconds: time.Since(began).Seconds(), Latencies: m.latencies, Commits: timed.commits,
	}, m.failed
}

type mover struct {
	moves
	service *order.Service
	steps   [len(movesOf)]*strictjson.Value
	running sync.WaitGroup

	mu        sync.Mutex
	latencies []time.Duration // guarded by mu
	failed    error           // the first; guarded by mu
}

// flatOut moves order after order through all statuses, until the time is over.
func (m *mover) flatOut(ctx context.Context, until time.Time) {
	var next atomic.Int64
	for range m.Callers {
		m.running.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				for step := range m.steps {
					if n >= len(m.Orders) || time.Now().After(until) || !m.step(ctx, m.Orders[n], step) {
						return
					}
				}
			}
		})
	}
	m.running.Wait()
}

// steadily moves each order once, at its time, even if the previous move is not
// done.
func (m *mover) steadily(ctx context.Context, began time.Time) {
	for i, id := range m.Orders {
		time.Sleep(time.Until(began.Add(time.Duration(float64(i) / m.PerSecond * float64(time.Second)))))
		m.running.Go(func() { m.step(ctx, id, 0) })
	}
	m.running.Wait()
}

func (m *mover) step(ctx context.Context, orderID string, step int) (ok bool) {
	began := time.Now()
	_, err := m.service.Advance(ctx, nil, "", orderID, m.steps[step])
	took := time.Since(began)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil && m.failed == nil {
		m.failed = err
	}
	if err == nil {
		m.latencies = append(m.latencies, took)
	}
	return err == nil
}
