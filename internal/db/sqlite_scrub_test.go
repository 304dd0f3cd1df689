package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// openScrubbed opens an embedded database.
func openScrubbed(t *testing.T) (s *Database, e *sqliteEngine, path string) {
	t.Helper()
	path = filepath.Join(testkit.FastDir(t), "dropyard.db")
	s, err := openSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, s.engine.(*guard).engine.(*sqliteEngine), path //nolint:forcetypeassert // it is embedded
}

// bytesOf returns what the files of a database hold.
func bytesOf(t *testing.T, path string) (content []byte) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		file, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		content = append(content, file...)
	}
	return content
}

// restless makes no pause.
func restless(context.Context, time.Duration) error { return nil }

// secret begins the texts that are removed in these tests.
const secret = "Camille-Tremblay-"

// ask returns the rows of a query with one column of text.
func ask(t *testing.T, e *sqliteEngine, sql string) (rows []string) {
	t.Helper()
	err := e.read(t.Context(), func(c Conn) error {
		return c.Query(t.Context(), sql, nil, func(r Row) error {
			var text string
			rows = append(rows, "")
			if err := r.Scan(&text); err != nil {
				return err
			}
			rows[len(rows)-1] = text
			return nil
		})
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// execute runs fn in a transaction, with a function that runs a statement.
func execute(t *testing.T, e *sqliteEngine, fn func(exec func(sql string, args ...any) error) error) {
	t.Helper()
	must(t, e.write(t.Context(), func(c Conn) error {
		return fn(func(sql string, args ...any) error {
			_, err := c.Exec(t.Context(), sql, args...)
			return err
		})
	}))
}

// fill adds rows in random places of a table with an index and of one without rowid, some
// of them with secrets, and changes and removes some meanwhile.
func fill(t *testing.T, e *sqliteEngine, random interface{ IntN(n int) int }, rows int) {
	t.Helper()
	execute(t, e, func(exec func(string, ...any) error) error {
		return errors.Join(
			exec("CREATE TABLE wide (place BIGINT NOT NULL, name TEXT NOT NULL, long TEXT NOT NULL, PRIMARY KEY (place, name))"),
			exec("CREATE INDEX wide_names ON wide (name)"),
			exec("CREATE TABLE narrow (place BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (place, name)) WITHOUT ROWID"),
		)
	})
	for added := 0; added < rows; added += 100 {
		execute(t, e, func(exec func(string, ...any) error) (err error) {
			for number := range 100 {
				name := fmt.Sprintf("%s%07d", []string{secret, "plain", "plain"}[random.IntN(3)], added+number)
				long := strings.Repeat(name, 1+random.IntN(20))
				if random.IntN(20) == 0 {
					long = strings.Repeat(name, 800) // on pages of its own
				}
				place := random.IntN(1000)
				err = errors.Join(err,
					exec("INSERT INTO wide VALUES ($1, $2, $3)", place, name+strings.Repeat("x", random.IntN(60)), long),
					exec("INSERT INTO narrow VALUES ($1, $2)", place, name+strings.Repeat("y", random.IntN(60))))
			}
			place := random.IntN(1000)
			return errors.Join(err, exec("UPDATE wide SET long = long || name WHERE place = $1", place),
				exec("DELETE FROM narrow WHERE place = $1", place))
		})
	}
}

// removeSecrets removes or rewrites the rows with secrets.
func removeSecrets(t *testing.T, e *sqliteEngine) {
	t.Helper()
	execute(t, e, func(exec func(string, ...any) error) error {
		const has = " WHERE instr(name, 'Camille') > 0"
		return errors.Join(exec("UPDATE wide SET long = 'erased', name = 'erased' || rowid"+has+" AND place < 500"),
			exec("DELETE FROM wide"+has), exec("DELETE FROM narrow"+has))
	})
}

// TestScrub removes and rewrites rows. After a scrub nothing of them is left in the files,
// all other rows are there, and the database is sound.
func TestScrub(t *testing.T) {
	t.Parallel()
	for run := range testkit.Scaled(10, 2) {
		_, e, path := openScrubbed(t)
		fill(t, e, repeatable.Rand(t, fmt.Sprint(run)), testkit.Scaled(20_000, 3000))
		removeSecrets(t, e)
		const all = "SELECT place || name || long FROM wide UNION ALL SELECT place || name FROM narrow"
		before := ask(t, e, all)
		rests := 0
		must(t, e.scrub(t.Context(), func(context.Context, time.Duration) error { rests++; return nil }))
		if left := bytes.Count(bytesOf(t, path), []byte(secret)); left > 0 {
			t.Errorf("got %d secrets in the files, want none", left)
		}
		if log, err := os.Stat(path + "-wal"); err != nil || log.Size() > 0 {
			t.Errorf("got a log of %d bytes, error %v, want it empty", log.Size(), err)
		}
		if got := ask(t, e, "PRAGMA integrity_check"); len(got) != 1 || got[0] != "ok" {
			t.Errorf("got the integrity check %v, want ok", got)
		}
		if after := ask(t, e, all); len(after) == 0 || strings.Join(after, "\n") != strings.Join(before, "\n") {
			t.Errorf("got %d rows that differ from the %d before", len(after), len(before))
		}
		if rests == 0 {
			t.Error("the scrub has made no pause")
		}
	}
}

// TestScrubFreePages scrubs a database in which pages became free without being
// overwritten, as those of earlier releases are.
func TestScrubFreePages(t *testing.T) {
	t.Parallel()
	_, e, path := openScrubbed(t)
	fill(t, e, repeatable.Rand(t), 3000)
	e.mustSet(t, "PRAGMA secure_delete = OFF")
	removeSecrets(t, e)
	e.mustSet(t, "PRAGMA secure_delete = ON")
	must(t, e.emptyLog(t.Context()))
	if bytes.Count(bytesOf(t, path), []byte(secret)) == 0 {
		t.Fatal("without secure_delete nothing was left: this test shows nothing")
	}
	must(t, e.scrub(t.Context(), restless))
	if left := bytes.Count(bytesOf(t, path), []byte(secret)); left > 0 {
		t.Errorf("got %d secrets in the files, want none", left)
	}
	if got := ask(t, e, "PRAGMA integrity_check"); len(got) != 1 || got[0] != "ok" {
		t.Errorf("got the integrity check %v, want ok", got)
	}
	if rows := ask(t, e, "SELECT 'one' FROM wide"); len(rows) < 1000 {
		t.Errorf("got %d rows, want those without secrets", len(rows))
	}
}

// mustSet sets a pragma of the connection that writes.
func (e *sqliteEngine) mustSet(t *testing.T, pragma string) {
	t.Helper()
	must(t, e.writer.borrow(t.Context(), func(c *sqliteConn) error {
		return c.Query(t.Context(), pragma, nil, func(Row) error { return nil })
	}))
}

// TestScrubWhileRead scrubs while a long transaction reads. The log cannot be emptied
// then; it can as soon as the transaction has ended.
func TestScrubWhileRead(t *testing.T) {
	t.Parallel()
	s, e, _ := openScrubbed(t)
	set := func(value string) { must(t, s.SetSetting(t.Context(), "text", value)) }
	set("before")
	must(t, e.read(t.Context(), func(c Conn) error {
		if _, err := SettingsIn(c).Get(t.Context(), "text"); err != nil {
			return err
		}
		set("after")
		if err := e.scrub(t.Context(), restless); !errors.Is(err, errLogInUse) {
			t.Errorf("while a transaction reads: got %v, want %v", err, errLogInUse)
		}
		value, err := SettingsIn(c).Get(t.Context(), "text")
		if value != "before" {
			t.Errorf("got %q in the transaction, want what was there before", value)
		}
		return err
	}))
	if err := e.scrub(t.Context(), restless); err != nil {
		t.Errorf("afterwards: got %v, want the log emptied", err)
	}
}

// TestTidyPage tidies pages of any content: it neither panics nor changes what is in use,
// and the second time changes nothing.
func TestTidyPage(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(r *rapid.T) {
		page := rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(r, "page")
		if len(page) > 0 {
			page[0] = rapid.SampledFrom([]byte{0, 1, 2, 5, 10, 13, 99}).Draw(r, "kind")
		}
		before := bytes.Clone(page)
		number := rapid.Uint32Range(1, 3).Draw(r, "number")
		if changed := tidyPage(number, page); changed == bytes.Equal(page, before) {
			r.Errorf("got changed %t of % x, which is now % x", changed, before, page)
		}
		if number > 1 && len(page) > 0 && page[0] < 2 && !bytes.Equal(page, before) {
			r.Errorf("a page that belongs to no tree was changed: % x", before)
		}
		once := bytes.Clone(page)
		if tidyPage(number, page) || !bytes.Equal(page, once) {
			r.Errorf("the second time: got % x changed to % x", once, page)
		}
	})
}
