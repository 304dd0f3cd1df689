package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
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
	switch st.verb {
	case insertNew, insertOver:
		for rows := 1; rows <= maxInsert; rows *= 2 {
			sql.inserts = append(sql.inserts, st.insert("VALUES "+placeholders(rows, len(bound))))
		}
		return sql
	case lookUpLock:
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
	if n == 0 {
		return 0, nil
	}
	if set.citus.partnerAt < 0 {
		return c.postgresConn.apply(ctx, set, n, bind)
	}
	batch := set.batch(n, bind)
	results := c.tx.SendBatch(ctx, batch)
	for range batch.Len() {
		tag, err := results.Exec()
		if err != nil {
			_ = results.Close() // tells the same
			return 0, postgresError(err)
		}
		written += tag.RowsAffected()
	}
	return written, postgresError(results.Close())
}

func (c citusConn) find(ctx context.Context, set *setStatement, n int, bind func(int, binder), each func(row) error) error {
	if n == 0 {
		return nil
	}
	if set.citus.partnerAt < 0 {
		return c.postgresConn.find(ctx, set, n, bind, each)
	}
	batch := set.batch(n, bind)
	results := c.tx.SendBatch(ctx, batch)
	for range batch.Len() {
		rows, err := results.Query()
		if err = postgresError(err); err == nil {
			err = eachOf(rows, each)
		}
		if err != nil {
			_ = results.Close()
			return err
		}
	}
	return postgresError(results.Close())
}

// batch puts a set into statements of one partner each, which travel together.
func (st *setStatement) batch(n int, bind func(int, binder)) *pgx.Batch {
	batch := &pgx.Batch{}
	if len(st.citus.inserts) > 0 {
		st.batchInserts(batch, n, bind)
		return batch
	}
	args := arraysOf(st, n, bind)
	partners, _ := args[st.citus.partnerAt].([]string)
	if one := slices.Compact(slices.Clone(partners)); len(one) == 1 {
		st.queue(batch, n, args)
		return batch
	}
	rows := map[string][]int{}
	var order []string // of their first rows, so that locks are taken in the set's order
	for i, partner := range partners {
		if rows[partner] == nil {
			order = append(order, partner)
		}
		rows[partner] = append(rows[partner], i)
	}
	for _, partner := range order {
		own := rows[partner]
		st.queue(batch, len(own), arraysOf(st, len(own), func(i int, b binder) { bind(own[i], b) }))
	}
	return batch
}

// queue adds a statement for rows of one partner.
func (st *setStatement) queue(batch *pgx.Batch, n int, arrays []any) {
	for at := range arrays {
		if n == 1 || at == st.citus.partnerAt {
			arrays[at] = firstOf(arrays[at])
		}
	}
	if n == 1 {
		batch.Queue(st.citus.one, arrays...)
	} else {
		batch.Queue(st.citus.many, arrays...)
	}
}

func firstOf(array any) any {
	switch array := array.(type) {
	case []string:
		return array[0]
	case []int64:
		return array[0]
	default:
		return array.([][]byte)[0]
	}
}

// batchInserts puts rows into as few inserts as there are, the largest first.
func (st *setStatement) batchInserts(batch *pgx.Batch, n int, bind func(int, binder)) {
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
		batch.Queue(st.citus.inserts[at], args...)
		done += rows
	}
}

// flatBinder takes rows one after the other.
type flatBinder []any

func (b *flatBinder) text(s string)   { *b = append(*b, s) }
func (b *flatBinder) integer(n int64) { *b = append(*b, n) }
func (b *flatBinder) bytes(p []byte)  { *b = append(*b, p) }
