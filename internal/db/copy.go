package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/progress"
)

// The reasons for which a copy is not made, or cannot be trusted.
var (
	ErrOtherData = errors.New("the target holds other data: copy into an empty database")
	ErrCopied    = errors.New(
		"the target holds a complete copy, on which no service has started yet: start one, or empty the target to copy again",
	)
	ErrUnfinished = errors.New(
		"the database is an unfinished copy of another: run dropyard copy again until it is complete",
	)
	ErrDiffers = errors.New(
		"source and target differ, so the source was changed meanwhile: stop the service, empty the target, and copy again",
	)
)

// Copy moves everything that one database holds to another, on any engine. Each
// batch is committed together with the progress of the copy, which the target's
// settings hold, so that a copy that was interrupted continues where it was. In
// the end both databases are read again and compared.
type Copy struct {
	From, To *Database
	// Batch is the number of rows in a transaction; 0 for a good default.
	Batch int
	// Progress is called after each batch with the number of a table's rows that
	// are in the target; may be nil.
	Progress func(table string, rows int64)

	done, total int64 // rows; the total is 0 if nothing is reported
}

// CopiedTable is a table that is the same in both databases.
type CopiedTable struct {
	Table    string
	Rows     int64
	Checksum string // of all rows, in any order
}

const defaultBatch = 4000

// Run copies what is still missing and compares everything.
func (c *Copy) Run(ctx context.Context) (copied []CopiedTable, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil { // for which engines have errors of their own
			err = ctx.Err()
		}
	}()
	tables, err := c.tables(ctx)
	if err != nil {
		return nil, err
	}
	err = c.From.engine.hold(ctx, func(source Conn) error { return c.copyAll(ctx, source, tables) })
	if err != nil {
		return nil, err
	}
	if copied, err = c.compare(ctx, tables); err != nil {
		return copied, err
	}
	return copied, c.finish(ctx)
}

// CheckWhole refuses a database that a copy has begun to fill and not finished.
func (d *Database) CheckWhole(ctx context.Context) error {
	if source, err := d.Setting(ctx, progressSource); err != nil || source == "" {
		return err
	}
	return ErrUnfinished
}

// tables returns the tables of both databases, which must be the same.
func (c *Copy) tables(ctx context.Context) ([]*StoredTable, error) {
	source, err := c.From.Tables(ctx)
	if err != nil {
		return nil, err
	}
	target, err := c.To.Tables(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.From.CheckWhole(ctx); err != nil {
		return nil, fmt.Errorf("the source: %w", err)
	}
	return source, sameSchema(source, target)
}

// sameSchema refuses tables that differ, or that have no primary key.
func sameSchema(source, target []*StoredTable) error {
	describe := func(tables []*StoredTable, name string) string {
		at := slices.IndexFunc(tables, func(t *StoredTable) bool { return t.Name == name })
		if at < 0 {
			return "no such table"
		}
		return tables[at].String()
	}
	for _, t := range slices.Concat(source, target) {
		if here, there := describe(source, t.Name), describe(target, t.Name); here != there {
			return fmt.Errorf("the databases differ in the table %s: the source has %s, the target %s", t.Name, here, there)
		}
		if len(t.Key) == 0 {
			return fmt.Errorf("the table %s has no primary key", t.Name)
		}
	}
	return nil
}

func (c *Copy) batch() int {
	if c.Batch > 0 {
		return c.Batch
	}
	return defaultBatch
}

func (c *Copy) copyAll(ctx context.Context, source Conn, tables []*StoredTable) error {
	if err := c.begin(ctx, source, tables); err != nil {
		return err
	}
	if c.total, c.done = 0, 0; progress.Wanted(ctx) {
		var err error
		if c.total, err = countRows(ctx, source, tables); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := c.copyTable(ctx, source, t); err != nil {
			return fmt.Errorf("copy %s: %w", t.Name, err)
		}
	}
	return nil
}

// countRows returns the number of rows of all tables.
func countRows(ctx context.Context, c Conn, tables []*StoredTable) (total int64, err error) {
	for _, t := range tables {
		err := c.Query(ctx, "SELECT count(*) FROM "+t.Name, nil, func(r Row) error {
			rows := int64(0)
			err := r.Scan(&rows)
			total += rows
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("count the rows of %s: %w", t.Name, err)
		}
	}
	return total, nil
}

// copyTable copies the rows that the target does not have yet.
func (c *Copy) copyTable(ctx context.Context, source Conn, t *StoredTable) error {
	reached, err := c.reached(ctx, t)
	if err != nil {
		return err
	}
	c.done += reached.Rows // by an earlier run
	for !reached.Done {
		rows, err := t.page(ctx, source, reached.Last, c.batch())
		if err != nil {
			return err
		}
		next := reached.after(t, rows)
		if err := c.commit(ctx, t, withoutProgress(t, rows), reached, next); err != nil {
			return err
		}
		c.done += next.Rows - reached.Rows
		reached = next
		progress.Report(ctx, "copying", c.done, c.total)
		if c.Progress != nil {
			c.Progress(t.Name, reached.Rows)
		}
	}
	return nil
}
