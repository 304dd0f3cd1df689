package sqlitefile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// crashed is what a killed process has left: a database and its log.
type crashed struct{ file, log []byte }

const (
	pageSize  = 4096
	frameSize = 24 + pageSize
)

// crash makes a database with this many transactions in the file, and this many in
// the log, each of one row in t and one in its index.
func crash(t *testing.T, inFile, inLog int) crashed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	c := open(t, path)
	execute(t, c, "PRAGMA wal_autocheckpoint = 0")
	execute(t, c, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, weight REAL, data BLOB, none TEXT)")
	execute(t, c, "CREATE INDEX by_name ON t (name)")
	for i := range inFile + inLog {
		if i == inFile {
			execute(t, c, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
		execute(t, c, fmt.Sprintf("INSERT INTO t VALUES (%d, 'name %d', %d, %d.5, zeroblob(%d), NULL)", i, i*7919%1000,
			i*i*i-500, i, i*37%9000))
	}
	return crashed{read(t, path), read(t, path+"-wal")}
}

// write writes the files to a directory of their own and returns the path of the
// database.
func (c crashed) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	for name, content := range map[string][]byte{path: c.file, path + "-wal": c.log} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func open(t *testing.T, path string) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func execute(t *testing.T, c *sqlite.Conn, sql string) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(c, sql, nil); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// bySQLite returns how many rows SQLite reads. It changes the files.
func bySQLite(t *testing.T, path string) (rows int) {
	t.Helper()
	err := sqlitex.ExecuteTransient(open(t,
		path), "SELECT id FROM t", &sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error {
		rows++
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// commits returns how many transactions the first frames of a log complete.
func commits(log []byte, frames int) (complete int) {
	for i := range frames {
		if binary.BigEndian.Uint32(log[32+i*frameSize+4:]) != 0 {
			complete++
		}
	}
	return complete
}

// TestTornLog cuts the end of a log, or leaves a hole in its last transaction, as crashes
// do. It is read up to the last complete transaction, as SQLite does.
func TestTornLog(t *testing.T) {
	t.Parallel()
	random := repeatable.Rand(t)
	const inFile = 20
	whole := crash(t, inFile, 30)
	frames := len(whole.log) / frameSize
	for range 60 {
		torn := crashed{whole.file, append([]byte(nil), whole.log...)}
		if cut := random.IntN(len(torn.log)); random.IntN(2) == 0 {
			torn.log = torn.log[:cut]
		} else { // the last transaction reached the disk in part
			last := len(torn.log) - 2*frameSize
			at := last + random.IntN(frameSize)
			clear(torn.log[at:min(at+512, last+frameSize)])
		}
		path := torn.write(t)
		f, err := sqlitefile.Read(path)
		if err != nil {
			t.Fatalf("a log of %d bytes: got %v, want no error", len(torn.log), err)
		}
		if f.Log.Committed > f.Log.Valid || f.Log.Valid > f.Log.Frames || f.Log.Frames > frames {
			t.Errorf("got %+v, want committed <= valid <= frames <= %d", f.Log, frames)
		}
		got := inFile + commits(torn.log, f.Log.Committed)
		if want := bySQLite(t, path); got != want {
			t.Errorf("a log of %d bytes: got %d rows, want %d", len(torn.log), got, want)
		}
	}
}

// TestReusedLog has frames of an earlier time behind those of the present one.
func TestReusedLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	c := open(t, path)
	for _, sql := range []string{
		"PRAGMA wal_autocheckpoint = 0", "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d)",
		`WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 300)
			INSERT INTO t SELECT value, hex(randomblob(500)), value, value, value FROM n`,
		"PRAGMA wal_checkpoint(RESTART)", "UPDATE t SET b = 5 WHERE id = 17",
	} {
		execute(t, c, sql)
	}
	f, err := sqlitefile.Read(crashed{read(t, path), read(t, path+"-wal")}.write(t))
	if err != nil {
		t.Fatal(err)
	}
	if f.Log.Frames != 1 || f.Log.Valid != 1 || f.Log.Committed != 1 {
		t.Errorf("got %+v, want one frame", f.Log)
	}
}

// TestDamage changes one thing in each case.
func TestDamage(t *testing.T) {
	t.Parallel()
	sound := crash(t, 300, 30)
	for name, c := range map[string]struct {
		harm func(c *crashed)
		want sqlitefile.Kind
		text string
	}{
		"empty":         {func(c *crashed) { c.file = nil }, sqlitefile.NotDatabase, "not a database"},
		"magic":         {func(c *crashed) { c.file[3] ^= 1 }, sqlitefile.NotDatabase, "not a database"},
		"size of pages": {func(c *crashed) { c.file[16] ^= 1 }, sqlitefile.BadHeader, "size of pages"},
		"text encoding": {func(c *crashed) { c.file[56] ^= 1 }, sqlitefile.BadHeader, "text encoding"},
		"end missing": {func(c *crashed) {
			c.file = c.file[:20*pageSize]
		}, sqlitefile.Truncated, "its end is missing"},
		"log byte":           {func(c *crashed) { c.log[len(c.log)/2] ^= 1 }, sqlitefile.BadLog, "frames can be read"},
		"log zeroed":         {func(c *crashed) { clear(c.log) }, sqlitefile.BadLog, "its header is wrong"},
		"log header":         {func(c *crashed) { c.log[17] ^= 1 }, sqlitefile.BadLog, "its header is wrong"},
		"log page zeroed":    {func(c *crashed) { clear(c.log[32+5*frameSize:][:frameSize]) }, sqlitefile.BadLog, "5 of its"},
		"log salt of frame":  {func(c *crashed) { c.log[32+8] ^= 1 }, sqlitefile.BadLog, "0 of its"},
		"other size of page": {func(c *crashed) { c.log[10] ^= 0x30; resum(c.log) }, sqlitefile.OtherLog, "another size"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harmed := crashed{append([]byte(nil), sound.file...), append([]byte(nil), sound.log...)}
			c.harm(&harmed)
			_, err := sqlitefile.Read(harmed.write(t))
			var damage *sqlitefile.DamageError
			if !errors.As(err, &damage) || damage.Kind != c.want || !strings.Contains(damage.Problem, c.text) {
				t.Errorf("got %v, want %s with %q", err, c.want, c.text)
			}
		})
	}
}

// TestNoPanic reads databases with random bytes in random places.
func TestNoPanic(t *testing.T) {
	t.Parallel()
	random := repeatable.Rand(t)
	sound := crash(t, 100, 20)
	for range 300 {
		harmed := crashed{append([]byte(nil), sound.file...), append([]byte(nil), sound.log...)}
		for range 1 + random.IntN(20) {
			harmed.file[random.IntN(120)] = byte(random.IntN(256))
			harmed.log[random.IntN(len(harmed.log)/frameSize)*frameSize+random.IntN(120)] = byte(random.IntN(256))
		}
		_, _ = sqlitefile.Read(harmed.write(t))
	}
}

// resum makes the checksum of a log's header right again.
func resum(log []byte) {
	var a, b uint32
	for i := 0; i < 24; i += 8 {
		a += binary.LittleEndian.Uint32(log[i:]) + b
		b += binary.LittleEndian.Uint32(log[i+4:]) + a
	}
	binary.BigEndian.PutUint32(log[24:], a)
	binary.BigEndian.PutUint32(log[28:], b)
}
