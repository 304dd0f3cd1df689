package store_test

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
		Created:  []order.Creation{{Order: made, Document: record.Encode(made)}},
		Receipts: []*idempotency.Receipt{{Key: receiptKey(n), OrderID: id, CreatedAt: at, OfCreation: true}},
	}
	return s.Orders().Write(ctx, func(tx order.Writer) error {
		return order.Apply(ctx, tx, changes)
	})
}

func receiptKey(n int) idempotency.Key {
	return idempotency.Key{PartnerID: partnerID, Scope: "POST /v1/orders", UUID: [16]byte{byte(n >> 8), byte(n)}}
}

// fill makes a database with some orders, and closes it.
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

// checkPrefix makes sure that a database has the orders from 1 to the last with
// their receipts, and no others.
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
			if o.PartnerOrderID != "R-"+strconv.Itoa(last-i) {
				t.Errorf("order %d is %s", last-i, o.PartnerOrderID)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// TestBackupWhileWriting: every backup has all orders up to one of them, and
// at least those acknowledged before it began.
func TestBackupWhileWriting(t *testing.T) {
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
		backup := filepath.Join(dir, fmt.Sprint("backup", i))
		made, err := store.Backup(t.Context(), path, backup)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, fmt.Sprint("restored", i))
		restored, err := store.Restore(t.Context(), backup, target, false)
		if err != nil {
			t.Fatal(err)
		}
		if *made != *restored || !made.Summed || made.Tables < 15 {
			t.Errorf("backed up %+v, restored %+v", made, restored)
		}
		if last := checkPrefix(t, target); last < before {
			t.Errorf("%d orders were acknowledged before, %d are in the backup", before, last)
		}
	}
	stop()
	writer.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if last := checkPrefix(t, path); last != acknowledged {
		t.Errorf("%d orders after %d were acknowledged", last, acknowledged)
	}
	checkNames(t, dir, 4*3)
}

// checkNames makes sure that a folder has so many files, all private, and
// nothing that was meant to be temporary.
func checkNames(t *testing.T, dir string, want int) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(file.Name(), ".partial-") {
			t.Errorf("%s has mode %v (%v)", file.Name(), info.Mode(), err)
		}
	}
	if len(files) != want {
		t.Errorf("%d files, want %d: %v", len(files), want, files)
	}
}

// TestBackupIsOneFile that needs no log beside it.
func TestBackupIsOneFile(t *testing.T) {
	t.Parallel()
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := store.Backup(t.Context(), fill(t, 3), backup); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(backup)
	if err != nil || content[18] != 1 || content[19] != 1 {
		t.Errorf("it is in WAL mode: %v %v", content[18:20], err)
	}
	checkNames(t, filepath.Dir(backup), 2)
}

// TestBackupRefusals leave nothing behind.
func TestBackupRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := fill(t, 1)
	if _, err := store.Backup(t.Context(), path, taken); !errors.Is(err, store.ErrExists) {
		t.Errorf("over a file: %v", err)
	}
	if _, err := store.Backup(t.Context(), filepath.Join(dir, "missing"), filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Backup(ended, path, filepath.Join(dir, "b")); !errors.Is(err, context.Canceled) {
		t.Errorf("for nobody: %v", err)
	}
	migrateBeyond(t, path)
	if _, err := store.Backup(t.Context(), path, filepath.Join(dir, "b")); !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("of a newer release's database: %v", err)
	}
	checkNames(t, dir, 1)
	if content, _ := os.ReadFile(taken); string(content) != "mine" {
		t.Errorf("it now holds %q", content)
	}
}

// execute runs SQL on a file that nobody has open.
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

