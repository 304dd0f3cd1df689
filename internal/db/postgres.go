package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresEngine keeps everything in PostgreSQL, which any number of equal
// nodes may share.
type postgresEngine struct {
	pool     *pgxpool.Pool
	replaced atomic.Int64 // when the pool's connections were last replaced, see sinceLoaded
	// distributed is true if Citus keeps each partner's rows on one of several
	// nodes.
	distributed bool
	retries     atomic.Int64 // transactions run again, see worthRetrying
}

const (
	// maxTries is how often a transaction runs if the database rolls it back in
	// favour of another one.
	maxTries = 10
	// distributedConns is how many connections a node keeps to a distributed
	// database, where the transactions of all partners run side by side, unless
	// the URL sets another number by poolSetting.
	distributedConns = 32
	poolSetting      = "pool_max_conns"
)

// byKey makes the planner look rows up by their keys, as all statements of this
// package are meant to run. A prepared statement keeps the plan that suited its
// tables when it was prepared. On a young database that plan may read whole tables,
// and would still do so when they have grown.
var byKey = map[string]string{
	"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "enable_material": "off",
	"random_page_cost": "1.1", "jit": "off",
}

// OpenPostgres opens a PostgreSQL database and brings its schema up to date.
// Several nodes may do so at the same time.
func (s *Schema) OpenPostgres(ctx context.Context, url string) (*Database, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	distributed, err := s.migratePostgres(ctx, config.ConnConfig)
	if err != nil {
		return nil, err
	}
	if distributed && !strings.Contains(url, poolSetting) {
		config.MaxConns = distributedConns
	}
	config.ConnConfig = settling(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return &Database{engine: guarded(&postgresEngine{pool: pool, distributed: distributed})}, nil
}

func parsePostgres(url string) (*pgxpool.Config, error) {
	config, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["application_name"] = "dropyard"
	for name, value := range byKey {
		config.ConnConfig.RuntimeParams[name] = value
	}
	boundWaits(config)
	config.PrepareConn = replan
	return config, nil
}

func (e *postgresEngine) shared() bool { return true }

func (e *postgresEngine) sharded() bool { return e.distributed }

func (e *postgresEngine) warmth() *Warmth { return nil }

// unfit returns nil: the server guards its own files.
func (e *postgresEngine) unfit() error { return nil }

// scrub does nothing: the server overwrites what was deleted once it reuses the space
// (docs/security.md).
func (e *postgresEngine) scrub(context.Context, pause) error { return nil }

func (e *postgresEngine) stats() Stats {
	pool := e.pool.Stat()
	return Stats{
		Pools: []PoolStats{{
			Name: "postgres", Max: int(pool.MaxConns()), InUse: int(pool.AcquiredConns()), Idle: int(pool.IdleConns()),
			Waits: pool.EmptyAcquireCount(), WaitTime: pool.EmptyAcquireWaitTime(),
		}},
		Retries: e.retries.Load(),
	}
}

// ping opens a connection: those of the pool may all be busy. It writes nothing to a
// distributed database, in which one node that is down fails every write to a table
// that all nodes have, but not the orders of other nodes' partners.
func (e *postgresEngine) ping(ctx context.Context, write bool) error {
	c, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return postgresError(err)
	}
	defer func() { _ = c.Close(ctx) }()
	switch {
	case !write:
		_, err = c.Exec(ctx, lookSQL)
	case e.distributed:
		var readOnly string
		if err = c.QueryRow(ctx, "SHOW transaction_read_only").Scan(&readOnly); err == nil && readOnly == "on" {
			return fmt.Errorf("%w: %w", refusal.ErrUnreachable, errReadOnly)
		}
	default:
		_, err = c.Exec(ctx, touchSQL)
	}
	return postgresError(err)
}

func (e *postgresEngine) catalogue() catalogue { return postgresCatalogue }

// postgresCatalogue avoids information_schema, whose many joins are slow when Citus
// has added its shards.
var postgresCatalogue = catalogue{
	columns: `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)::text,
			CASE WHEN a.attnotnull THEN 1 ELSE 0 END::bigint,
			coalesce(array_position(k.indkey::int2[], a.attnum) + 1, 0)::bigint
		FROM pg_catalog.pg_class AS c
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_catalog.pg_index AS k ON k.indrelid = c.oid AND k.indisprimary
		WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema()`,
	references: `SELECT a.relname::text, b.relname::text FROM pg_catalog.pg_constraint AS c
		JOIN pg_catalog.pg_class AS a ON a.oid = c.conrelid
		JOIN pg_catalog.pg_class AS b ON b.oid = c.confrelid
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.connamespace
		WHERE c.contype = 'f' AND n.nspname = current_schema()`,
	clock: "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
}

func (e *postgresEngine) Close() error {
	e.pool.Close()
	return nil
}

func (e *postgresEngine) read(ctx context.Context, fn func(Conn) error) error {
	return e.transact(ctx, readOptions, fn)
}

