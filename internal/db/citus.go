package db

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// citusConn is a connection to tables that are distributed by partner. Citus
// sends a statement to the one node that it concerns only if the statement
// compares with a single partner, rather than an array of partners.
type citusConn struct{ postgresConn }

// partnerColumn is what tables are distributed by.
const partnerColumn = "partner_id"

// citusSQL holds the statements for a set of one partner's rows.
type citusSQL struct {
	partnerAt int    // the place of the partner among the bound columns; -1 if there is none
	one       string // for one row
	// many is for one array of parameters per column, except for the partner, which
	// is a single value in the same place. It is empty for inserts.
	many string
	// inserts are for 1, 2, 4, … rows with a parameter for each value. The rows that
	// an insert selects from arrays, Citus would first collect on the coordinator.
	inserts []string
}

// maxInsert is how many rows the largest of the inserts has.
const maxInsert = 64

func (st *setStatement) forCitus() citusSQL {
	bound := st.bound()
	sql := citusSQL{
		partnerAt: slices.IndexFunc(bound, func(c Spec) bool { return c.Name == partnerColumn }),
		one:       st.rowSQL() + st.returning(""),
	}
	if st.verb == insertNew || st.verb == insertOver || st.verb == insertAdd {
		for rows := 1; rows <= maxInsert; rows *= 2 {
			sql.inserts = append(sql.inserts, st.insert("VALUES "+placeholders(rows, len(bound))))
		}
		return sql
	}
	sql.one += st.lockClause()
	if sql.partnerAt >= 0 && len(bound) > 1 {
		sql.many = st.forArraysOfOne(sql.partnerAt)
	}
	return sql
}

// placeholders writes ($1, $2), ($3, $4), …
func placeholders(rows, columns int) string {
	var text strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%columns == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "$%d", i+1)
	}
	return text.String() + ")"
}

// send queues each statement as statements of one partner each.
func (c citusConn) send(ctx context.Context, statements []*queued) error {
	b := citusBatch{}
	for _, q := range statements {
		if err := b.addParts(q); err != nil {
			return err
		}
	}
	return b.send(ctx, c.tx)
}

// citusBatch splits set statements by partner.
type citusBatch struct{ postgresBatch }

// addParts queues a set as statements of one partner each, in the order of the
// partners' first rows, so that locks are taken in the order of the set.
func (b *citusBatch) addParts(q *queued) error {
	if q.set.citus().partnerAt < 0 {
		args, err := arraysOf(q.set, q.rows, q.bind)
		b.queue(q.set.arraySQL(), args, q)
		return err
	}
	parts, err := q.set.parts(q)
	if err != nil {
		return err
	}
	whole := counting(q, len(parts))
	for _, part := range parts {
		b.queue(part.sql, part.args, whole)
	}
	return nil
}

// counting returns the statement with a done that is called for each of its parts.
// With the last, it calls the statement's own done with the sum.
func counting(q *queued, parts int) *queued {
	whole, written := *q, int64(0)
	whole.done = func(rows int64) error {
		written += rows
		if parts--; parts > 0 {
			return nil
		}
		return q.finish(written)
	}
	return &whole
}

// part is a statement of one partner.
type part struct {
	sql  string
	args []any
}

func (st *setStatement) parts(q *queued) (parts []part, err error) {
	if len(st.citus().inserts) > 0 {
		return st.inserts(q)
	}
	args, err := arraysOf(st, q.rows, q.bind)
	if err != nil {
		return nil, err
	}
	partners, _ := args[st.citus().partnerAt].([]string)
	for own := range ownRows(partners) {
		parts = append(parts, st.ofPartner(own, q.bind))
	}
	return parts, nil
}

// ownRows yields the rows of each partner.
func ownRows(partners []string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		rows := map[string][]int{}
		for i, partner := range partners {
			rows[partner] = append(rows[partner], i)
		}
		for i, partner := range partners {
			if rows[partner][0] == i && !yield(rows[partner]) {
				return
			}
		}
	}
}

// OfPartner returns the statement for rows of one partner, which have been
// bound once without an error.
func (st *setStatement) ofPartner(own []int, bind func(int, binder)) part {
	if len(own) == 1 {
		var args flatBinder
		bind(own[0], &args)
		return part{st.citus().one, args.args}
	}
	args, _ := arraysOf(st, len(own), func(i int, b binder) { bind(own[i], b) })
	partners, _ := args[st.citus().partnerAt].([]string)
	args[st.citus().partnerAt] = partners[0]
	return part{st.citus().many, args}
}

// inserts splits rows among as few inserts as possible, the largest first.
func (st *setStatement) inserts(q *queued) (parts []part, err error) {
	for done, at := 0, len(st.citus().inserts)-1; done < q.rows; {
		rows := 1 << at
		if q.rows-done < rows {
			at--
			continue
		}
		var args flatBinder
		for i := range rows {
			q.bind(done+i, &args)
		}
		if args.err != nil {
			return nil, args.err
		}
		parts = append(parts, part{st.citus().inserts[at], args.args})
		done += rows
	}
	return parts, nil
}

// flatBinder takes rows one after the other.
type flatBinder struct {
	args []any
	err  error // the first error that fail was called with
}

func (b *flatBinder) text(s string)   { b.args = append(b.args, s) }
func (b *flatBinder) integer(n int64) { b.args = append(b.args, n) }
func (b *flatBinder) bytes(p []byte)  { b.args = append(b.args, p) }
func (b *flatBinder) fail(err error)  { b.err = cmp.Or(b.err, err) }
