package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// storeFloor writes the rows of orders with a bare driver: without HTTP, look-ups or
// decisions. Many goroutines wait for a few writers, each of which commits all
// waiting orders in one transaction.
type storeFloor struct {
	engine floorEngine
	queue  chan *floorOrder
	stock  floorStock
}

// floorEngine is a database with the service's schema.
type floorEngine interface {
	// fill adds the rows that sales update.
	fill(ctx context.Context, accounts []account) error
	// bytes returns the size of the database.
	bytes(ctx context.Context) (int64, error)
	// commit writes a group durably. Each writer has its own connection.
	commit(ctx context.Context, writer int, group *floorGroup) error
	// committed is called after the goroutines that waited for a group were answered.
	committed(orders int)
	close() error
}

// floorOrder is an order to be written.
type floorOrder struct {
	*delivery.Order
	document   []byte
	allocation string
	key        [16]byte
	hash       [32]byte
	written    chan error // buffered: receives the result
}

// floorGroup is what one transaction writes.
type floorGroup struct {
	orders    []*floorOrder
	movements []floorMovement
	sold      []floorSale // by partner, ascending: writers lock in one order
}

type floorMovement struct {
	*floorOrder
	delivery.Take
	id int64
}

// floorSale holds the new values of a partner's stock and counter.
type floorSale struct {
	partnerID      string
	lastMove, left int64
}

const maxFloorGroup = 256

// floorRun is a run of the store floor: a load without connections.
type floorRun struct {
	load
	writers  int
	accounts []account
}

// figures measures the floor on an engine, and its database afterwards.
func (r floorRun) figures(ctx context.Context, engine floorEngine, database string, databaseCPU func() (time.Duration, error)) (figures, error) {
	cpu, server := stopwatch{read: ownCPU}, stopwatch{read: databaseCPU}
	r.window = bothHooks(&cpu, &server)
	measured, before, err := r.run(ctx, engine)
	f, err := finishBoth(r.load, measured, &cpu, &server, err)
	if err != nil {
		return f, err
	}
	after, err := measureDatabase(ctx, database)
	f.grown(extent{bytes: before}, after)
	return f, allKept(f, err)
}

// run measures the floor on an engine, which it closes. It also returns the size of
// the database before.
func (r floorRun) run(ctx context.Context, engine floorEngine) (measured *result, before int64, err error) {
	defer func() { err = errors.Join(err, engine.close()) }()
	if err = engine.fill(ctx, r.accounts); err == nil {
		before, err = engine.bytes(ctx)
	}
	if err != nil {
		return nil, 0, err
	}
	f := &storeFloor{engine: engine, queue: make(chan *floorOrder, 4*maxFloorGroup)}
	var group sync.WaitGroup
	for i := range r.writers {
		group.Go(func() { f.write(ctx, i) })
	}
	measured, err = r.each(ctx, func(client int) (task, error) {
		return f.client(r.accounts[client%len(r.accounts)].PartnerID, client), nil
	})
	close(f.queue)
	group.Wait()
	return measured, before, err
}

// client returns the task of one client: to write an order and wait for it.
func (f *storeFloor) client(partnerID string, number int) task {
	maker := newOrderMaker()
	return func() error {
		number++
		made, document, err := maker.make(partnerID, number, time.Now())
		if err != nil {
			return err
		}
		o := &floorOrder{
			Order: made, document: document, allocation: allocationOf(made), key: newUUID(maker.random),
			hash: sha256.Sum256(document), written: make(chan error, 1),
		}
		f.queue <- o
		return <-o.written
	}
}

// write commits the waiting orders until the queue is closed.
func (f *storeFloor) write(ctx context.Context, writer int) {
	for first := range f.queue {
		orders := f.gather(first)
		err := f.engine.commit(ctx, writer, f.stock.sell(orders))
		for _, o := range orders {
			o.written <- err
		}
		f.engine.committed(len(orders))
	}
}

// gather returns the first order with all others that are waiting now.
func (f *storeFloor) gather(first *floorOrder) []*floorOrder {
	orders := []*floorOrder{first}
	for len(orders) < maxFloorGroup {
		select {
		case next, open := <-f.queue:
			if !open {
				return orders
			}
			orders = append(orders, next)
		default:
			return orders
		}
	}
	return orders
}

// floorStock holds what the partners have sold, so that nothing is looked up.
type floorStock struct {
	mu    sync.Mutex
	moves map[string]int64 // the last movement, by partner; guarded by mu
	sold  map[string]int64 // orders with items, by partner; guarded by mu
}

// sell numbers the movements of a group. Of two groups the older one may be written
// last. Then the stock is wrong, but the work is the same.
func (s *floorStock) sell(orders []*floorOrder) *floorGroup {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moves == nil {
		s.moves, s.sold = map[string]int64{}, map[string]int64{}
	}
	group := &floorGroup{orders: orders}
	var partners []string
	for _, o := range orders {
		for _, take := range o.Allocation {
			s.moves[o.PartnerID]++
			group.movements = append(group.movements, floorMovement{o, take, s.moves[o.PartnerID]})
		}
		if len(o.Allocation) > 0 {
			s.sold[o.PartnerID]++
			partners = append(partners, o.PartnerID)
		}
	}
	slices.Sort(partners)
	for _, id := range slices.Compact(partners) {
		group.sold = append(group.sold, floorSale{id, s.moves[id], openingStock - s.sold[id]})
	}
	return group
}
