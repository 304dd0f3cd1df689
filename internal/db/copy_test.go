package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/jackc/pgx/v5"
)

// TestEnginesHaveTheSameSchema: the migrations of both engines create the same
// tables, columns and keys.
func TestEnginesHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	schemas := map[string][]*StoredTable{}
	for name, open := range engines {
		tables, err := open(t).Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = tables
	}
	if err := sameSchema(schemas["sqlite"], schemas["postgres"]); err != nil {
		t.Error(err)
	}
	if len(schemas["sqlite"]) < 15 {
		t.Errorf("got %d tables, want at least 15: %v", len(schemas["sqlite"]), schemas["sqlite"])
	}
	for _, t1 := range schemas["sqlite"] {
		for _, reference := range t1.references {
			at := func(name string) int {
				return slices.IndexFunc(schemas["sqlite"], func(t2 *StoredTable) bool { return t2.Name == name })
			}
			if at(reference) > at(t1.Name) {
				t.Errorf("%s refers to %s, which comes later", t1.Name, reference)
			}
		}
	}
}

func TestSameSchema(t *testing.T) {
	t.Parallel()
	column := func(name string, kind Kind, place int) describedColumn {
		return describedColumn{Spec{name, kind}, place}
	}
	table := func(name string, columns []describedColumn, references ...string) []*StoredTable {
		return []*StoredTable{newStoredTable(name, slices.Clone(columns), references)}
	}
	k, v := column("k", TextKind, 1), column("v", IntegerKind, behindKey)
	one := table("a", []describedColumn{k, v})
	for name, other := range map[string][]*StoredTable{
		"name":      table("b", []describedColumn{k, v}),
		"key":       table("a", []describedColumn{column("l", TextKind, 1), v}),
		"kind":      table("a", []describedColumn{k, column("v", TextKind, behindKey)}),
		"column":    table("a", []describedColumn{k}),
		"reference": table("a", []describedColumn{k, v}, "c"),
		"no table":  nil,
	} {
		if sameSchema(one, other) == nil || sameSchema(other, one) == nil {
			t.Errorf("another %s: got no error", name)
		}
	}
	if err := sameSchema(one, table("a", []describedColumn{v, k})); err != nil {
		t.Errorf("the same in another order: %v", err)
	}
	noKey := table("a", []describedColumn{v})
	if sameSchema(noKey, noKey) == nil {
		t.Error("no key: got no error")
	}
}

// fillAll puts rows into every table, whatever it is for.
func fillAll(t *testing.T, s *Database, rows int) {
	t.Helper()
	tables, err := s.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	random := repeatable.Rand(t, fmt.Sprint(rows))
	ids := map[string][]string{} // of the tables that others refer to, by column
	for _, table := range tables {
		all := randomRows(random, table, rows, ids)
		if id := table.Key[0].Name; isReferred(tables, table.Name) {
			for _, row := range all {
				ids[id] = append(ids[id], row.values[0].text)
			}
		}
		err := s.engine.write(t.Context(), func(c Conn) error {
			written, err := WriteNow(t.Context(), c, table.Insert(), all...)
			if written != int64(rows) {
				t.Errorf("%s: wrote %d rows, want %d", table.Name, written, rows)
			}
			return err
		})
		if err != nil {
			t.Fatalf("fill %s: %v", table.Name, err)
		}
	}
}

// numbers draws numbers at random.
type numbers interface {
	IntN(n int) int
	Int64N(n int64) int64
}

// randomRows returns rows of a table. A column that refers to another table has
// its ids.
func randomRows(random numbers, table *StoredTable, rows int, ids map[string][]string) []*storedRow {
	all := make([]*storedRow, rows)
	for i := range all {
		all[i] = &storedRow{}
		for _, column := range table.Columns {
			v := randomValue(random, i)
			if known := ids[column.Name]; known != nil && len(table.references) > 0 {
				v.text = known[i]
			}
			all[i].values = append(all[i].values, v)
		}
	}
	return all
}

func isReferred(tables []*StoredTable, name string) bool {
	return slices.ContainsFunc(tables, func(t *StoredTable) bool { return slices.Contains(t.references, name) })
}

