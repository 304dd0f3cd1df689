package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresTx is a transaction that begins in the round trip of its first statements.
type postgresTx struct {
	pool    *pgxpool.Pool
	options pgx.TxOptions
	tx      pgx.Tx // nil before the first statements
	begun   bool   // the server has begun it
}

// SendBatch sends the statements of b.
func (t *postgresTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.tx != nil {
		return t.tx.SendBatch(ctx, b)
	}
	first := &pgx.Batch{}
	first.BeginTx(t.options)
	first.QueuedQueries[0].Exec(func(pgconn.CommandTag) error {
		t.begun = true
		return nil
	})
	first.QueuedQueries = append(first.QueuedQueries, b.QueuedQueries...)
	results := t.pool.SendBatch(ctx, first)
	t.tx = results.Tx()
	return results
}

// commit does nothing if there were no statements.
func (t *postgresTx) commit(ctx context.Context) error {
	if t.tx == nil {
		return nil
	}
	return postgresError(t.tx.Commit(ctx))
}

// rollBack returns err, which is why it is called. It is a beginError if the
// transaction could not begin.
func (t *postgresTx) rollBack(ctx context.Context, err error) error {
	if t.tx == nil {
		return err
	}
	// If this fails too, the pool closes the connection, which ends the transaction.
	_ = t.tx.Rollback(context.WithoutCancel(ctx))
	if !t.begun {
		return beginError{err}
	}
	return err
}

// beginError means that a transaction could not begin.
type beginError struct{ error }

func (e beginError) Unwrap() error { return e.error }