// readOnce sends the whole transaction in one round trip.
func (e *postgresEngine) readOnce(ctx context.Context, fn func(Conn) error) error {
	if e.distributed { // what fn sends may be divided
		return e.read(ctx, fn)
	}
	return e.again(ctx, func() error {
		trip := &roundTrip{ctx: ctx, pool: e.pool}
		return trip.end(fn(postgresConn{trip}))
	})
}

// write runs fn under read committed. That is enough because the rows that a
// decision depends on are locked, or compared when they are written, and unique keys
// refuse what is inserted twice.
func (e *postgresEngine) write(ctx context.Context, fn func(Conn) error) error {
	return e.transact(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, fn)
}

func (e *postgresEngine) transact(ctx context.Context, options pgx.TxOptions, fn func(Conn) error) error {
	start := time.Now()
	err := e.again(ctx, func() error {
		tx := &postgresTx{ctx: ctx, pool: e.pool, options: options}
		if err := fn(e.conn(tx)); err != nil {
			return tx.rollBack(err)
		}
		return tx.commit()
	})
	if errors.Is(err, context.DeadlineExceeded) && time.Since(start) >= stuckAfter {
		e.replaceConns()
	}
	return blocked(err)
}

// again runs a transaction, and runs it again as long as that is worth it.
func (e *postgresEngine) again(ctx context.Context, once func() error) (err error) {
	for range maxTries {
		switch err = once(); {
		case worthRetrying(err):
			e.retries.Add(1)
		case !brokenBefore(ctx, err):
			return err
		}
	}
	return err
}

func (e *postgresEngine) conn(tx batchSender) Conn {
	if e.distributed {
		return citusConn{postgresConn{tx}}
	}
	return postgresConn{tx}
}

// The SQLSTATEs that are distinguished (PostgreSQL manual, appendix A).
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnlyTransaction  = "25006" // a standby answers, in the middle of a switch-over
	connectionException  = "08"    // a class
	operatorIntervention = "57P"   // shutting down, crashed, starting
	diskFull             = "53100"
	insufficientResource = "53" // a class: disk full, out of memory, too many connections
	notPrivileged        = "42501"
	lockNotAvailable     = "55P03" // lock_timeout has passed
	idleInTransaction    = "25P03" // idle_in_transaction_session_timeout has passed, see bounds
)

func sqlState(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// brokenBefore reports whether a connection of the pool turned out to be broken
// before it was used, as after a restart of the server. Then the next one is tried
// immediately: there may be as many broken ones as the pool has. It is false if no
// new connection can be made.
func brokenBefore(ctx context.Context, err error) bool {
	var begin beginError
	var connect *pgconn.ConnectError
	return ctx.Err() == nil && errors.As(err, &begin) && errors.Is(err, refusal.ErrUnreachable) &&
		!errors.As(err, &connect)
}

// postgresError marks the driver's errors that mean that the database cannot be
// reached or used. An error that the server did not send is one of them.
func postgresError(err error) error {
	switch state := sqlState(err); {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case state == diskFull:
		return fmt.Errorf("%w: %w", refusal.ErrFull, err)
	case state == "", state == readOnlyTransaction, strings.HasPrefix(state, insufficientResource),
		strings.HasPrefix(state, connectionException), strings.HasPrefix(state, operatorIntervention):
		return fmt.Errorf("%w: %w", refusal.ErrUnreachable, err)
	}
	return err
}

type postgresConn struct{ tx batchSender }

// batchSender is what a postgresConn needs of a transaction.
type batchSender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

func (c postgresConn) Exec(ctx context.Context, sql string, args ...any) (rows int64, err error) {
	b := postgresBatch{}
	b.Queue(sql, postgresArgs(args)...).Exec(func(tag pgconn.CommandTag) error {
		rows = tag.RowsAffected()
		return nil
	})
	err = b.send(ctx, c.tx)
	return rows, err
}

func (c postgresConn) Query(ctx context.Context, sql string, args []any, each func(Row) error) error {
	b := postgresBatch{}
	b.Queue(sql, postgresArgs(args)...).Query(func(rows pgx.Rows) error { return b.readAll(rows, each) })
	return b.send(ctx, c.tx)
}

// postgresArgs replaces times and flags by what the columns hold.
func postgresArgs(args []any) []any {
	for i, arg := range args {
		switch arg := arg.(type) {
		case time.Time:
			args[i] = micros(arg)
		case bool:
			args[i] = flagOf(arg)
		}
	}
	return args
}

func (c postgresConn) GoesRowByRow() bool { return false }

func (c postgresConn) WritesAlone() bool { return false }

// send queues the statements in one batch of the protocol.
func (c postgresConn) send(ctx context.Context, statements []*queued) error {
	b := postgresBatch{}
	for _, q := range statements {
		args, err := arraysOf(q.set, q.rows, q.bind)
		if err != nil {
			return err
		}
		b.queue(q.set.arraySQL(), args, q)
	}
	return b.send(ctx, c.tx)
}

// postgresBatch is a batch whose results go to queued statements.
type postgresBatch struct {
	pgx.Batch
	caught error // the first error of a queued statement's own functions
}

// queue adds a statement that sends all rows of q.
func (b *postgresBatch) queue(sql string, args []any, q *queued) {
	if q.set.reads() {
		b.Queue(sql, args...).Query(func(rows pgx.Rows) error { return b.readAll(rows, q.each) })
		return
	}
	b.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error { return b.catch(q.finish(tag.RowsAffected())) })
}

