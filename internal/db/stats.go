package db

import "time"

// Stats describes a store at one moment. Counts and durations are totals since
// it was opened.
type Stats struct {
	// Pools holds one entry for each pool of connections: "writer" and "readers"
	// of the embedded store, "postgres" otherwise.
	Pools []PoolStats
	// Retries counts transactions that were run again because the database
	// rolled them back in favour of another one.
	Retries int64
	// WAL describes the write-ahead log of the embedded store; nil on PostgreSQL,
	// which keeps its own.
	WAL *WALStats
}

// PoolStats describes a pool of connections.
type PoolStats struct {
	Name string
	// Max is the size of the pool. Of its connections, InUse are lent out and Idle
	// are open and free.
	Max, InUse, Idle int
	// Waits counts the transactions that found no free connection, and WaitTime is
	// how long they waited for one.
	Waits    int64
	WaitTime time.Duration
}

// WALStats describes the write-ahead log of the embedded store.
type WALStats struct {
	// Size is the length of the log's file in bytes. The file is used again from
	// its beginning and does not shrink.
	Size int64
	// Pending is the part of the log, in bytes of pages, that is not yet in the
	// database file.
	Pending int64
	// Checkpoints counts the checkpoints, Pages the pages that they copied into
	// the database file, and Time is how long they took.
	Checkpoints, Pages int64
	Time               time.Duration
}

// Stats returns the current numbers of the database. It runs no query and waits for
// no transaction.
func (d *Database) Stats() Stats { return d.engine.stats() }