// randomValue returns a value of every kind, unlike that of any other row, which
// engines may sort in different places.
func randomValue(random numbers, row int) value {
	letters := []rune("aAbBéÉzZ_-0 9'\"\\%\n🍁ß")
	text := make([]rune, random.IntN(40))
	for at := range text {
		text[at] = letters[random.IntN(len(letters))]
	}
	return value{
		text:    string(text) + "#" + fmt.Sprint(row), // a digit of the text is none of the row
		integer: random.Int64N(1<<40)<<16 + int64(row),
		bytes:   append([]byte(string(text)), 0, 0xff, byte(row), byte(row>>8)),
	}
}

// eachDirection runs a test from each engine to each.
func eachDirection(t *testing.T, test func(t *testing.T, from, to *Database)) {
	for from, openFrom := range engines {
		for to, openTo := range engines {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				test(t, openFrom(t), openTo(t))
			})
		}
	}
}

// checkSame compares two databases row by row, without the checksums.
func checkSame(t *testing.T, a, b *Database) {
	t.Helper()
	if note, err := b.Setting(t.Context(), NoteSetting); err != nil || note != NoteCopied {
		t.Errorf("got the note %q, %v in the target, want %s", note, err, NoteCopied)
	}
	change(t, b, "DELETE FROM settings WHERE name = '"+NoteSetting+"'")
	tables, err := a.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		left, right := allRows(t, a, table), allRows(t, b, table)
		if !slices.Equal(left, right) {
			t.Errorf("%s: got %d rows in the source and %d in the target, want the same rows", table.Name, len(left), len(right))
		}
	}
}

func allRows(t *testing.T, s *Database, table *StoredTable) (rows []string) {
	t.Helper()
	err := s.engine.read(t.Context(), func(c Conn) error {
		return table.Each(t.Context(), c, "", nil, func(r *storedRow) error {
			rows = append(rows, fmt.Sprintf("%v", r.values))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

func TestCopy(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Database) {
		const rows = 100 // in several batches
		fillAll(t, from, rows)
		copied, err := (&Copy{From: from, To: to, Batch: 23}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range copied {
			if table.Rows != rows || len(table.Checksum) != 64 {
				t.Errorf("got %+v, want %d rows and a checksum of 64 digits", table, rows)
			}
		}
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrCopied) {
			t.Errorf("a second time: got %v, want ErrCopied", err)
		}
		checkSame(t, from, to) // which removes the note, as a start does
		if err := to.CheckWhole(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrOtherData) {
			t.Errorf("after a service has started: got %v, want ErrOtherData", err)
		}
	})
}

// TestCopyContinues: a copy that is interrupted again and again continues where it
// was each time.
func TestCopyContinues(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Database) {
		fillAll(t, from, 100)
		random := repeatable.Rand(t, "interruptions")
		breaks, done := 0, map[string]int64{}
		for {
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + random.IntN(40) // of some 300 batches
			_, err := (&Copy{From: from, To: to, Batch: 23, Progress: func(table string, rows int64) {
				if rows < done[table] {
					t.Errorf("%s: got %d rows, want no fewer than the %d of before", table, rows, done[table])
				}
				done[table] = rows
				if left--; left == 0 {
					cancel()
				}
			}}).Run(ctx)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			breaks++
		}
		if breaks < 5 {
			t.Errorf("got %d interruptions, want at least 5", breaks)
		}
		checkSame(t, from, to)
	})
}

// half copies a part: it is interrupted in the table orders.
func half(t *testing.T, from, to *Database) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := (&Copy{From: from, To: to, Batch: 40, Progress: func(table string, _ int64) {
		if table == "orders" {
			cancel()
		}
	}}).Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if err := to.CheckWhole(t.Context()); !errors.Is(err, ErrUnfinished) {
		t.Errorf("check of the target: got %v, want ErrUnfinished", err)
	}
}

// TestCopyAfterAKill: when a copy starts, PostgreSQL is still committing the last
// batch of one that was killed. The copy waits for it and continues from there.
func TestCopyAfterAKill(t *testing.T) {
	t.Parallel()
	from, url := engines["sqlite"](t), opener.URL(t)
	to := closing(t)(openPostgres(t.Context(), url))
	fillAll(t, from, 100)
	change(t, from, "DELETE FROM rate_leases") // which come after orders
	half(t, from, to)
	killed, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = killed.Close(t.Context()) }()
	const lastBatch = `BEGIN; UPDATE settings SET value = replace(value, '"done":false', '"done":true') WHERE name = 'copy:rate_leases'`
	if _, err := killed.Exec(t.Context(), lastBatch); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() {
		_, err := (&Copy{From: from, To: to}).Run(t.Context())
		result <- err
	}()
	for waiting := false; !waiting; {
		err := killed.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT l.granted AND a.datname = current_database())").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		if len(result) > 0 {
			t.Fatalf("the copy did not wait: %v", <-result)
		}
	}
	if _, err := killed.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	checkSame(t, from, to)
}

