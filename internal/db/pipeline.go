package db

import (
	"context"
	"errors"
	"fmt"
)

// Pipeline gathers set statements and sends them together: while the statements
// of a group go to and fro one by one, its locks would make others wait. What
// they find and how many rows they write is known after flush only, and the
// handles that queueing returns cannot be read without the proof of it.
type Pipeline struct {
	Conn       Conn
	statements []*queued
}

// NewPipeline returns a pipeline whose statements go through a connection.
func NewPipeline(c Conn) *Pipeline { return &Pipeline{Conn: c} }

// Flushed is the proof that a pipeline has been sent, and so that its handles
// hold their results.
type Flushed struct{ pipeline *Pipeline }

// Flush sends what was queued, in that order.
func (p *Pipeline) Flush(ctx context.Context) (Flushed, error) {
	statements := p.statements
	p.statements = nil
	return Flushed{p}, p.Conn.send(ctx, statements)
}

func (p *Pipeline) queue(q *queued) {
	if q.rows > 0 {
		p.statements = append(p.statements, q)
	}
}

// Found is what a look-up in a pipeline will have found.
type Found[R any] struct {
	pipeline *Pipeline
	rows     []R
}

// After returns the rows, in no order.
func (f *Found[R]) After(done Flushed) []R {
	if done.pipeline != f.pipeline {
		panic("db: a result is read before its pipeline has been flushed")
	}
	return f.rows
}

// Find queues a look-up of rows by their keys.
func Find[K, R any](p *Pipeline, l *Lookup[*K, R], keys []K) *Found[R] {
	f := &Found[R]{pipeline: p}
	q := &queued{
		set: l.set, rows: len(keys),
		bind: func(i int, b binder) { bindColumns(l.keys, &keys[i], b) },
		each: func(r Row) error {
			found := l.newRow()
			if err := r.Scan(Into(l.read, found)...); err != nil {
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

// Written is how many rows a statement in a pipeline will have written.
type Written struct {
	pipeline *Pipeline
	rows     int64
}

// After returns the number of rows.
func (w *Written) After(done Flushed) int64 {
	if done.pipeline != w.pipeline {
		panic("db: a result is read before its pipeline has been flushed")
	}
	return w.rows
}

// Write queues a statement for rows.
func Write[R any](p *Pipeline, st *Statement[R], rows []R) *Written {
	w := &Written{pipeline: p}
	p.queue(queuedFor(st, rows, func(n int64) error {
		w.rows += n
		return nil
	}))
	return w
}

// ErrRaced means that fewer rows were written than had to be.
var ErrRaced = errors.New("another node changed the same rows")

// WriteAll queues a statement that must write every row. Fewer mean that
// another node was faster: flush returns ErrRaced.
func WriteAll[R any](p *Pipeline, st *Statement[R], rows []R) {
	left := int64(len(rows))
	p.queue(queuedFor(st, rows, func(n int64) error {
		if left -= n; left > 0 {
			return ErrRaced
		}
		return nil
	}))
}

func queuedFor[R any](st *Statement[R], rows []R, done func(int64) error) *queued {
	return &queued{
		set: st.set, rows: len(rows), done: done,
		bind: func(i int, b binder) { bindColumns(st.bound, rows[i], b) },
	}
}

// FindNow looks rows up at once.
func FindNow[K, R any](ctx context.Context, c Conn, l *Lookup[*K, R], keys ...K) ([]R, error) {
	p := NewPipeline(c)
	rows := Find(p, l, keys)
	done, err := p.Flush(ctx)
	return rows.After(done), err
}

// FindOne looks one row up at once; nil if there is none.
func FindOne[K, R any](ctx context.Context, c Conn, l *Lookup[*K, R], key K) (row R, err error) {
	rows, err := FindNow(ctx, c, l, key)
	if err == nil && len(rows) > 0 {
		row = rows[0]
	}
	return row, err
}

// WriteNow runs a statement at once and returns how many rows it wrote.
func WriteNow[R any](ctx context.Context, c Conn, st *Statement[R], rows ...R) (int64, error) {
	p := NewPipeline(c)
	n := Write(p, st, rows)
	done, err := p.Flush(ctx)
	return n.After(done), err
}

// WriteAllNow runs a statement that must write every row at once.
func WriteAllNow[R any](ctx context.Context, c Conn, st *Statement[R], rows ...R) error {
	p := NewPipeline(c)
	WriteAll(p, st, rows)
	_, err := p.Flush(ctx)
	return err
}

// Pointers returns pointers to the elements of rows.
func Pointers[T any](rows []T) []*T {
	all := make([]*T, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	return all
}

// Values returns what rows point to.
func Values[T any](rows []*T) []T {
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = *row
	}
	return all
}
