package backup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/db/backup"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const partnerID = "par_00000001"

// add stores order number n and, in the same transaction, its receipt.
func add(ctx context.Context, s *store.Store, n int) error {
	at := testkit.Epoch.Add(time.Duration(n) * time.Second)
	id, err := delivery.NewOrderID(testkit.NewRandom(byte(n)), partnerID, at)
	if err != nil {
		return err
	}
	made := testkit.Order(partnerID, id, "R-"+strconv.Itoa(n), at)
	changes := &order.Changes{
		Created: []order.Creation{{Order: made, Document: record.Encode(made)}},
		Receipts: []*idempotency.Receipt{
			{Request: idempotency.Request{Key: receiptKey(n)}, OrderID: id, CreatedAt: at, OfCreation: true},
		},
	}
	return s.Orders().Write(ctx, func(tx order.Writer) error {
		return order.Apply(ctx, tx, changes)
	})
}

func receiptKey(n int) idempotency.Key {
	return idempotency.Key{PartnerID: partnerID, Scope: "POST /v1/orders", UUID: [16]byte{byte(n >> 8), byte(n)}}
}

// fill creates a database with some orders, and closes it.
func fill(t *testing.T, orders int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "dropyard.db")
	s := openFile(t, path)
	for n := range orders {
		if err := add(t.Context(), s, n+1); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkPrefix checks that a database holds the orders from 1 to one of them, each
// with its receipt, and returns the number of that one.
func checkPrefix(t *testing.T, path string) (last int) {
	t.Helper()
	s := openFile(t, path)
	defer func() { _ = s.Close() }()
	err := s.Orders().Read(t.Context(), func(tx order.Reader) error {
		found, _, err := tx.Orders(t.Context(), order.Filter{PartnerID: partnerID, Limit: 1 << 20})
		if err != nil {
			return err
		}
		last = len(found)
		keys := make([]idempotency.Key, last+1) // one more than there may be
		for i := range keys {
			keys[i] = receiptKey(i + 1)
		}
		state, err := tx.Peek(t.Context(), &order.Needs{Receipts: keys})
		if err == nil && len(state.Receipts) != last {
			t.Errorf("got %d receipts, want one for each of %d orders", len(state.Receipts), last)
		}
		for i, o := range found {
			if want := "R-" + strconv.Itoa(last-i); o.PartnerOrderID != want {
				t.Errorf("order %d of %d: got %s, want %s", last-i, last, o.PartnerOrderID, want)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// TestBackupDuringWrites: a backup holds all orders up to one of them, and at
// least those that were acknowledged before it began.
func TestBackupDuringWrites(t *testing.T) {
	t.Parallel()
	path := fill(t, 1)
	s := openFile(t, path)
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	var mu sync.Mutex
	acknowledged := 1
	writer.Go(func() {
		for n := 2; ctx.Err() == nil; n++ {
			if err := add(context.WithoutCancel(ctx), s, n); err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			acknowledged = n
			mu.Unlock()
		}
	})
	dir := t.TempDir()
	for i := range 4 {
		mu.Lock()
		before := acknowledged
		mu.Unlock()
		file := filepath.Join(dir, fmt.Sprint("backup", i))
		made, err := store.Backups.Write(t.Context(), path, file)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, fmt.Sprint("restored", i))
		restored, err := store.Backups.Restore(t.Context(), file, target, false, testkit.Epoch)
		if err != nil {
			t.Fatal(err)
		}
		if restored.Contents != *made || !restored.Checked || restored.Aside != "" || made.Tables < 15 {
			t.Errorf("restored: got %+v, want %+v, of at least 15 tables, with a checksum", restored, made)
		}
		if last := checkPrefix(t, target); last < before {
			t.Errorf("got %d orders in the backup, want at least the %d that were acknowledged before", last, before)
		}
	}
	stop()
	writer.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if last := checkPrefix(t, path); last != acknowledged {
		t.Errorf("got %d orders, want the %d that were acknowledged", last, acknowledged)
	}
	checkNames(t, dir, 4*4) // a backup, its checksum, what was restored and its mark
}

// checkNames checks that a folder holds so many files, all of them private, and
// none that was meant to be temporary.
func checkNames(t *testing.T, dir string, want int) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(file.Name(), ".partial-") {
			t.Errorf("%s: got mode %v, %v, want 0600 and no temporary name", file.Name(), info.Mode(), err)
		}
	}
	if len(files) != want {
		t.Errorf("got %d files, want %d: %v", len(files), want, files)
	}
}

// TestBackupIsOneFile: a backup is not in WAL mode, so that it needs no log.
func TestBackupIsOneFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := store.Backups.Write(t.Context(), fill(t, 3), file); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil || content[18] != 1 || content[19] != 1 {
		t.Errorf("read and write version: got %v, %v, want 1 and 1, which is not WAL", content[18:20], err)
	}
	checkNames(t, filepath.Dir(file), 2)
}

// TestBackupRefusals: a refused backup leaves no file.
func TestBackupRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := fill(t, 1)
	if _, err := store.Backups.Write(t.Context(), path, taken); !errors.Is(err, backup.ErrExists) {
		t.Errorf("over a file: got %v, want ErrExists", err)
	}
	if _, err := store.Backups.Write(t.Context(), filepath.Join(dir, "missing"),
		filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a database that does not exist: got %v, want os.ErrNotExist", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Backups.Write(ended, path, filepath.Join(dir, "b")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: got %v, want context.Canceled", err)
	}
	migrateBeyond(t, path)
	if _, err := store.Backups.Write(t.Context(), path, filepath.Join(dir, "b")); !errors.Is(err, db.ErrNewerSchema) {
		t.Errorf("of the database of a newer release: got %v, want ErrNewerSchema", err)
	}
	checkNames(t, dir, 1)
	if content, _ := os.ReadFile(taken); string(content) != "mine" {
		t.Errorf("the file that was there: got %q, want mine", content)
	}
}

