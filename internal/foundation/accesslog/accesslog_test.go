package accesslog_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
)

func open(t *testing.T, path string, out io.Writer) *accesslog.Log {
	t.Helper()
	log, err := accesslog.Open(path, out, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := open(t, accesslog.Stdout, &out)
	log.Add(&accesslog.Entry{
		Time: time.Unix(1_800_000_000,
			123_000_000).UTC(), RequestID: "req_1", Method: "GET", Route: "/v1/orders/{order_id}", Path: "/v1/orders/a\"b",
		Status: 200, Bytes: 12, Micros: 345, Address: "192.0.2.1", PartnerID: "par_1", KeyID: "key_1",
	})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	want := `{"time":"2027-01-15T08:00:00.123Z","request_id":"req_1","method":"GET","route":"/v1/orders/{order_id}","path":"/v1/orders/a\"b",` +
		`"status":200,"bytes":12,"duration_us":345,"address":"192.0.2.1","partner_id":"par_1","key_id":"key_1"}` + "\n"
	if out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

// TestReopen renames the file, as logrotate does.
func TestReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	log := open(t, path, nil)
	log.Add(&accesslog.Entry{RequestID: "req_1"})
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	log.Reopen()
	for { // until the new file is there
		if _, err := os.Stat(path); err == nil {
			break
		}
	}
	log.Add(&accesslog.Entry{RequestID: "req_2"})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	both := ""
	for _, name := range []string{path + ".1", path} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		both += string(text)
	}
	if i, j := strings.Index(both, "req_1"), strings.Index(both, "req_2"); i < 0 || j < i ||
		strings.Count(both, "\n") != 2 {
		t.Errorf("got %q in both files, want req_1 and then req_2", both)
	}
}

// stuck is a writer that waits until it is released.
type stuck struct {
	bytes.Buffer
	released chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.released
	return s.Buffer.Write(p)
}

// TestFullQueue adds more than fits while nothing can be written.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, fillQueue) // in which Close waits as long as the log has something to write
}

func fillQueue(t *testing.T) {
	out := &stuck{released: make(chan struct{})}
	log := open(t, accesslog.Stdout, out)
	const all = 30_000
	for range all {
		log.Add(&accesslog.Entry{RequestID: "req_1"})
	}
	close(out.released)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	written, lost := 0, 0
	for line := range strings.Lines(out.String()) {
		var entry struct {
			RequestID string `json:"request_id"`
			Dropped   int    `json:"dropped"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if lost += entry.Dropped; entry.Dropped == 0 {
			written++
		}
	}
	if lost == 0 || written+lost != all {
		t.Errorf("got %d lines and %d dropped, want some dropped and %d together", written, lost, all)
	}
	if got, want := log.Stats(), (accesslog.Stats{Written: int64(written), Dropped: int64(lost)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestFailedWrites writes to a device that is always full.
func TestFailedWrites(t *testing.T) {
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no " + full)
	}
	log := open(t, full, nil)
	const all = 2000 // more than the buffer holds
	for range all {
		log.Add(&accesslog.Entry{RequestID: "req_1"})
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := log.Stats(), (accesslog.Stats{Failed: all}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestCloseBesideStuckReader closes a log whose reader takes nothing.
func TestCloseBesideStuckReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader := &stuck{released: make(chan struct{})}
		t.Cleanup(func() { close(reader.released) })
		log := open(t, accesslog.Stdout, reader)
		for range 2000 { // more than the buffer holds
			log.Add(&accesslog.Entry{RequestID: "req_1"})
		}
		begun := time.Now()
		if err := log.Close(); err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("got %v after %v, want no error after 2s", err, time.Since(begun))
		}
	})
}
