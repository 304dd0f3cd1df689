package db

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// excused holds the migrations that may break the rules of CONTRIBUTING.md, by
// path, each with the reason why no node of the release before is harmed.
var excused = map[string]string{
	"sqlite/00009_search.sql": "secure-delete is a setting of the index that it makes",
}

// harms are what migrations must not do under running nodes of the release
// before, and why.
var harms = []struct {
	what *regexp.Regexp
	why  string
}{
	{words(`DROP`), "takes away what nodes of the release before use"},
	{words(`RENAME`), "takes away what nodes of the release before use"},
	{words(`ALTER TABLE [^;]* ALTER`), "changes a column that nodes of the release before read and write"},
	{addedConstraint, "refuses rows that nodes of the release before write"},
	{words(`CREATE UNIQUE INDEX`), "refuses rows that nodes of the release before write"},
	{words(`CREATE (OR REPLACE )?(TRIGGER|RULE)`), "changes what their statements do"},
	{
		words(`UPDATE|DELETE|TRUNCATE`),
		"changes rows that nodes of the release before hold and rewrite; let the service do so, in batches",
	},
}

func words(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(pattern, " ", `\s+`) + `)\b`)
}

var (
	comment         = regexp.MustCompile(`--[^\n]*`)
	addedConstraint = words(`ADD (CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|EXCLUDE)`)

	addedColumn = regexp.MustCompile(`(?i)\bADD\s+(COLUMN\b)?[^,;]*`)
	reference   = words(`REFERENCES (\w+)`)
	tableAdded  = words(`CREATE TABLE (IF NOT EXISTS )?(\w+)`)
	rebuilt     = words(`DROP INDEX CONCURRENTLY IF EXISTS (\w+);\s*CREATE INDEX CONCURRENTLY (\w+)`)
	newIndex    = words(`CREATE INDEX (IF NOT EXISTS )?\w+ ON (\w+)`)
)

// harm returns what in a migration would harm running nodes of the release before.
func harm(file, text string) (found []string) {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	up = comment.ReplaceAllString(up, "")
	// An index that an interrupted build left behind may be dropped.
	up = rebuilt.ReplaceAllStringFunc(up, func(text string) string {
		if names := rebuilt.FindStringSubmatch(text); names[2] != names[3] {
			return text
		}
		return ""
	})
	for _, h := range harms {
		if at := h.what.FindString(up); at != "" {
			found = append(found, at+": "+h.why)
		}
	}
	for _, column := range addedColumn.FindAllString(up, -1) {
		given := words(`NOT NULL`).MatchString(column) && words(`DEFAULT`).MatchString(column)
		if !given && !addedConstraint.MatchString(column) {
			found = append(found, column+
				": nodes of the release before insert rows without it, and no column may be NULL; give it NOT NULL and a DEFAULT")
		}
	}
	for _, r := range reference.FindAllStringSubmatch(up, -1) {
		if !slices.Contains([]string{"partners", "operators"}, r[2]) {
			found = append(found, r[0]+": nodes of the release before delete rows there, and would be refused")
		}
	}
	made := map[string]bool{}
	for _, t := range tableAdded.FindAllStringSubmatch(up, -1) {
		made[t[3]] = true
	}
	for _, i := range newIndex.FindAllStringSubmatch(up, -1) {
		if strings.HasPrefix(file, "postgres/") && !made[i[3]] {
			found = append(found,
				i[0]+": blocks all writers while it is built; make it CONCURRENTLY, in a file with -- +goose NO TRANSACTION")
		}
	}
	return found
}

// harmful returns what each migration after the first would harm, by path. The
// first makes the tables, so that no node can be running on them.
func harmful(t *testing.T, files fs.FS) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, engine := range []string{"postgres", "sqlite"} {
		paths, err := fs.Glob(files, engine+"/*.sql")
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: got %d migrations, %v", engine, len(paths), err)
		}
		for _, path := range paths[1:] {
			text, err := fs.ReadFile(files, path)
			if err != nil {
				t.Fatal(err)
			}
			if harms := harm(path, string(text)); len(harms) > 0 {
				found[path] = harms
			}
		}
	}
	return found
}

