package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/order"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pipeliner is a connection on which several set statements cost one round
// trip: while a group's statements go to and fro, its locks make others wait.
type pipeliner interface {
	pipeline(ctx context.Context, fn func(conn) error) error
}

// together runs fn, whose set statements may be sent all at once when it has
// returned: only then has arrived what they find, and only then are the rows
// counted that they write. All rows must be written, or it is order.ErrRaced.
func (tx *Tx) together(ctx context.Context, fn func(*Tx) error) error {
	if c, ok := tx.conn.(pipeliner); ok {
		return c.pipeline(ctx, func(c conn) error { return fn(&Tx{c}) })
	}
	return fn(tx)
}

// postgresPipeline is a connection that keeps set statements for later.
type postgresPipeline struct {
	postgresConn
	batch  *pgx.Batch
	caught *error // the first that is no error of the database
}

func (c postgresConn) pipeline(ctx context.Context, fn func(conn) error) error {
	var caught error
	p := postgresPipeline{c, &pgx.Batch{}, &caught}
	if err := fn(p); err != nil || p.batch.Len() == 0 {
		return err
	}
	err := c.tx.SendBatch(ctx, p.batch).Close()
	if caught != nil {
		return caught
	}
	return postgresError(err)
}

// apply trusts that all rows will be written, which is seen to later.
func (p postgresPipeline) apply(_ context.Context, set *setStatement, n int, bind func(int, binder)) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	p.batch.Queue(set.arraySQL, arraysOf(set, n, bind)...).Exec(func(tag pgconn.CommandTag) error { return p.insist(set, tag, n) })
	return int64(n), nil
}

// insist sees to it that all rows were written. What was to be deleted may have
// been gone already.
func (p postgresPipeline) insist(set *setStatement, written pgconn.CommandTag, rows int) error {
	if set.verb != deleteOld && written.RowsAffected() != int64(rows) {
		return p.catch(order.ErrRaced)
	}
	return nil
}

func (p postgresPipeline) find(_ context.Context, set *setStatement, n int, bind func(int, binder), each func(row) error) error {
	if n == 0 {
		return nil
	}
	p.batch.Queue(set.arraySQL, arraysOf(set, n, bind)...).Query(func(rows pgx.Rows) error { return p.every(rows, each) })
	return nil
}

func (p postgresPipeline) every(rows pgx.Rows, each func(row) error) error {
	for rows.Next() {
		if err := each(postgresRow{rows}); err != nil {
			return p.catch(err)
		}
	}
	return rows.Err()
}

func (p postgresPipeline) catch(err error) error {
	if *p.caught == nil {
		*p.caught = err
	}
	return err
}