// execute runs SQL on a file that is not open.
func execute(t *testing.T, path, text string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(c, text, nil), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// migrateBeyond gives a database a schema that this release does not know.
func migrateBeyond(t *testing.T, path string) {
	t.Helper()
	execute(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
}

// TestRestoreRefusesDamage: a damaged backup is refused and leaves no file.
func TestRestoreRefusesDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm func(content []byte) []byte
		// seen is true if the damage can be seen without the checksum.
		seen bool
	}{
		"a letter": {
			func(b []byte) []byte { at := strings.LastIndex(string(b), "express"); b[at] = 'a'; return b }, false,
		},
		"half a file":  {func(b []byte) []byte { return b[:len(b)/2] }, true},
		"nothing":      {func([]byte) []byte { return nil }, true},
		"not SQLite":   {func([]byte) []byte { return []byte(strings.Repeat("nonsense", 1000)) }, true},
		"a page":       {func(b []byte) []byte { copy(b[4096*3:4096*4], make([]byte, 4096)); return b }, true},
		"the first":    {func(b []byte) []byte { copy(b[100:4096], make([]byte, 4096)); return b }, true},
		"letters more": {func(b []byte) []byte { return append(b, "more"...) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, target := filepath.Join(dir, "backup"), filepath.Join(dir, "target")
			if _, err := store.Backups.Write(t.Context(), fill(t, 20), file); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, c.harm(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Backups.Restore(t.Context(), file, target, false,
				testkit.Epoch); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
			checkNames(t, dir, 2)
			if err := os.Remove(file + ".sha256"); err != nil {
				t.Fatal(err)
			}
			made, err := store.Backups.Restore(t.Context(), file, target, false, testkit.Epoch)
			if c.seen && !errors.Is(err, backup.ErrDamaged) || !c.seen && (err != nil || made.Checked) {
				t.Errorf("without a checksum: got %+v, %v, want ErrDamaged: %t", made, err, c.seen)
			}
		})
	}
}

// TestRestoreRefusals: a refused restore changes no file.
func TestRestoreRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "backup")
	path := fill(t, 5)
	if _, err := store.Backups.Write(t.Context(), path, file); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Backups.Restore(t.Context(), file, path, false, testkit.Epoch); !errors.Is(err, backup.ErrExists) {
		t.Errorf("over a database: got %v, want ErrExists", err)
	}
	if _, err := store.Backups.Restore(t.Context(), path, path, true, testkit.Epoch); err == nil {
		t.Error("of a database from itself: got no error")
	}
	s := openFile(t, path)
	if _, err := store.Backups.Restore(t.Context(), file, path, true, testkit.Epoch); !errors.Is(err, backup.ErrInUse) {
		t.Errorf("over a database in use: got %v, want ErrInUse", err)
	}
	if err := store.Backups.CheckUnused(t.Context(), path); !errors.Is(err, backup.ErrInUse) {
		t.Errorf("check of a database in use: got %v, want ErrInUse", err)
	}
	if err := add(t.Context(), s, 6); err != nil {
		t.Errorf("the store that has the database open: %v", err)
	}
	if _, err := store.Backups.Restore(t.Context(), path, filepath.Join(dir, "b"), false, testkit.Epoch); err == nil {
		t.Error("of a database with a log: got no error")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if last := checkPrefix(t, path); last != 6 {
		t.Errorf("got %d orders, want those of before", last)
	}
	if err := os.Remove(file + ".sha256"); err != nil {
		t.Fatal(err)
	}
	migrateBeyond(t, file)
	if _, err := store.Backups.Restore(t.Context(), file, filepath.Join(dir, "b"), false,
		testkit.Epoch); !errors.Is(err, db.ErrNewerSchema) {
		t.Errorf("of a newer release: got %v, want ErrNewerSchema", err)
	}
	execute(t, file, "DELETE FROM goose_db_version WHERE version_id = 999; PRAGMA foreign_keys = OFF; "+
		"INSERT INTO sessions (token_hash, session_id, partner_id, user_id, address, agent, created_at, last_seen_at) VALUES (x'00', '', 'par_none', '', '', '', 0, 0)")
	if _, err := store.Backups.Restore(t.Context(), file, filepath.Join(dir, "b"), false,
		testkit.Epoch); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("with a row that refers to none: got %v, want ErrDamaged", err)
	}
	checkNames(t, dir, 1)
}

