package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// citusConn is a connection to tables that are distributed by partner. Citus
// sends a statement to the one node that it concerns only if the statement
// names the partner by itself, which arrays of partners do not.
type citusConn struct{ postgresConn }

// partnerColumn is what tables are distributed by.
const partnerColumn = "partner_id"

// citusSQL is how a set of one partner's rows travels.
type citusSQL struct {
	partnerAt int    // the place of the partner among the bound columns; -1 if there is none
	one       string // for one row
	// many is for one array of parameters per column and one partner, whose
	// place among the parameters stays. It is empty for inserts.
	many string
	// inserts are for 1, 2, 4, … rows: Citus would gather what an insert selects.
	inserts []string
}

// maxInsert is how many rows the largest of the inserts has.
const maxInsert = 64

func (st *setStatement) forCitus() citusSQL {
	bound := st.bound()
	sql := citusSQL{
		partnerAt: slices.IndexFunc(bound, func(c column) bool { return c.name == partnerColumn }),
		one:       st.rowSQL,
	}
	if st.verb == insertNew || st.verb == insertOver {
		for rows := 1; rows <= maxInsert; rows *= 2 {
			sql.inserts = append(sql.inserts, st.insert("VALUES "+placeholders(rows, len(bound))))
		}
		return sql
	}
	if st.verb == lookUpLock {
		sql.one += " FOR UPDATE"
	}
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

func (c citusConn) apply(ctx context.Context, set *setStatement, n int, bind func(int, binder)) (written int64, err error) {
	err = c.send(ctx, func(p citusPipeline) error {
		return p.parts(set, n, bind, func(q *pgx.QueuedQuery, _ int) {
			q.Exec(func(tag pgconn.CommandTag) error {
				written += tag.RowsAffected()
				return nil
			})
		})
	})
	return written, err
}

func (c citusConn) find(ctx context.Context, set *setStatement, n int, bind func(int, binder), each func(row) error) error {
	return c.send(ctx, func(p citusPipeline) error { return p.find(ctx, set, n, bind, each) })
}

func (c citusConn) pipeline(ctx context.Context, fn func(conn) error) error {
	return c.send(ctx, func(p citusPipeline) error { return fn(p) })
}

// send lets fn queue statements and sends them together.
func (c citusConn) send(ctx context.Context, fn func(citusPipeline) error) error {
	return c.postgresConn.pipeline(ctx, func(p conn) error {
		queue, _ := p.(postgresPipeline)
		return fn(citusPipeline{queue})
	})
}

// citusPipeline is a citusConn that keeps set statements for later.
type citusPipeline struct{ postgresPipeline }

func (p citusPipeline) apply(_ context.Context, set *setStatement, n int, bind func(int, binder)) (int64, error) {
	return int64(n), p.parts(set, n, bind, func(q *pgx.QueuedQuery, rows int) {
		q.Exec(func(tag pgconn.CommandTag) error { return p.insist(set, tag, rows) })
	})
}

func (p citusPipeline) find(_ context.Context, set *setStatement, n int, bind func(int, binder), each func(row) error) error {
	return p.parts(set, n, bind, func(q *pgx.QueuedQuery, _ int) {
		q.Query(func(rows pgx.Rows) error { return p.every(rows, each) })
	})
}

// parts queues a set as statements of one partner each, in the order of the
// partners' first rows: that in which locks are to be taken. told is told how
// many rows each is for.
func (p citusPipeline) parts(st *setStatement, n int, bind func(int, binder), told func(q *pgx.QueuedQuery, rows int)) error {
	switch {
	case n == 0:
	case st.citus.partnerAt < 0:
		told(p.batch.Queue(st.arraySQL, arraysOf(st, n, bind)...), n)
	case len(st.citus.inserts) > 0:
		p.inserts(st, n, bind, told)
	default:
		partners, _ := arraysOf(st, n, bind)[st.citus.partnerAt].([]string)
		for own := range ownRows(partners) {
			told(p.ofPartner(st, own, bind), len(own))
		}
	}
	return nil
}

// ownRows gives each partner's rows.
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

// ofPartner queues a statement for rows of one partner.
func (p citusPipeline) ofPartner(st *setStatement, own []int, bind func(int, binder)) *pgx.QueuedQuery {
	if len(own) == 1 {
		var args flatBinder
		bind(own[0], &args)
		return p.batch.Queue(st.citus.one, args...)
	}
	args := arraysOf(st, len(own), func(i int, b binder) { bind(own[i], b) })
	partners, _ := args[st.citus.partnerAt].([]string)
	args[st.citus.partnerAt] = partners[0]
	return p.batch.Queue(st.citus.many, args...)
}

// inserts queues rows in as few inserts as there are, the largest first.
func (p citusPipeline) inserts(st *setStatement, n int, bind func(int, binder), told func(q *pgx.QueuedQuery, rows int)) {
	for done, at := 0, len(st.citus.inserts)-1; done < n; {
		rows := 1 << at
		if n-done < rows {
			at--
			continue
		}
		args := make(flatBinder, 0, rows*len(st.bound()))
		for i := range rows {
			bind(done+i, &args)
		}
		told(p.batch.Queue(st.citus.inserts[at], args...), rows)
		done += rows
	}
}

// flatBinder takes rows one after the other.
type flatBinder []any

func (b *flatBinder) text(s string)   { *b = append(*b, s) }
func (b *flatBinder) integer(n int64) { *b = append(*b, n) }
func (b *flatBinder) bytes(p []byte)  { *b = append(*b, p) }
