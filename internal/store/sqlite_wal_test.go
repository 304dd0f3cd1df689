package store_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/disk"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestPowerLossAroundTheLog lets the power fail while the log is copied piece by piece
// into the database file, and around the moments at which it begins again. What was
// acknowledged is there then, and of what came later only a first part.
func TestPowerLossAroundTheLog(t *testing.T) {
	t.Parallel()
	faults := repeatable.Rand(t)
	for name, fault := range map[string]func(disk.Call) syscall.Errno{
		"healthy disk": nil,
		"syncs of the database file fail": func(call disk.Call) syscall.Errno {
			if call.Kind == disk.Sync && call.Path == "dropyard.db" && faults.IntN(3) == 0 {
				return syscall.EIO
			}
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cutPower(t, fault)
		})
	}
}

func cutPower(t *testing.T, fault func(disk.Call) syscall.Errno) {
	t.Helper()
	// of a quarter of a MiB each: the first 64 are a piece
	program, written := recordWrites(t, testkit.Scaled(1700, 80), fault)
	random := repeatable.Rand(t, "cuts")
	cuts := testkit.Scaled(60, 6)
	begins := beginsAgain(written)
	if testkit.Long() && len(begins) < 2 {
		t.Fatalf("after %d writes the log has begun again %d times, want at least 2", len(written), len(begins))
	}
	for i := range cuts {
		after := random.IntN(program.Len() + 1)
		if i%2 == 0 && len(begins) > 0 { // at most the operations of some writes away from the log's beginning
			begin := begins[i/2%len(begins)]
			after = max(0, min(program.Len(), written[begin].after+random.IntN(2000)-1500))
		}
		acknowledged := 0
		for _, w := range written {
			if w.after <= after {
				acknowledged = w.number
			}
		}
		err := surviveCut(t, program, disk.PowerFailure{After: after, Random: random}, acknowledged)
		if acknowledged == 0 && isEmpty(err) {
			continue // it was never complete, and is not taken for a new one without being asked: see FaultEmpty
		}
		if err != nil {
			t.Errorf("cut %d, after %d of %d operations: %v", i, after, program.Len(), err)
		}
	}
	t.Logf("%d writes, %d operations on files; the log began again %d times; %d cuts", len(written), program.Len(),
		len(begins), cuts)

	// The test can fail: on a disk that ignores syncs, something is lost.
	ignoring := disk.PowerFailure{After: program.Len(), Random: random, IgnoreSyncs: true}
	for range 10 {
		if surviveCut(t, program, ignoring, written[len(written)-1].number) != nil {
			return
		}
	}
	t.Error("on a disk that ignores syncs: got no loss, want one")
}

func isEmpty(err error) bool {
	var fault *db.FaultError
	return errors.As(err, &fault) && fault.Kind == db.FaultEmpty
}

const (
	// slots is how many settings are written in turn, each with slotPages pages of 4 KiB.
	slots, slotPages = 40, 64
	// writesVariable makes this program write settings to a database.
	writesVariable = "DROPYARD_TEST_WRITES"
)

func slotName(number int) string { return fmt.Sprint("slot-", number%slots) }

func slotValue(number int) string {
	return strings.Repeat(fmt.Sprintf("%08d", number), slotPages*4096/8)
}

// writeSettings writes so many settings to a database. After each write it prints its
// number and how often the log has begun again. It does not close the database, which
// would copy the whole log.
func writeSettings(ctx context.Context, path string, writes int, out io.Writer) error {
	s, err := store.OpenSQLite(ctx, path)
	if err != nil {
		return err
	}
	log, err := os.Open(path + "-wal")
	if err != nil {
		return err
	}
	var first uint32
	for number := 1; number <= writes; number++ {
		if err := s.SetSetting(ctx, slotName(number), slotValue(number)); err != nil {
			return err
		}
		var header [16]byte
		if _, err := log.ReadAt(header[:], 0); err != nil {
			return err
		}
		begun := binary.BigEndian.Uint32(header[12:]) // the checkpoint sequence number: sqlite.org/walformat.html, 1
		if number == 1 {
			first = begun
		}
		if _, err := fmt.Fprintln(out, number, begun-first); err != nil {
			return err
		}
	}
	return nil
}

// write is a write that the program has acknowledged.
type write struct {
	number int
	begun  int // how often the log had begun again
	after  int // operations on files that had been done
}

// recordWrites lets this program write so many settings, and records what it does to the
// files. Calls fail as fault says, if it is not nil.
func recordWrites(t *testing.T, writes int, fault func(disk.Call) syscall.Errno) (*disk.Program, []write) {
	t.Helper()
	root := testkit.FastDir(t)
	command := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this program
	command.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", writesVariable, writes, filepath.Join(root, "dropyard.db")))
	program, lines := disk.Record(t, command, root)
	program.Fail(fault)
	var written []write
	for printed := bufio.NewScanner(lines); printed.Scan(); {
		var w write
		if _, err := fmt.Sscan(printed.Text(), &w.number, &w.begun); err != nil {
			t.Fatalf("the program printed %q: %v", printed.Text(), err)
		}
		w.after = program.Len()
		written = append(written, w)
	}
	program.Wait()
	if len(written) != writes {
		t.Fatalf("got %d writes, want %d", len(written), writes)
	}
	return program, written
}

// beginsAgain returns the indexes of the writes with which the log began again.
func beginsAgain(written []write) (at []int) {
	for i := 1; i < len(written); i++ {
		if written[i].begun > written[i-1].begun {
			at = append(at, i)
		}
	}
	return at
}

// surviveCut opens the database that a power failure leaves. It returns an error unless
// each slot holds its last write of the first so many, which are at least those that
// were acknowledged.
func surviveCut(t *testing.T, program *disk.Program, failure disk.PowerFailure, acknowledged int) (err error) {
	t.Helper()
	folder, err := os.MkdirTemp(testkit.FastDir(t), "cut")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := program.Restore(folder, failure); err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenSQLite(t.Context(), filepath.Join(folder, "dropyard.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	held := make([]int, slots)
	last := 0
	for slot := range slots {
		value, err := s.Setting(t.Context(), slotName(slot))
		if err != nil {
			return err
		}
		if value == "" {
			continue
		}
		if _, err := fmt.Sscanf(value, "%8d", &held[slot]); err != nil {
			return fmt.Errorf("slot %d holds %.20q: %w", slot, value, err)
		}
		if value != slotValue(held[slot]) {
			return fmt.Errorf("slot %d holds what was never written to it: it begins with %.20q", slot, value)
		}
		last = max(last, held[slot])
	}
	if last < acknowledged {
		return fmt.Errorf("the last write is %d, want %d or later", last, acknowledged)
	}
	for slot, number := range held {
		if want := last - (last-slot+slots)%slots; number != max(0, want) {
			return fmt.Errorf("slot %d holds write %d, want %d, because %d is there", slot, number, want, last)
		}
	}
	return nil
}