// TestRestoreByForce: a database that is replaced is renamed, unchanged, together
// with a log that a crash has left, even if it is damaged.
func TestRestoreByForce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := store.Backups.Write(t.Context(), fill(t, 5), file); err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func(t *testing.T, path string){
		"sound":   func(*testing.T, string) {},
		"damaged": func(t *testing.T, path string) { write(t, path, strings.Repeat("nonsense", 1000)) },
		"a log": func(t *testing.T, path string) {
			write(t, path, strings.Repeat("nonsense", 1000))
			write(t, path+"-wal", "log")
		},
		"only log": func(t *testing.T, path string) { _ = os.Remove(path); write(t, path+"-wal", "log") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fill(t, 9)
			harm(t, path)
			before, _ := os.ReadFile(path)
			made, err := store.Backups.Restore(t.Context(), file, path, true, testkit.Epoch)
			if err != nil {
				t.Fatal(err)
			}
			if last := checkPrefix(t, path); last != 5 {
				t.Errorf("got %d orders, want those of before", last)
			}
			if after, _ := os.ReadFile(made.Aside); name != "sound" && string(after) != string(before) {
				t.Errorf("%s: got other content than before", made.Aside)
			}
			if name == "sound" && checkPrefix(t, made.Aside) != 9 {
				t.Errorf("%s: got fewer than 9 orders", made.Aside)
			}
			if log, _ := os.ReadFile(made.Aside + "-wal"); name == "only log" && string(log) != "log" {
				t.Errorf("%s-wal: got %q, want log", made.Aside, log)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
