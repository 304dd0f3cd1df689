package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// engines open an empty database each.
var engines = withCitus(map[string]func(t *testing.T) *Store{
	"sqlite": func(t *testing.T) *Store {
		return closing(t)(OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "dropyard.db")))
	},
	"postgres": func(t *testing.T) *Store {
		return closing(t)(OpenPostgres(t.Context(), testkit.PostgresURL(t)))
	},
})

func closing(t *testing.T) func(*Store, error) *Store {
	return func(s *Store, err error) *Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

// TestSchemasAreTheSame: the migrations of both engines make the same tables,
// columns and keys.
func TestSchemasAreTheSame(t *testing.T) {
	t.Parallel()
	schemas := map[string][]*storedTable{}
	for name, open := range engines {
		tables, err := open(t).schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = tables
	}
	if err := sameSchema(schemas["sqlite"], schemas["postgres"]); err != nil {
		t.Error(err)
	}
	if len(schemas["sqlite"]) < 15 {
		t.Errorf("only %d tables: %v", len(schemas["sqlite"]), schemas["sqlite"])
	}
	for _, t1 := range schemas["sqlite"] {
		for _, reference := range t1.references {
			at := func(name string) int {
				return slices.IndexFunc(schemas["sqlite"], func(t2 *storedTable) bool { return t2.name == name })
			}
			if at(reference) > at(t1.name) {
				t.Errorf("%s comes before %s, which it refers to", t1.name, reference)
			}
		}
	}
}

// TestSchemasThatDiffer are told apart.
func TestSchemasThatDiffer(t *testing.T) {
	t.Parallel()
	make1 := func() *storedTable { return &storedTable{name: "a", keys: texts("k"), rest: integers("v")} }
	for name, change := range map[string]func(*storedTable){
		"name": func(t *storedTable) { t.name = "b" }, "key": func(t *storedTable) { t.keys = texts("l") },
		"kind": func(t *storedTable) { t.rest = texts("v") }, "column": func(t *storedTable) { t.rest = nil },
		"reference": func(t *storedTable) { t.references = []string{"c"} }, "no key": func(t *storedTable) { t.keys = nil },
	} {
		other := make1()
		change(other)
		if sameSchema([]*storedTable{make1()}, []*storedTable{other}) == nil {
			t.Errorf("%s: not told apart", name)
		}
	}
	if err := sameSchema([]*storedTable{make1()}, []*storedTable{make1()}); err != nil {
		t.Error(err)
	}
}

// fillAll puts rows into every table that there is, whatever it is for.
func fillAll(t *testing.T, s *Store, rows int) {
	t.Helper()
	tables, err := s.schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	ids := map[string][]value{} // of the tables that others refer to, by column
	for _, table := range tables {
		all := make([][]value, rows)
		for i := range all {
			for _, c := range table.columns() {
				v := randomValue(random, c.kind, i)
				if known := ids[c.name]; known != nil && len(table.references) > 0 {
					v = known[i]
				}
				all[i] = append(all[i], v)
			}
		}
		if id := table.keys[0].name; len(table.keys) == 1 && ids[id] == nil && isReferred(tables, table.name) {
			for _, row := range all {
				ids[id] = append(ids[id], row[len(row)-1])
			}
		}
		err := s.engine.write(t.Context(), func(c conn) error {
			insert := newSet(insertNew, table.name, table.keys, table.rest)
			written, err := (legacyConn{c}).apply(t.Context(), insert, rows, func(i int, b binder) {
				for _, v := range all[i] {
					v.bind(b)
				}
			})
			if written != int64(rows) {
				t.Errorf("%s: wrote %d", table.name, written)
			}
			return err
		})
		if err != nil {
			t.Fatalf("fill %s: %v", table.name, err)
		}
	}
}

func isReferred(tables []*storedTable, name string) bool {
	return slices.ContainsFunc(tables, func(t *storedTable) bool { return slices.Contains(t.references, name) })
}

// randomValue makes values that differ, and that engines may sort differently.
func randomValue(random *rand.Rand, kind columnKind, i int) value {
	letters := []rune("aAbBéÉzZ_-0 9'\"\\%\n🍁ß")
	text := make([]rune, random.IntN(40))
	for at := range text {
		text[at] = letters[random.IntN(len(letters))]
	}
	switch kind {
	case textColumn:
		return value{kind: kind, text: string(text) + fmt.Sprint(i)}
	case integerColumn:
		return value{kind: kind, integer: random.Int64N(1<<40)<<16 + int64(i)}
	default:
		return value{kind: kind, bytes: append([]byte(string(text)), 0, 0xff, byte(i), byte(i>>8))}
	}
}

// eachDirection runs a test from each engine to each.
func eachDirection(t *testing.T, test func(t *testing.T, from, to *Store)) {
	for from, openFrom := range engines {
		for to, openTo := range engines {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				test(t, openFrom(t), openTo(t))
			})
		}
	}
}