func change(t *testing.T, s *Database, sql string) {
	t.Helper()
	err := s.engine.write(t.Context(), func(c Conn) error {
		changed, err := c.Exec(t.Context(), sql)
		if changed == 0 {
			t.Errorf("%s: got no changed row", sql)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCopyNoticesChanges: rows that change after they were copied, on either side,
// are reported.
func TestCopyNoticesChanges(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Database) {
		fillAll(t, from, 100)
		half(t, from, to)
		change(t, from, "UPDATE couriers SET name = name || 'x' WHERE courier_id = (SELECT min(courier_id) FROM couriers)")
		copied, err := (&Copy{From: from, To: to}).Run(t.Context())
		if !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "couriers (100 rows and 100)") {
			t.Errorf("after a change of the source: got %v, want ErrDiffers", err)
		}
		if slices.ContainsFunc(copied, func(c CopiedTable) bool { return c.Table == "couriers" }) {
			t.Errorf("got couriers among %v, want only tables that are the same", copied)
		}
		change(t, to, "UPDATE couriers SET name = name || 'x' WHERE courier_id = (SELECT min(courier_id) FROM couriers)")
		change(t, to, "DELETE FROM events WHERE event_id = (SELECT min(event_id) FROM events)")
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrDiffers) ||
			!strings.Contains(err.Error(), "events (100 rows and 99)") {
			t.Errorf("after a change of the target: got %v, want ErrDiffers", err)
		}
	})
}

// TestCopyRefusals: a target that holds other data is refused.
func TestCopyRefusals(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Database) {
		fillAll(t, from, 50)
		insert := "INSERT INTO couriers (courier_id, name, phone, vehicle, active, created_at) VALUES ('cou_1', '', '', '', 1, 0)"
		change(t, to, insert)
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrOtherData) {
			t.Errorf("a target with rows: got %v, want ErrOtherData", err)
		}
		change(t, to, "DELETE FROM couriers")
		half(t, from, to)
		change(t, from, "UPDATE settings SET value = 'other' WHERE name = (SELECT min(name) FROM settings)")
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrOtherData) {
			t.Errorf("the copy of another database: got %v, want ErrOtherData", err)
		}
	})
}

// readOnly is an engine on which a view is a function of the test.
type readOnly struct {
	engine
	view func(context.Context) error
}

func (r readOnly) read(ctx context.Context, _ func(Conn) error) error { return r.view(ctx) }
func (r readOnly) hold(ctx context.Context, _ func(Conn) error) error { return r.view(ctx) }

// TestCompareStopsEarly: when reading one database fails, reading the other, which
// may take minutes, is stopped, and the first error is returned.
func TestCompareStopsEarly(t *testing.T) {
	t.Parallel()
	lost := errors.New("the server is gone")
	failing := &Database{engine: readOnly{view: func(context.Context) error { return lost }}}
	endless := &Database{engine: readOnly{view: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}}
	for _, c := range []*Copy{{From: endless, To: failing}, {From: failing, To: endless}} {
		if _, err := c.compare(t.Context(), nil); !errors.Is(err, lost) || errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, lost)
		}
	}
}

// TestDigest: a checksum depends on the rows, but not on their order.
func TestDigest(t *testing.T) {
	t.Parallel()
	table := newStoredTable("t", []describedColumn{{Spec{"k", TextKind}, 1}, {Spec{"v", TextKind}, behindKey}}, nil)
	row := func(k, v string) *storedRow { return &storedRow{[]value{{text: k}, {text: v}}} }
	sum := func(rows ...*storedRow) string {
		d := &digest{}
		for _, r := range rows {
			d.add(table.encode(r))
		}
		return fmt.Sprint(d.rows, d)
	}
	a, b, c := row("a", "bc"), row("ab", "c"), row("abc", "")
	if sum(a, b, c) != sum(c, a, b) {
		t.Error("the same rows in another order: got another checksum")
	}
	seen := map[string]bool{}
	for _, rows := range [][]*storedRow{{}, {a}, {b}, {c}, {a, b}, {a, c}, {a, a}} {
		if seen[sum(rows...)] {
			t.Errorf("%v: got the checksum of other rows", rows)
		}
		seen[sum(rows...)] = true
	}
}
