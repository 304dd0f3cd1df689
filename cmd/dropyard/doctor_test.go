package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// files are the contents of the files of an installation, by path.
type files map[string][]byte

func readFiles(t *testing.T, dir string) files {
	t.Helper()
	all := files{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		all[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// write writes the files to a directory that only its owner may use.
func (all files) write(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	for name, content := range all {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, content, 0o600))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// installations are those that the cases of a test damage: stopped in order, and
// killed with changes in the log.
type installations struct{ stopped, killed files }

func install(t *testing.T) *installations {
	t.Helper()
	r := run{dir: testkit.FastDir(t)}
	data := filepath.Join(r.dir, "data")
	s := r.serve(t)
	partner := s.Register(t, "metro")
	order := func(n int) {
		partner.Create(t, testkit.OrderJSON(fmt.Sprint("D-", n), "")).Must(t, 201)
	}
	for n := range 40 {
		order(n)
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 {
		t.Fatalf("got exit code %d and log %s, want 0", code, log)
	}
	i := &installations{stopped: readFiles(t, data)}
	s = r.serve(t)
	partner.Service = s.Service
	for n := range 40 {
		order(100 + n)
	}
	// The mark knows the end of the log: it advances every 20 ms, in which a fast machine may
	// have created all of them.
	marked := func() string { return string(readFiles(t, data)[markFile]) }
	for n, before := 200, marked(); marked() == before; n++ {
		order(n)
	}
	s.signal(t, syscall.SIGKILL)
	i.killed = readFiles(t, data)
	return i
}

const (
	database = "dropyard.db"
	log      = database + "-wal"
	index    = database + "-shm"
	markFile = database + "-mark"
	keyFile  = "master.key"
	page     = 4096
)

// damage is a case of TestDamage.
type damage struct {
	killed  bool                                  // of the installation that was killed
	files   func(all files, other *installations) // changes the contents
	disk    func(t *testing.T, dir string)        // changes what is on disk
	refused string                                // text of the line with which serve ends; empty if it starts
	doctor  string                                // text of a finding of doctor; empty if it finds nothing
}

func flip(content []byte, at int) { content[at] ^= 0x55 }

var damages = map[string]damage{
	"nothing, stopped": {},
	"nothing, killed":  {killed: true},
	"index garbage": {
		killed: true, files: func(all files, _ *installations) { all[index] = bytes.Repeat([]byte("x"), 40000) },
	},
	"index missing": {killed: true, files: func(all files, _ *installations) { delete(all, index) }},
	"log torn": {killed: true, files: func(all files, _ *installations) {
		all[log] = append(all[log], all[log][len(all[log])-2000:]...)
	}},
	"mark missing": {killed: true, files: func(all files, _ *installations) { delete(all, markFile) }},
	"mark empty":   {killed: true, files: func(all files, _ *installations) { all[markFile] = nil }},
	"database and log missing": {files: func(all files, _ *installations) { delete(all, database) },
		refused: "is missing, but dropyard.db-mark says", doctor: "is missing, but dropyard.db-mark says"},
	"database missing": {killed: true, files: func(all files, _ *installations) { delete(all, database) },
		refused: "is missing, but its log is there", doctor: "its log is there"},
	"only the key is left": {files: func(all files, _ *installations) { delete(all, database); delete(all, markFile) },
		refused: "master.key was made for one", doctor: "master.key was made for one"},
	"database empty": {files: func(all files, _ *installations) { all[database] = nil },
		refused: "dropyard.db is empty", doctor: "dropyard.db is empty"},
	"database empty, no mark": {files: func(all files, _ *installations) { all[database] = nil; delete(all, markFile) },
		refused: "dropyard.db is empty, but data/master.key was made for one", doctor: "is empty"},
	"database truncated": {
		files:   func(all files, _ *installations) { all[database] = all[database][:len(all[database])/2] },
		refused: "its end is missing", doctor: "its end is missing",
	},
	"page zeroed": {files: func(all files, _ *installations) { clear(all[database][2*page : 3*page]) },
		refused: "page 3 is not a page of a table or an index", doctor: "page 3 is not a page"},
	"header flipped": {files: func(all files, _ *installations) { flip(all[database], 21) },
		refused: "the header is damaged", doctor: "the header is damaged"},
	"wrong magic": {files: func(all files, _ *installations) { flip(all[database], 0) },
		refused: "is not a database of SQLite", doctor: "is not a database of SQLite"},
	"text": {files: func(all files, _ *installations) { all[database] = []byte("hello") },
		refused: "is not a database of SQLite", doctor: "is not a database of SQLite"},
	"other application": {disk: func(t *testing.T, dir string) {
		must(t, os.Remove(filepath.Join(dir, database)))
		execute(t, filepath.Join(dir, database), "CREATE TABLE recipes (name TEXT)")
	}, refused: "is a database of another application", doctor: "is a database of another application"},
	"newer schema": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	}, refused: "belongs to a newer release", doctor: "belongs to a newer release"},
	"log deleted": {killed: true, files: func(all files, _ *installations) { delete(all, log) },
		refused: "its log dropyard.db-wal is missing or empty", doctor: "is missing or empty"},
	"log emptied": {killed: true, files: func(all files, _ *installations) { all[log] = nil },
		refused: "is missing or empty", doctor: "is missing or empty"},
	"log flipped in the middle": {
		killed: true, files: func(all files, _ *installations) { flip(all[log], len(all[log])/2) },
		refused: "frames can be read, and complete transactions follow", doctor: "the log is damaged",
	},
	"log cut in the middle": {
		killed: true, files: func(all files, _ *installations) { all[log] = all[log][:len(all[log])/4] },
		refused: "the end of its log is missing", doctor: "the end of its log is missing",
	},
	"log header flipped": {killed: true, files: func(all files, _ *installations) { flip(all[log], 9) },
		refused: "its header is wrong", doctor: "its header is wrong"},
	"log of another database": {
		killed: true, files: func(all files, other *installations) { all[log] = other.killed[log] },
		refused: "the log belongs to another database", doctor: "the log belongs to another database",
	},
	"older copy": {
		killed: true, files: func(all files, i *installations) { all[database] = i.stopped[database]; delete(all, log) },
		refused: "has lost changes that were acknowledged", doctor: "has lost changes",
	},
	"directory instead of database": {disk: func(t *testing.T, dir string) {
		must(t, os.Remove(filepath.Join(dir, database)))
		must(t, os.Mkdir(filepath.Join(dir, database), 0o700))
	}, refused: "dropyard.db is not a file", doctor: "dropyard.db is not a file"},
	"directory instead of log": {disk: func(t *testing.T, dir string) {
		must(t, os.Mkdir(filepath.Join(dir, log), 0o700))
	}, refused: "the database cannot be read", doctor: "cannot be read"},
	"key missing": {files: func(all files, _ *installations) { delete(all, keyFile) },
		refused: "the master key is missing", doctor: "the master key is missing"},
	"key of another database": {files: func(all files, other *installations) { all[keyFile] = other.killed[keyFile] },
		refused: "is not the key that the database was set up with", doctor: "is not the key"},
	"key truncated": {files: func(all files, _ *installations) { all[keyFile] = all[keyFile][:20] },
		refused: "does not hold 32 bytes", doctor: "does not hold 32 bytes"},
	"key open to others": {disk: func(t *testing.T, dir string) {
		must(t, os.Chmod(filepath.Join(dir, keyFile), 0o644))
	}, refused: "run chmod 600", doctor: "run chmod 600"},
	"directory writable by others": {disk: func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o777)) },
		refused: "can be written by every user", doctor: "can be written by every user"},
	"directory readable by others": {disk: func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o755)) },
		doctor: "is open to other users"},
	"rows without their index": {disk: func(t *testing.T, dir string) { disagree(t, filepath.Join(dir, database)) },
		doctor: "missing from index orders_by_status"},
	"row without the one it refers to": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO sessions (token_hash, session_id, partner_id, user_id, address, agent, created_at, last_seen_at) VALUES (x'00', '', 'par_none', '', '', '', 0, 0)")
	}, doctor: "a row of sessions refers to none of partners"},
	"order that the board lacks": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "DELETE FROM open_orders WHERE partner_order_id = 'D-7'")
	}, doctor: "as of version 0, want 1"},
	"entry that does not add up": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO journal_lines VALUES ('par_x', 1, 'e', 'charges', '', 'CAD', 5)")
	}, doctor: "the entry e of the journal is off by 5 cents CAD"},
	"statement whose number leaves a gap": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO statements VALUES ('par_x', 2, 24322, 0, '', 0)")
	}, doctor: "the statements of the partner par_x are not numbered from 1 without gaps"},
	"exports that leave out a day": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO export_days VALUES (20000, 1, 1, 'a', 0, 0, ''), (20002, 1, 1, 'b', 0, 0, '')")
	}, doctor: "the day 20002 of the exports is behind one that was not exported"},
	"exported rows of a day that is missing": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO export_rows VALUES ('par_x', 'orders', 'a', 20000)")
	}, doctor: "rows are in the files of the day 20000, which is missing"},
	"entry on a statement that is missing": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), "INSERT INTO statement_entries VALUES ('par_x', 'e', 1)")
	}, doctor: "the entry e is on a statement that is missing"},
	"delivery that was charged twice": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), entryOf("a", "delivery"), entryOf("b", "delivery"))
	}, doctor: "the journal has 2 entries for the delivery of the order ord_x"},
	"cash that was collected twice": {disk: func(t *testing.T, dir string) {
		execute(t, filepath.Join(dir, database), entryOf("a", "unconfirmed"), entryOf("b", "collection"),
			entryOf("c", "delivery"), entryOf("d", "correction"))
	}, doctor: "the journal has 2 entries for the collection of the order ord_x"},
}