// embedded are the migrations of this release.
func embedded(t *testing.T) fs.FS {
	t.Helper()
	files, err := fs.Sub(serviceSchema.Migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMigrationsOnlyAdd: old and new nodes work on the same schema during an
// upgrade, so every migration but the first must only add.
func TestMigrationsOnlyAdd(t *testing.T) {
	t.Parallel()
	for path, harms := range harmful(t, embedded(t)) {
		if excused[path] == "" {
			t.Errorf("%s: %s", path, strings.Join(harms, "\n"))
		}
	}
}

// TestHarmfulReadsLaterMigrations: the rules apply from the second migration on,
// on both engines.
func TestHarmfulReadsLaterMigrations(t *testing.T) {
	t.Parallel()
	drop := &fstest.MapFile{Data: []byte("-- +goose Up\nDROP TABLE sessions;\n")}
	add := &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE parcels (parcel_id TEXT NOT NULL PRIMARY KEY);\n")}
	found := harmful(t, fstest.MapFS{
		"postgres/00001_a.sql": drop, "postgres/00002_b.sql": add, "postgres/00003_c.sql": drop,
		"sqlite/00001_a.sql": drop, "sqlite/00002_b.sql": drop, "sqlite/00003_c.sql": add,
	})
	if len(found) != 2 || len(found["postgres/00003_c.sql"]) != 1 || len(found["sqlite/00002_b.sql"]) != 1 {
		t.Errorf("got %q, want one harm each in postgres/00003_c.sql and sqlite/00002_b.sql", found)
	}
}

// TestFirstMigrationsDifferInDialectOnly compares the text of the two files,
// and so their defaults, checks and indexes, which copy does not compare.
func TestFirstMigrationsDifferInDialectOnly(t *testing.T) {
	t.Parallel()
	text := func(engine string) string {
		content, err := fs.ReadFile(embedded(t), engine+"/00001_first_release.sql")
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	translated := regexp.MustCompile(`(?m)BLOB  |\) WITHOUT ROWID;$`).ReplaceAllStringFunc(text("sqlite"),
		func(found string) string {
			return map[string]string{"BLOB  ": "BYTEA ", ") WITHOUT ROWID;": ");"}[found]
		})
	want := strings.Split(translated, "\n")
	for i, got := range strings.Split(text("postgres"), "\n") {
		if i >= len(want) || got != want[i] {
			t.Fatalf("postgres, line %d: got %q, want what sqlite has, translated", i+1, got)
		}
	}
}

// TestHarm holds the rules against statements that keep them and that break them.
func TestHarm(t *testing.T) {
	t.Parallel()
	for _, harmless := range []string{
		"CREATE TABLE hooks (partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners, type TEXT NOT NULL); CREATE INDEX of_hooks ON hooks (type)",
		"ALTER TABLE orders ADD COLUMN colour TEXT NOT NULL DEFAULT '', ADD COLUMN updated BIGINT DEFAULT 0 NOT NULL -- DROP nothing",
		"CREATE INDEX CONCURRENTLY orders_by_colour ON orders (colour)",
		"DROP INDEX CONCURRENTLY IF EXISTS i;\nCREATE INDEX CONCURRENTLY i ON orders (colour)",
		"CREATE TABLE a (b TEXT NOT NULL PRIMARY KEY);\n-- +goose Down\nDROP TABLE a",
	} {
		if found := harm("postgres/1.sql", harmless); len(found) > 0 {
			t.Errorf("%s: got %q, want no harm", harmless, found)
		}
	}
	for _, harmful := range []string{
		"DROP TABLE sessions", "ALTER TABLE orders DROP COLUMN courier", "ALTER TABLE orders\n RENAME TO parcels",
		"ALTER TABLE orders ALTER version TYPE INTEGER", "alter table orders alter column version set default 1",
		"ALTER TABLE orders ADD COLUMN colour TEXT NOT NULL", "ALTER TABLE orders ADD colour TEXT DEFAULT ''",
		"ALTER TABLE orders ADD COLUMN a TEXT NOT NULL DEFAULT '', ADD COLUMN b TEXT NOT NULL",
		"ALTER TABLE orders ADD CONSTRAINT c CHECK (version > 0)", "CREATE UNIQUE INDEX i ON events (event_id)",
		"DROP INDEX CONCURRENTLY IF EXISTS j;\nCREATE INDEX CONCURRENTLY i ON orders (colour)",
		"CREATE INDEX i ON events (event_id)", "CREATE TABLE a (order_id TEXT NOT NULL REFERENCES orders)",
		"UPDATE orders SET courier = ''", "CREATE TRIGGER a BEFORE INSERT ON orders EXECUTE FUNCTION f()",
	} {
		if found := harm("postgres/1.sql", harmful); len(found) != 1 {
			t.Errorf("%s: got %q, want one harm", harmful, found)
		}
	}
	if found := harm("sqlite/1.sql", "CREATE INDEX i ON events (event_id)"); len(found) > 0 {
		t.Errorf("an index on SQLite, which has one node and no CONCURRENTLY: got %q, want no harm", found)
	}
}

// nextMigration stands for the migration of a later release, as CONTRIBUTING.md
// wants it.
var nextMigration = map[string]string{
	"sqlite": `-- +goose Up
		CREATE TABLE parcels (partner_id TEXT NOT NULL, parcel_id TEXT NOT NULL, PRIMARY KEY (partner_id, parcel_id)) WITHOUT ROWID;
		ALTER TABLE orders ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';
		CREATE INDEX orders_by_colour ON orders (partner_id, colour);`,
	"postgres": `-- +goose NO TRANSACTION
-- +goose Up
		CREATE TABLE IF NOT EXISTS parcels (partner_id TEXT NOT NULL, parcel_id TEXT NOT NULL, PRIMARY KEY (partner_id, parcel_id));
		ALTER TABLE orders ADD COLUMN IF NOT EXISTS colour TEXT NOT NULL DEFAULT 'red';
		DROP INDEX CONCURRENTLY IF EXISTS orders_by_colour;
		CREATE INDEX CONCURRENTLY orders_by_colour ON orders (partner_id, colour);`,
}

// upgrade migrates a database as the next release would.
func upgrade(t *testing.T, dialect goose.Dialect, db *sql.DB, engine string) {
	t.Helper()
	defer func() { _ = db.Close() }()
	files := fstest.MapFS{"90000_next.sql": {Data: []byte(nextMigration[engine])}}
	own, err := fs.Glob(embedded(t), engine+"/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range own {
		text, err := fs.ReadFile(embedded(t), name)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(name)] = &fstest.MapFile{Data: text}
	}
	if found := harm(engine+"/90000_next.sql", nextMigration[engine]); len(found) > 0 {
		t.Fatalf("the migration breaks the rules: %q", found)
	}
	provider, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		t.Fatal(err)
	}
	done, err := provider.Up(t.Context())
	if err != nil || len(done) != 1 || done[0].Source.Version != 90000 {
		t.Fatalf("got %v, %v, want the next migration alone", done, err)
	}
}

// TestUpgradeByTheNextRelease: a later migration runs on a database with rows
// that this release has open. The open store keeps working, with all rows; this
// release does not open the database again.
func TestUpgradeByTheNextRelease(t *testing.T) {
	t.Parallel()
	for engine, connect := range map[string]func(t *testing.T) (open func() (*Database, error), upgrade func()){
		"sqlite": func(t *testing.T) (func() (*Database, error), func()) {
			path := filepath.Join(t.TempDir(), "dropyard.db")
			return func() (*Database, error) { return openSQLite(t.Context(), path) }, func() {
				db, err := sql.Open("sqlite", path)
				if err != nil {
					t.Fatal(err)
				}
				upgrade(t, goose.DialectSQLite3, db, "sqlite")
			}
		},
		"postgres": func(t *testing.T) (func() (*Database, error), func()) {
			url := testkit.PostgresURL(t)
			return func() (*Database, error) { return openPostgres(t.Context(), url) }, func() {
				db, err := sql.Open("pgx", url)
				if err != nil {
					t.Fatal(err)
				}
				upgrade(t, goose.DialectPostgres, db, "postgres")
			}
		},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			open, upgrade := connect(t)
			s := closing(t)(open())
			const rows = 20
			fillAll(t, s, rows)
			upgrade()
			if got := countRed(t, s); got != rows {
				t.Errorf("got %d orders with the default of the new column, want %d", got, rows)
			}
			add := `INSERT INTO orders (partner_id, order_id, partner_order_id, status, version, events, last_event, cancellation_reason,
				updated_at, estimated_delivery, cancelled_at, courier, allocation, document) VALUES ('p', 'o', 'r', 'pending', 1, 0, '', '', 1, 1, 0, '', '', '{}')`
			err := s.engine.write(t.Context(), func(c Conn) error {
				_, err := c.Exec(t.Context(), add)
				return err
			})
			if err != nil {
				t.Errorf("an insert without the new column: %v", err)
			}
			if got := countRed(t, s); got != rows+1 {
				t.Errorf("after the insert: got %d orders with the default, want %d", got, rows+1)
			}
			if _, err := open(); !errors.Is(err, ErrNewerSchema) {
				t.Errorf("opened again: got %v, want ErrNewerSchema", err)
			}
		})
	}
}