func migrateBeyond(t *testing.T, path string) {
	t.Helper()
	execute(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
}

// TestRestoreRefusesDamage, and touches nothing.
func TestRestoreRefusesDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm func(content []byte) []byte
		// alone: it shows without the checksum
		alone bool
	}{
		"a letter":     {func(b []byte) []byte { at := strings.Index(string(b), "Alex Martin"); b[at] = 'a'; return b }, false},
		"half a file":  {func(b []byte) []byte { return b[:len(b)/2] }, true},
		"nothing":      {func([]byte) []byte { return nil }, true},
		"no database":  {func([]byte) []byte { return []byte(strings.Repeat("nonsense", 1000)) }, true},
		"a page":       {func(b []byte) []byte { copy(b[4096*3:4096*4], make([]byte, 4096)); return b }, true},
		"the first":    {func(b []byte) []byte { copy(b[100:4096], make([]byte, 4096)); return b }, true},
		"letters more": {func(b []byte) []byte { return append(b, "more"...) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			backup, target := filepath.Join(dir, "backup"), filepath.Join(dir, "target")
			if _, err := store.Backup(t.Context(), fill(t, 20), backup); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(backup)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(backup, c.harm(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Restore(t.Context(), backup, target, false); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("got %v", err)
			}
			checkNames(t, dir, 2)
			if err := os.Remove(backup + ".sha256"); err != nil {
				t.Fatal(err)
			}
			made, err := store.Restore(t.Context(), backup, target, false)
			if c.alone && !errors.Is(err, store.ErrDamaged) || !c.alone && (err != nil || made.Summed) {
				t.Errorf("without a checksum: %+v, %v", made, err)
			}
		})
	}
}

// TestRestoreRefusals touch nothing.
func TestRestoreRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backup := filepath.Join(dir, "backup")
	path := fill(t, 5)
	if _, err := store.Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Restore(t.Context(), backup, path, false); !errors.Is(err, store.ErrExists) {
		t.Errorf("over a database: %v", err)
	}
	if _, err := store.Restore(t.Context(), path, path, true); err == nil {
		t.Error("a database was restored from itself")
	}
	s := openFile(t, path)
	if _, err := store.Restore(t.Context(), backup, path, true); !errors.Is(err, store.ErrInUse) {
		t.Errorf("over a database in use: %v", err)
	}
	if _, err := store.OpenSQLiteAlone(t.Context(), path); !errors.Is(err, store.ErrInUse) {
		t.Errorf("opened alone beside another: %v", err)
	}
	if err := add(t.Context(), s, 6); err != nil {
		t.Errorf("whoever uses it was disturbed: %v", err)
	}
	if _, err := store.Restore(t.Context(), path, filepath.Join(dir, "b"), false); err == nil {
		t.Error("a database with a log was taken for a backup")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if last := checkPrefix(t, path); last != 6 {
		t.Errorf("the last order is %d", last)
	}
	if err := os.Remove(backup + ".sha256"); err != nil {
		t.Fatal(err)
	}
	migrateBeyond(t, backup)
	if _, err := store.Restore(t.Context(), backup, filepath.Join(dir, "b"), false); !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("of a newer release: %v", err)
	}
	execute(t, backup, "DELETE FROM goose_db_version WHERE version_id = 999; PRAGMA foreign_keys = OFF; "+
		"INSERT INTO sessions (token_hash, partner_id, created_at, last_seen_at) VALUES (x'00', 'par_nobody', 0, 0)")
	if _, err := store.Restore(t.Context(), backup, filepath.Join(dir, "b"), false); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("with a row that refers to none: %v", err)
	}
	checkNames(t, dir, 1)
}

// TestRestoreByForce moves aside what was there, whole, even if it is damaged,
// and with a log that a crash has left.
func TestRestoreByForce(t *testing.T) {
	t.Parallel()
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := store.Backup(t.Context(), fill(t, 5), backup); err != nil {
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
			made, err := store.Restore(t.Context(), backup, path, true)
			if err != nil {
				t.Fatal(err)
			}
			if last := checkPrefix(t, path); last != 5 {
				t.Errorf("the last order is %d", last)
			}
			if after, _ := os.ReadFile(made.Aside); name != "sound" && string(after) != string(before) {
				t.Error("what was there is no longer what it was")
			}
			if name == "sound" && checkPrefix(t, made.Aside) != 9 {
				t.Error("orders of the old database are gone")
			}
			if log, _ := os.ReadFile(made.Aside + "-wal"); name == "only log" && string(log) != "log" {
				t.Errorf("the log is %q", log)
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