// entryOf returns a statement that adds an entry without lines to the journal, of an order that does not exist.
func entryOf(id, act string) string {
	return fmt.Sprintf("INSERT INTO journal VALUES ('par_x', 1, '%s', 0, 0, '%s', 'ord_x', '', '', '')", id, act)
}

// execute runs statements on a database, and leaves no log.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	must(t, err)
	for _, statement := range statements {
		must(t, sqlitex.ExecuteTransient(c, statement, nil))
	}
	must(t, c.Close())
}

// disagree changes orders behind the back of an index.
func disagree(t *testing.T, path string) {
	t.Helper()
	const where = "WHERE name = 'orders_by_status'"
	execute(t, path, "CREATE TABLE hidden AS SELECT * FROM sqlite_schema "+where,
		"PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema "+where)
	execute(t, path, "UPDATE orders SET status = 'accepted'")
	execute(t, path, "PRAGMA writable_schema = ON", "INSERT INTO sqlite_schema SELECT * FROM hidden")
	execute(t, path, "DROP TABLE hidden")
}

// TestDamage damages an installation in one way at a time. serve either starts, or ends
// within three seconds (at full length) with one line that says what to do, and leaves every file as it
// was; and doctor reports the fault.
func TestDamage(t *testing.T) {
	t.Parallel()
	sound, other := install(t), install(t)
	t.Logf("%d kinds of damage", len(damages))
	for name, c := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run{dir: testkit.FastDir(t)}
			dir := filepath.Join(r.dir, "data")
			all := maps.Clone(sound.stopped)
			if c.killed {
				all = maps.Clone(sound.killed)
			}
			for name, content := range all {
				all[name] = slices.Clone(content)
			}
			if c.files != nil {
				i := &installations{stopped: sound.stopped, killed: other.killed}
				c.files(all, i)
			}
			all.write(t, dir)
			if c.disk != nil {
				c.disk(t, dir)
			}
			r.checkDoctor(t, c.doctor)
			r.checkServe(t, c.refused)
		})
	}
}