func (q *queued) finish(written int64) error {
	if q.done == nil {
		return nil
	}
	return q.done(written)
}

func (b *postgresBatch) readAll(rows pgx.Rows, each func(Row) error) error {
	for rows.Next() {
		if err := each(postgresRow{rows}); err != nil {
			return b.catch(err)
		}
	}
	return rows.Err()
}

func (b *postgresBatch) catch(err error) error {
	b.caught = cmp.Or(b.caught, err)
	return err
}

func (b *postgresBatch) send(ctx context.Context, tx batchSender) error {
	if b.Len() == 0 {
		return nil
	}
	err := tx.SendBatch(ctx, &b.Batch).Close()
	if b.caught != nil {
		return b.caught
	}
	return postgresError(err)
}

// arraysOf turns rows of parameters into one array per column.
func arraysOf(set *setStatement, n int, bind func(int, binder)) ([]any, error) {
	b := arrayBinder{columns: set.bound()}
	b.arrays = make([]any, len(b.columns))
	for i, c := range b.columns {
		switch c.Kind {
		case TextKind:
			b.arrays[i] = make([]string, 0, n)
		case IntegerKind:
			b.arrays[i] = make([]int64, 0, n)
		case BytesKind:
			b.arrays[i] = make([][]byte, 0, n)
		}
	}
	for i := range n {
		b.at = 0
		bind(i, &b)
	}
	return b.arrays, b.err
}

// arrayType is what an array of the column's values is to PostgreSQL.
func (k Kind) arrayType() string {
	return [...]string{TextKind: "text[]", IntegerKind: "bigint[]", BytesKind: "bytea[]"}[k]
}

// forArrays writes the statement for one array of parameters per column. In
// it, v1, v2, … are the bound columns.
func (st *setStatement) forArrays() string { return st.forArraysOfOne(-1) }

// forArraysOfOne does the same, but one of the bound columns, at the index same, has
// the same value in all rows and a parameter that is not an array; -1 for none.
func (st *setStatement) forArraysOfOne(same int) string {
	v := func(from int) func(int, Spec) string {
		return func(i int, _ Spec) string {
			if from+i == same+1 {
				return fmt.Sprintf("$%d", same+1)
			}
			return fmt.Sprintf("v.v%d", from+i)
		}
	}
	var parameters, bindings []string
	for i, c := range st.bound() {
		if i != same {
			parameters = append(parameters, fmt.Sprintf("$%d::%s", i+1, c.Kind.arrayType()))
			bindings = append(bindings, fmt.Sprintf("v%d", i+1))
		}
	}
	arrays := "unnest(" + strings.Join(parameters, ", ") + ")"
	bound := arrays + " AS v(" + strings.Join(bindings, ", ") + ")"
	match := func(from int) string {
		return each(st.keys, " AND ", func(i int, c Spec) string { return "t." + c.Name + " = " + v(from)(i, c) })
	}
	switch st.verb {
	case update, updateReturn, increase:
		set := each(st.values, ", ", func(i int, c Spec) string { return c.Name + " = " + st.onTop("t.", c) + v(1)(i, c) })
		return "UPDATE " + st.table + " AS t SET " + set + " FROM " + bound + " WHERE " + match(1+len(st.values)) +
			st.returning("t.")
	case lookUp, lookUpLock, lookUpShare, lookUpKeep:
		from := bound + " JOIN " + st.table + " AS t ON " + match(1) + st.also
		if st.last != "" {
			from = bound + " CROSS JOIN LATERAL (SELECT " + namesOf("t", st.values) + " FROM " + st.table +
				" AS t WHERE " + match(1) + st.also + st.last + ") AS t"
		}
		text := "SELECT " + namesOf("t", st.values) + " FROM " + from
		if lock := st.lockClause(); lock != "" {
			// In one order, so that no two transactions wait for each other.
			text += " ORDER BY " + namesOf("t", st.keys) + lock + " OF t"
		}
		return text
	case deleteOld:
		return "DELETE FROM " + st.table + " AS t USING " + bound + " WHERE " + match(1)
	default:
		return st.insert("SELECT * FROM " + arrays)
	}
}

type arrayBinder struct {
	columns []Spec
	arrays  []any
	at      int
	err     error // the first error that fail was called with
}

func (b *arrayBinder) fail(err error) { b.err = cmp.Or(b.err, err) }

func put[T any](b *arrayBinder, value T) {
	array, _ := b.arrays[b.at].([]T)
	b.arrays[b.at] = append(array, value)
	b.at++
}

func (b *arrayBinder) text(s string)   { put(b, s) }
func (b *arrayBinder) integer(n int64) { put(b, n) }
func (b *arrayBinder) bytes(p []byte)  { put(b, p) }
