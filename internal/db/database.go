// Package db reaches databases, of either engine: connections and transactions, statements
// about tables and columns, the runner of migrations, the copy from one engine to another,
// and what can go wrong with files, disks and servers. It knows no package of the service: which tables there
// are, package store describes in a Schema and in Tables.
package db

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
)

// Database is an open database.
type Database struct {
	engine    engine
	recovered sqlitefile.Log
}

// Recovered describes the log of the embedded database that a process has left which
// was killed; the zero Log if there was none.
func (d *Database) Recovered() sqlitefile.Log { return d.recovered }

// engine is a database that transactions run on.
type engine interface {
	// read runs fn on a consistent view.
	read(ctx context.Context, fn func(Conn) error) error
	// readOnce is read for an fn that sends statements once.
	readOnce(ctx context.Context, fn func(Conn) error) error
	// write runs fn in a transaction: durably committed when it returns nil,
	// undone when it returns an error.
	write(ctx context.Context, fn func(Conn) error) error
	// hold runs fn on a consistent view, as read does. Where the engine can, it
	// keeps others from writing until fn returns.
	hold(ctx context.Context, fn func(Conn) error) error
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
	warmth() *Warmth
	// unfit returns the reason for which nothing may be written now, or nil.
	unfit() error
	// scrub overwrites what removed and rewritten rows have left in the files, as far as
	// the engine can. It calls rested after each part of the work.
	scrub(ctx context.Context, rested pause) error
	io.Closer
}

// Shared reports whether other nodes may use the same database.
func (d *Database) Shared() bool { return d.engine.shared() }

// Sharded reports whether each partner's rows lie together on one node of
// several, so that a transaction should be of one partner.
func (d *Database) Sharded() bool { return d.engine.sharded() }

// Engine returns the name of the engine: sqlite, postgres or citus.
func (d *Database) Engine() string {
	switch {
	case !d.Shared():
		return "sqlite"
	case d.Sharded():
		return "citus"
	default:
		return "postgres"
	}
}

// Warmth warms what the only writer will need; it is nil if there are several.
func (d *Database) Warmth() *Warmth { return d.engine.warmth() }

// Close waits for the transactions that are running and closes the database.
func (d *Database) Close() error { return d.engine.Close() }

// Read runs fn on a consistent view of the data.
func (d *Database) Read(ctx context.Context, fn func(Conn) error) error {
	return d.engine.read(ctx, fn)
}

// ReadOnce is Read for an fn that sends statements once.
func (d *Database) ReadOnce(ctx context.Context, fn func(Conn) error) error {
	return d.engine.readOnce(ctx, fn)
}

// Write runs fn in a transaction: durably committed when it returns nil, undone
// when it returns an error. fn may run again after a lost race.
func (d *Database) Write(ctx context.Context, fn func(Conn) error) error {
	return d.engine.write(ctx, fn)
}

// Scrub overwrites what removed and rewritten rows have left in the files, as far as the
// engine can. It calls rested after each part of the work.
func (d *Database) Scrub(ctx context.Context, rested func(ctx context.Context, took time.Duration) error) error {
	return d.engine.scrub(ctx, rested)
}