func (r run) checkDoctor(t *testing.T, want string) {
	t.Helper()
	before := readFiles(t, r.dir)
	got := r.do(t, "doctor")
	if want == "" && (got.code != 0 || !strings.Contains(got.stdout, "no fault found")) {
		t.Errorf("doctor: got %+v, want no fault", got)
	}
	if want != "" && (got.code != 1 || !strings.Contains(got.stdout, "fault: ") || !strings.Contains(got.stdout, want)) {
		t.Errorf("doctor: got %+v, want exit code 1 and %q", got, want)
	}
	r.checkUnchanged(t, "doctor", before)
}

func (r run) checkServe(t *testing.T, want string) {
	t.Helper()
	if want == "" {
		s := r.serve(t)
		s.Do(t, "GET", "/v1/health", nil).Must(t, 200)
		s.signal(t, syscall.SIGTERM)
		return
	}
	before, start := readFiles(t, r.dir), time.Now()
	got := r.do(t, "serve", "--listen", "127.0.0.1:0")
	if end := time.Now(); testkit.NeedFullLength.Find() == nil && end.After(start.Add(3*time.Second)) {
		t.Errorf("serve ended after %v, want at most 3s", end.Sub(start))
	}
	if got.code != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, want) {
		t.Errorf("serve: got %+v, want exit code 1 and one line with %q", got, want)
	}
	if !strings.Contains(got.stderr, ": ") && !strings.Contains(got.stderr, ";") {
		t.Errorf("serve: got %q, want what to do", got.stderr)
	}
	r.checkUnchanged(t, "serve", before)
}

