package store

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/internal/order"
)

// pipeline gathers set statements and sends them together: while the statements
// of a group go to and fro one by one, its locks would make others wait. What
// they find and how many rows they write is known after flush only, and the
// handles that queueing returns cannot be read without the proof of it.
type pipeline struct {
	conn       conn
	statements []*queued
}

func newPipeline(c conn) *pipeline { return &pipeline{conn: c} }

// flushed is the proof that a pipeline has been sent, and so that its handles
// hold their results.
type flushed struct{ pipeline *pipeline }

// flush sends what was queued, in that order.
func (p *pipeline) flush(ctx context.Context) (flushed, error) {
	statements := p.statements
	p.statements = nil
	return flushed{p}, p.conn.send(ctx, statements)
}

func (p *pipeline) queue(q *queued) {
	if q.rows > 0 {
		p.statements = append(p.statements, q)
	}
}

// found is what a look-up in a pipeline will have found.
type found[R any] struct {
	pipeline *pipeline
	rows     []R
}

// after returns the rows, in no order.
func (f *found[R]) after(done flushed) []R {
	if done.pipeline != f.pipeline {
		panic("store: a result is read before its pipeline has been flushed")
	}
	return f.rows
}

// find queues a look-up of rows by their keys.
func find[K, R any](p *pipeline, l *lookup[*K, R], keys []K) *found[R] {
	f := &found[R]{pipeline: p}
	q := &queued{
		set: l.set, rows: len(keys),
		bind: func(i int, b binder) { bindColumns(l.keys, &keys[i], b) },
		each: func(r row) error {
			found := l.newRow()
			if err := r.scan(into(l.read, found)...); err != nil {
				return fmt.Errorf("read %s: %w", l.set.table, err)
			}
			f.rows = append(f.rows, found)
			return nil
		},
	}
	if l.written != nil {
		q.wrote = func(i int) { f.rows = append(f.rows, l.written(&keys[i])) }
	}
	p.queue(q)
	return f
}

// written is how many rows a statement in a pipeline will have written.
type written struct {
	pipeline *pipeline
	rows     int64
}

// after returns the number of rows.
func (w *written) after(done flushed) int64 {
	if done.pipeline != w.pipeline {
		panic("store: a result is read before its pipeline has been flushed")
	}
	return w.rows
}

// write queues a statement for rows.
func write[R any](p *pipeline, st *statement[R], rows []R) *written {
	w := &written{pipeline: p}
	p.queue(queuedFor(st, rows, func(n int64) error {
		w.rows += n
		return nil
	}))
	return w
}

// writeAll queues a statement that must write every row. Fewer mean that
// another node was faster: flush returns order.ErrRaced.
func writeAll[R any](p *pipeline, st *statement[R], rows []R) {
	left := int64(len(rows))
	p.queue(queuedFor(st, rows, func(n int64) error {
		if left -= n; left > 0 {
			return order.ErrRaced
		}
		return nil
	}))
}

func queuedFor[R any](st *statement[R], rows []R, done func(int64) error) *queued {
	return &queued{
		set: st.set, rows: len(rows), done: done,
		bind: func(i int, b binder) { bindColumns(st.bound, rows[i], b) },
	}
}

// findNow looks rows up at once.
func findNow[K, R any](ctx context.Context, c conn, l *lookup[*K, R], keys ...K) ([]R, error) {
	p := newPipeline(c)
	rows := find(p, l, keys)
	done, err := p.flush(ctx)
	return rows.after(done), err
}

// findOne looks one row up at once; nil if there is none.
func findOne[K, R any](ctx context.Context, c conn, l *lookup[*K, R], key K) (row R, err error) {
	rows, err := findNow(ctx, c, l, key)
	if err == nil && len(rows) > 0 {
		row = rows[0]
	}
	return row, err
}

// writeNow runs a statement at once and returns how many rows it wrote.
func writeNow[R any](ctx context.Context, c conn, st *statement[R], rows ...R) (int64, error) {
	p := newPipeline(c)
	n := write(p, st, rows)
	done, err := p.flush(ctx)
	return n.after(done), err
}

// writeAllNow runs a statement that must write every row at once.
func writeAllNow[R any](ctx context.Context, c conn, st *statement[R], rows ...R) error {
	p := newPipeline(c)
	writeAll(p, st, rows)
	_, err := p.flush(ctx)
	return err
}

// pointers returns pointers to the elements of rows.
func pointers[T any](rows []T) []*T {
	all := make([]*T, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	return all
}