// countRed counts the orders that have the default of nextMigration's column.
func countRed(t *testing.T, s *Database) (count int64) {
	t.Helper()
	err := s.engine.read(t.Context(), func(c Conn) error {
		return c.Query(t.Context(), "SELECT count(*) FROM orders WHERE colour = 'red'", nil,
			func(r Row) error { return r.Scan(&count) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// TestMigrationTimeouts: a migration, which may index millions of rows, has no
// statement timeout as requests have, but waits only ddlWait for a lock.
func TestMigrationTimeouts(t *testing.T) {
	t.Parallel()
	url := testkit.PostgresURL(t)
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	_, err = c.Exec(t.Context(), fmt.Sprintf(`
		CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
			IF current_setting('statement_timeout') <> '0' OR current_setting('lock_timeout') <> '%ds' THEN
				RAISE 'timeouts: %% and %%', current_setting('statement_timeout'), current_setting('lock_timeout');
			END IF;
		END $$;
		CREATE EVENT TRIGGER watch ON ddl_command_start EXECUTE FUNCTION watch()`, int(ddlWait.Seconds())))
	if err != nil {
		t.Fatal(err)
	}
	s, err := openPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	err = s.engine.read(t.Context(), func(c Conn) error {
		return c.Query(t.Context(), "SELECT current_setting('statement_timeout')", nil, func(r Row) error {
			var timeout string
			err := r.Scan(&timeout)
			if timeout != fmt.Sprintf("%ds", int(statementTimeout.Seconds())) {
				err = errors.Join(err, fmt.Errorf("statement_timeout of requests: got %s, want %v", timeout, statementTimeout))
			}
			return err
		})
	})
	if err != nil {
		t.Error(err)
	}
}