// checkUnchanged compares the files with those of before. Only the index of the log may
// have changed: SQLite makes it again whenever it opens the database.
func (r run) checkUnchanged(t *testing.T, command string, before files) {
	t.Helper()
	after := readFiles(t, r.dir)
	delete(before, filepath.Join("data", index))
	delete(after, filepath.Join("data", index))
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s has created %s", command, name)
		}
	}
	for name, content := range before {
		if !bytes.Equal(content, after[name]) {
			t.Errorf("%s has changed %s", command, name)
		}
	}
}

// TestPermissions runs as a user who may not do everything to the files.
func TestPermissions(t *testing.T) {
	t.Parallel()
	sound, program := install(t), programForAll(t)
	for name, c := range map[string]struct {
		path string // in the data directory
		mode os.FileMode
		want string
	}{
		"unreadable database": {database, 0o000, "the database cannot be read"},
		"read-only database":  {database, 0o400, "the database cannot be written"},
		"read-only directory": {".", 0o500, "the folder of the database cannot be written"},
		"unreadable key":      {keyFile, 0o000, "read the master key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run{dir: t.TempDir()}
			dir := filepath.Join(r.dir, "data")
			sound.stopped.write(t, dir)
			r.asNobody(t, program)
			must(t, os.Chmod(filepath.Join(dir, c.path), c.mode))
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, c.path), 0o700) })
			if got := r.do(t, "serve", "--listen", "127.0.0.1:0"); got.code != 1 || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, c.want) {
				t.Errorf("serve: got %+v, want exit code 1 and one line with %q", got, c.want)
			}
			if got := r.do(t, "doctor"); got.code != 1 || !strings.Contains(got.stdout, c.want) {
				t.Errorf("doctor: got %+v, want exit code 1 and %q", got, c.want)
			}
		})
	}
}

// TestDataOfAnotherUser starts the service as a user who may not open the data directory.
func TestDataOfAnotherUser(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir()}
	r.asNobody(t, programForAll(t))
	if r.program == "" {
		t.Skip("only root can make a directory of another user")
	}
	must(t, os.Mkdir(filepath.Join(r.dir, "data"), 0o700))
	if got := r.do(t, "serve", "--listen", "127.0.0.1:0"); got.code != 1 ||
		!strings.Contains(got.stderr, "belongs to another user: run the program as that one") {
		t.Errorf("got %+v, want exit code 1 and what to do", got)
	}
}

// programForAll returns a program that every user may run; empty if the tests do not run as
// root, whom no permission stops.
func programForAll(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return ""
	}
	program, err := os.ReadFile(os.Args[0])
	must(t, err)
	dir := t.TempDir()
	path := filepath.Join(dir, "dropyard")
	must(t, os.WriteFile(path, program, 0o755))
	for range 2 { // made for the user of the tests alone
		must(t, os.Chmod(dir, 0o755))
		dir = filepath.Dir(dir)
	}
	return path
}

// asNobody lets the program run as a user with few rights who owns the files of the
// directory. The program is empty unless that is necessary.
func (r *run) asNobody(t *testing.T, program string) {
	t.Helper()
	if program == "" {
		return
	}
	const nobody = 65534
	r.program, r.user = program, nobody
	must(t, os.Chmod(filepath.Dir(r.dir), 0o755)) // made for the user of the tests alone
	must(t, filepath.WalkDir(r.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, nobody, nobody))
	}))
}

