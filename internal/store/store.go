// Package store keeps all that the service stores. All SQL is here, written once
// for both engines, and so are the migrations. Each room declares the transactions
// that it needs, such as order.Store; the methods of Store return them.
package store

import (
	"context"
	"io"

	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
)

// Store is an open database.
type Store struct {
	engine    engine
	recovered sqlitefile.Log
	// orderReads reads single orders in groups; nil if the engine does not need it.
	orderReads *orderReads
}

// Recovered describes the log of the embedded database that a process has left which
// was killed; the zero Log if there was none.
func (s *Store) Recovered() sqlitefile.Log { return s.recovered }

// engine is a database that transactions run on.
type engine interface {
	// read runs fn on a consistent view.
	read(ctx context.Context, fn func(conn) error) error
	// readOnce is read for an fn that sends statements once.
	readOnce(ctx context.Context, fn func(conn) error) error
	// write runs fn in a transaction: durably committed when it returns nil,
	// undone when it returns an error.
	write(ctx context.Context, fn func(conn) error) error
	// hold runs fn on a consistent view, as read does. Where the engine can, it
	// keeps others from writing until fn returns.
	hold(ctx context.Context, fn func(conn) error) error
	// ping reads, or else writes without changing anything, on a connection that
	// transactions do not have to share with others where that is possible.
	ping(ctx context.Context, write bool) error
	// room returns an error if the disk of the database has no room for a change of usual
	// size. It returns nil if there is room, or if that cannot be found out.
	room(ctx context.Context) error
	// shared reports whether other processes may use the same database.
	shared() bool
	// sharded reports whether each partner's rows lie together on one node of
	// several.
	sharded() bool
	// catalogue returns the queries that describe the tables.
	catalogue() catalogue
	// stats returns the current numbers of the engine without running a query.
	stats() Stats
	// warmth warms what the only writer will need; nil if there are several.
	warmth() *warmth
	// unfit returns the reason for which nothing may be written now, or nil.
	unfit() error
	// scrub overwrites what removed and rewritten rows have left in the files, as far as
	// the engine can. It calls rested after each part of the work.
	scrub(ctx context.Context, rested pause) error
	io.Closer
}

// Shared reports whether other nodes may use the same database.
func (s *Store) Shared() bool { return s.engine.shared() }

// Sharded reports whether each partner's rows lie together on one node of
// several, so that a transaction should be of one partner.
func (s *Store) Sharded() bool { return s.engine.sharded() }

// Close waits for the transactions that are running and closes the database.
func (s *Store) Close() error { return s.engine.Close() }

// view is the store as one room sees it: a transaction of the room's own type
// around each connection.
type view[R, W any] struct {
	engine engine
	reader func(conn) R
	writer func(conn) W
}

// Read runs fn on a consistent view of the data.
func (v view[R, W]) Read(ctx context.Context, fn func(R) error) error {
	return v.engine.read(ctx, func(c conn) error { return fn(v.reader(c)) })
}

// ReadOnce is Read for an fn that sends statements once.
func (v view[R, W]) ReadOnce(ctx context.Context, fn func(R) error) error {
	return v.engine.readOnce(ctx, func(c conn) error { return fn(v.reader(c)) })
}

// Write runs fn in a transaction: durably committed when it returns nil, undone
// when it returns an error. fn may run again after a lost race. If the context carries an
// actor, the transaction begins by reading it again, and refuses one who may no longer act.
func (v view[R, W]) Write(ctx context.Context, fn func(W) error) error {
	return v.engine.write(ctx, func(c conn) error {
		tx := v.writer(c)
		if err := admit(ctx, c, tx); err != nil {
			return err
		}
		return fn(tx)
	})
}