// checkSame compares two databases row by row, past the checksums.
func checkSame(t *testing.T, a, b *Store) {
	t.Helper()
	tables, err := a.schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	everything := func(s *Store, of *storedTable) (rows []string) {
		err := s.engine.read(t.Context(), func(c conn) error {
			return c.query(t.Context(), "SELECT "+names(of.columns())+" FROM "+of.name, nil, func(r row) error {
				values, _, err := of.scan(r)
				rows = append(rows, fmt.Sprintf("%v", values))
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(rows)
		return rows
	}
	for _, table := range tables {
		if left, right := everything(a, table), everything(b, table); !slices.Equal(left, right) {
			t.Errorf("%s: %d rows here, %d there, or not the same", table.name, len(left), len(right))
		}
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Store) {
		const rows = 300
		fillAll(t, from, rows)
		copied, err := (&Copy{From: from, To: to, Batch: 77}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range copied {
			if table.Rows != rows || len(table.Checksum) != 64 {
				t.Errorf("%+v", table)
			}
		}
		checkSame(t, from, to)
		if err := to.CheckWhole(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrOtherData) {
			t.Errorf("a second time: %v", err)
		}
	})
}

// TestCopyBrokenOff again and again goes on where it was.
func TestCopyBrokenOff(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Store) {
		fillAll(t, from, 100)
		random := rand.New(rand.NewPCG(2, 3))
		breaks, done := 0, map[string]int64{}
		for {
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + random.IntN(12)
			_, err := (&Copy{From: from, To: to, Batch: 23, Told: func(table string, rows int64) {
				if rows < done[table] {
					t.Errorf("%s: %d rows after %d", table, rows, done[table])
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
			t.Errorf("broken off only %d times", breaks)
		}
		checkSame(t, from, to)
	})
}

// half copies a part, and breaks off in the table orders.
func half(t *testing.T, from, to *Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := (&Copy{From: from, To: to, Batch: 40, Told: func(table string, _ int64) {
		if table == "orders" {
			cancel()
		}
	}}).Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("not broken off: %v", err)
	}
	if err := to.CheckWhole(t.Context()); !errors.Is(err, ErrUnfinished) {
		t.Errorf("the target is taken for a whole database: %v", err)
	}
}

// TestCopyAfterAKill: PostgreSQL still commits the last batch of a copy that was
// killed when the next one starts. That one waits, and goes on from there.
func TestCopyAfterAKill(t *testing.T) {
	t.Parallel()
	from, url := engines["sqlite"](t), testkit.PostgresURL(t)
	to := closing(t)(OpenPostgres(t.Context(), url))
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
			t.Fatal("it did not wait: ", <-result)
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

func change(t *testing.T, s *Store, sql string) {
	t.Helper()
	err := s.engine.write(t.Context(), func(c conn) error {
		changed, err := c.exec(t.Context(), sql)
		if changed == 0 {
			t.Errorf("%s changed nothing", sql)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCopyNoticesChanges of what it has copied already, on either side.
func TestCopyNoticesChanges(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Store) {
		fillAll(t, from, 100)
		half(t, from, to)
		change(t, from, "UPDATE couriers SET name = name || 'x' WHERE courier_id = (SELECT min(courier_id) FROM couriers)")
		copied, err := (&Copy{From: from, To: to}).Run(t.Context())
		if !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "couriers (100 rows and 100)") {
			t.Errorf("got %v", err)
		}
		if slices.ContainsFunc(copied, func(c CopiedTable) bool { return c.Table == "couriers" }) {
			t.Error("couriers are told to be the same")
		}
		change(t, to, "UPDATE couriers SET name = name || 'x' WHERE courier_id = (SELECT min(courier_id) FROM couriers)")
		change(t, to, "DELETE FROM events WHERE event_id = (SELECT min(event_id) FROM events)")
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "events (100 rows and 99)") {
			t.Errorf("got %v", err)
		}
	})
}

// TestCopyRefusals of targets that hold other data.
func TestCopyRefusals(t *testing.T) {
	t.Parallel()
	eachDirection(t, func(t *testing.T, from, to *Store) {
		fillAll(t, from, 50)
		insert := "INSERT INTO couriers (courier_id, name, phone, vehicle, active, created_at) VALUES ('cou_1', '', '', '', 1, 0)"
		change(t, to, insert)
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrOtherData) {
			t.Errorf("over other rows: %v", err)
		}
		change(t, to, "DELETE FROM couriers")
		half(t, from, to)
		change(t, from, "UPDATE settings SET value = 'other' WHERE name = (SELECT min(name) FROM settings)")
		if _, err := (&Copy{From: from, To: to}).Run(t.Context()); !errors.Is(err, ErrOtherData) {
			t.Errorf("over the copy of another database: %v", err)
		}
	})
}

// reader is an engine that only reads, in its own way.
type reader struct {
	engine
	reading func(context.Context) error
}

func (r reader) read(ctx context.Context, _ func(conn) error) error { return r.reading(ctx) }

// TestCompareGivesUp on one side, which may take minutes, when the other fails;
// and tells of that alone.
func TestCompareGivesUp(t *testing.T) {
	t.Parallel()
	lost := errors.New("the server is gone")
	failing := &Store{reader{reading: func(context.Context) error { return lost }}}
	endless := &Store{reader{reading: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}}
	for _, c := range []*Copy{{From: endless, To: failing}, {From: failing, To: endless}} {
		if _, err := c.compare(t.Context(), nil); !errors.Is(err, lost) || errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// TestDigest is blind to order and to nothing else.
func TestDigest(t *testing.T) {
	t.Parallel()
	text := func(s string) value { return value{kind: textColumn, text: s} }
	sum := func(rows ...[]value) string {
		d := &digest{}
		for _, row := range rows {
			d.add(row)
		}
		return fmt.Sprint(d.rows, d)
	}
	a, b, c := []value{text("a"), text("bc")}, []value{text("ab"), text("c")}, []value{text("abc"), text("")}
	if sum(a, b, c) != sum(c, a, b) {
		t.Error("it depends on the order")
	}
	seen := map[string]bool{}
	for _, rows := range [][][]value{{}, {a}, {b}, {c}, {a, b}, {a, c}, {a, a}} {
		if seen[sum(rows...)] {
			t.Errorf("%v has the sum of another", rows)
		}
		seen[sum(rows...)] = true
	}
}
