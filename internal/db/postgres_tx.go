package db

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresTx is a transaction that begins in the round trip of its first statements.
type postgresTx struct {
	ctx     context.Context // ends with its caller's, and when the database is found to be down
	pool    *pgxpool.Pool
	options pgx.TxOptions
	tx      pgx.Tx // nil before the first statements
	begun   bool   // the server has begun it
}

// SendBatch sends the statements of b. They end with the transaction's context, which
// comes from the same caller as theirs.
func (t *postgresTx) SendBatch(_ context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.tx != nil {
		return t.tx.SendBatch(t.ctx, b)
	}
	first := &pgx.Batch{}
	first.BeginTx(t.options)
	first.QueuedQueries[0].Exec(func(pgconn.CommandTag) error {
		t.begun = true
		return nil
	})
	if t.options == readOptions {
		first.Queue(setIdle(readIdle))
	}
	first.QueuedQueries = append(first.QueuedQueries, b.QueuedQueries...)
	results := t.pool.SendBatch(t.ctx, first)
	t.tx = results.Tx()
	return results
}

// commit asks whether the server answers if there were no statements: success proves
// that it does (see guard).
func (t *postgresTx) commit() error {
	if t.tx == nil {
		return postgresError(t.pool.Ping(t.ctx))
	}
	return postgresError(t.tx.Commit(t.ctx))
}

// rollBack returns err, for which it is called: as a beginError if the transaction could
// not begin.
func (t *postgresTx) rollBack(err error) error {
	if t.tx == nil {
		return err
	}
	// If this fails too, the pool closes the connection, which ends the transaction.
	_ = t.tx.Rollback(context.WithoutCancel(t.ctx))
	if !t.begun {
		return beginError{err}
	}
	return err
}

// readOptions are those of transactions that read: they see one state of the data.
var readOptions = pgx.TxOptions{BeginQuery: "begin isolation level repeatable read read only"}

// roundTrip is a transaction that reads, and ends in the round trip in which it begins.
type roundTrip struct {
	ctx         context.Context // as in postgresTx
	pool        *pgxpool.Pool
	sent, begun bool
}

// SendBatch sends the statements of b between BEGIN and COMMIT. If one of them fails,
// the pool closes the connection, which ends the transaction.
func (t *roundTrip) SendBatch(_ context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.sent {
		panic("db: a transaction of one round trip sends statements again")
	}
	t.sent = true
	whole := &pgx.Batch{}
	whole.Queue(readOptions.BeginQuery).Exec(func(pgconn.CommandTag) error {
		t.begun = true
		return nil
	})
	whole.QueuedQueries = append(whole.QueuedQueries, b.QueuedQueries...)
	whole.Queue("commit")
	return t.pool.SendBatch(t.ctx, whole)
}

// end returns the error of the transaction, of which err is that of its statements.
func (t *roundTrip) end(err error) error {
	switch {
	case !t.sent && err == nil:
		return postgresError(t.pool.Ping(t.ctx)) // see postgresTx.commit
	case t.sent && !t.begun && err != nil:
		return beginError{err}
	}
	return err
}

// beginError means that a transaction could not begin.
type beginError struct{ error }

func (e beginError) Unwrap() error { return e.error }
