package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// excused are migrations that break the rule of CONTRIBUTING.md, each with the
// reason why no node of the release before is harmed.
var excused = map[string]string{}

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
	{words(`UPDATE|DELETE|TRUNCATE`), "changes rows that nodes of the release before hold and rewrite; let the service do so, in batches"},
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

// harm tells what in a migration would harm running nodes of the release before.
func harm(file, text string) (found []string) {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	up = comment.ReplaceAllString(up, "")
	// What a build left behind that was broken off is nobody's loss.
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
			found = append(found, column+": nodes of the release before insert rows without it, and no column may be NULL; give it NOT NULL and a DEFAULT")
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
			found = append(found, i[0]+": keeps everybody from writing while it is built; make it CONCURRENTLY, in a file with -- +goose NO TRANSACTION")
		}
	}
	return found
}

// TestMigrationsHarmNobody: old and new nodes work on the same schema during an
// upgrade, so that all migrations but the first only add.
func TestMigrationsHarmNobody(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, engine := range []string{"postgres", "sqlite"} {
		files, err := fs.ReadDir(migrations, path.Join("migrations", engine))
		if err != nil || len(files) < 2 {
			t.Fatal(len(files), err)
		}
		for _, f := range files[1:] {
			name := path.Join(engine, f.Name())
			text, err := migrations.ReadFile(path.Join("migrations", name))
			if err != nil {
				t.Fatal(err)
			}
			checked++
			if found := harm(name, string(text)); len(found) > 0 && excused[name] == "" {
				t.Errorf("%s: %s", name, strings.Join(found, "\n"))
			}
		}
	}
	if checked < 2 {
		t.Errorf("checked %d", checked)
	}
}

// TestHarm is seen where it is, and nowhere else.
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
			t.Errorf("%s: %q", harmless, found)
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
		if len(harm("postgres/1.sql", harmful)) != 1 {
			t.Errorf("%s: %q", harmful, harm("postgres/1.sql", harmful))
		}
	}
	if found := harm("sqlite/1.sql", "CREATE INDEX i ON events (event_id)"); len(found) > 0 {
		t.Errorf("with SQLite there is one node, and no such thing as CONCURRENTLY: %q", found)
	}
}

// TestMigrationsAreGivenTime: what builds an index over millions of rows is not
// cut off as requests are, but it does not stand in line for long either.
func TestMigrationsAreGivenTime(t *testing.T) {
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
	s, err := OpenPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	err = s.engine.read(t.Context(), func(c conn) error {
		return c.query(t.Context(), "SELECT current_setting('statement_timeout')", nil, func(r row) error {
			var timeout string
			err := r.scan(&timeout)
			if timeout != fmt.Sprintf("%ds", int(statementTimeout.Seconds())) {
				err = errors.Join(err, fmt.Errorf("requests have %s", timeout))
			}
			return err
		})
	})
	if err != nil {
		t.Error(err)
	}
}
