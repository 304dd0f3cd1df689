package db

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// connPool holds connections, each of which serves one transaction at a time.
type connPool struct {
	free     chan *sqliteConn // has room for all connections of the pool
	opened   int              // how many connections there are; set before the first is lent
	waits    atomic.Int64     // transactions that found none free
	waitTime atomic.Int64     // how long they waited, in nanoseconds
}

func newConnPool(size int) *connPool { return &connPool{free: make(chan *sqliteConn, size)} }

// add puts a new connection into the pool.
func (p *connPool) add(c *sqliteConn) {
	p.opened++
	p.free <- c
}

// close takes every connection back and closes it.
func (p *connPool) close() (err error) {
	for range p.opened {
		err = errors.Join(err, (<-p.free).Close())
	}
	return err
}

// take returns a free connection, or waits for one until ctx ends.
func (p *connPool) take(ctx context.Context) (*sqliteConn, error) {
	select {
	case c := <-p.free:
		return c, nil
	default:
	}
	p.waits.Add(1)
	start := time.Now()
	defer func() { p.waitTime.Add(int64(time.Since(start))) }()
	select {
	case c := <-p.free:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// borrow runs fn on a connection of the pool.
func (p *connPool) borrow(ctx context.Context, fn func(*sqliteConn) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer func() { p.free <- c }()
	return fn(c)
}

func (p *connPool) stats(name string) PoolStats {
	size, idle := cap(p.free), len(p.free)
	return PoolStats{
		Name: name, Max: size, InUse: size - idle, Idle: idle,
		Waits: p.waits.Load(), WaitTime: time.Duration(p.waitTime.Load()),
	}
}