// TestNewDatabase gives up a database that is missing, only if that is asked for.
func TestNewDatabase(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	data := filepath.Join(r.dir, "data")
	s := r.serve(t)
	s.signal(t, syscall.SIGTERM)
	if got := r.do(t, "serve", "--listen", "127.0.0.1:0", "--new-database"); got.code != 1 ||
		!strings.Contains(got.stderr, "exists already") {
		t.Errorf("beside a database: got %+v, want exit code 1 and that it exists", got)
	}
	must(t, os.Remove(filepath.Join(data, database)))
	for _, command := range [][]string{
		{"serve", "--listen", "127.0.0.1:0"}, {"migrate"}, {"operator", "add", "new@example.com"},
	} {
		with := r
		if command[0] == "operator" {
			with.env = []string{"DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword}
		}
		if got := with.do(t, command...); got.code == 0 || !strings.Contains(got.stderr, "is missing") {
			t.Errorf("%v: got %+v, want an error, because the database is missing", command, got)
		}
	}
	must(t, os.WriteFile(filepath.Join(data, log), []byte("changes"), 0o600))
	if got := r.do(t, "serve", "--listen", "127.0.0.1:0", "--new-database"); got.code != 1 ||
		!strings.Contains(got.stderr, "move the log away") {
		t.Errorf("beside a log: got %+v, want exit code 1 and to move the log away", got)
	}
	must(t, os.Remove(filepath.Join(data, log)))
	r.env = []string{"DROPYARD_NEW_DATABASE=true"}
	s = r.serve(t)
	s.signal(t, syscall.SIGTERM)
	r.env = nil
	s = r.serve(t)
	s.signal(t, syscall.SIGTERM)
}

// TestKeyOfOperator starts with a key that an operator has put into an empty directory,
// and again beside a key in another place after the directory was emptied.
func TestKeyOfOperator(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	data := filepath.Join(r.dir, "data")
	must(t, os.Mkdir(data, 0o700))
	must(t, os.WriteFile(filepath.Join(data, keyFile), []byte(strings.Repeat("ab", 32)), 0o600))
	r.serve(t).signal(t, syscall.SIGTERM)
	must(t, os.Rename(filepath.Join(data, keyFile), filepath.Join(r.dir, "key")))
	must(t, os.RemoveAll(data))
	r.env = []string{"DROPYARD_MASTER_KEY_FILE=" + filepath.Join(r.dir, "key")}
	r.serve(t).signal(t, syscall.SIGTERM)
}

// TestSecondService starts two services on one directory. Commands that only need the
// database run beside the first, which is killed; then the second may start.
func TestSecondService(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	got := r.do(t, "serve", "--listen", "127.0.0.1:0")
	if got.code != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "./data") ||
		!strings.Contains(got.stderr, "is using it") {
		t.Errorf("second service: got %+v, want exit code 1 and one line with the directory", got)
	}
	if got := r.do(t, "doctor"); got.code != 0 || !strings.Contains(got.stdout, "is in use") {
		t.Errorf("doctor: got %+v, want exit code 0 and that the database is in use", got)
	}
	if got := r.do(t, "migrate"); got.code != 0 {
		t.Errorf("migrate: got %+v, want exit code 0", got)
	}
	s.Do(t, "GET", "/v1/health", nil).Must(t, 200)
	s.signal(t, syscall.SIGKILL)
	r.serve(t).signal(t, syscall.SIGTERM)
}

// TestDirectoryDeleted deletes the data directory under a service that creates orders:
// none is acknowledged from then on.
func TestDirectoryDeleted(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	partner.Create(t, testkit.OrderJSON("before", "")).Must(t, 201)
	must(t, os.RemoveAll(filepath.Join(r.dir, "data")))
	for n := range 20 {
		partner.Create(t, testkit.OrderJSON(fmt.Sprint("after-", n), "")).Refused(t, 503, "unavailable")
	}
	s.Do(t, "GET", "/v1/ready", nil).Must(t, 503)
	if _, printed := s.signal(t, syscall.SIGTERM); strings.Count(printed, "changes are refused") != 1 {
		t.Errorf("got log %s, want one line that changes are refused", printed)
	}
}

// TestDamageUnderWay overwrites pages of a database that a service has open. As soon as
// a request meets them, no more orders are created.
func TestDamageUnderWay(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	for n := range 20 {
		partner.Create(t, testkit.OrderJSON(fmt.Sprint("before-", n), "")).Must(t, 201)
	}
	s.signal(t, syscall.SIGTERM) // everything is in the file now
	s = r.serve(t)
	partner.Service = s.Service
	path := filepath.Join(r.dir, "data", database)
	info, err := os.Stat(path)
	must(t, err)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteAt(bytes.Repeat([]byte{0xa5}, int(info.Size())-page), page)
	must(t, errors.Join(err, file.Close()))
	partner.Call(t, "GET", "/v1/orders", nil).Refused(t, 503, "unavailable")
	for n := range 5 {
		partner.Create(t, testkit.OrderJSON(fmt.Sprint("later-", n), "")).Refused(t, 503, "unavailable")
	}
	s.Do(t, "GET", "/v1/ready", nil).Must(t, 503)
	if _, printed := s.signal(t, syscall.SIGKILL); strings.Count(printed, "changes are refused until a restart") != 1 {
		t.Errorf("got log %s, want one line that changes are refused", printed)
	}
}

// TestDoctorUsage expects exit code 2 for settings that are wrong.
func TestDoctorUsage(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"doctor --listen nowhere", "doctor --database mysql://x", "doctor --data=", "doctor now",
	} {
		if got := (run{}).do(t, strings.Fields(args)...); got.code != 2 || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: got %+v, want exit code 2 and one line", args, got)
		}
	}
	if got := (run{}).do(t, "doctor"); got.code != 1 || !strings.Contains(got.stdout, "does not exist: set --data") {
		t.Errorf("without a directory: got %+v, want exit code 1 and to set --data", got)
	}
}
