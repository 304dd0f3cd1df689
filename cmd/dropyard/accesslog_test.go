package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestHangUpReopensAccessLog renames the file of the access log three times while clients
// send requests, and sends SIGHUP each time, as logrotate does. Each request has one line,
// in one of the files.
func TestHangUpReopensAccessLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "access.log")
	s := run{dir: dir, env: []string{"DROPYARD_ACCESS_LOG=" + path}}.serve(t)
	const clients, rotations = 4, 3
	answered := make([]map[string]bool, clients) // request ids, by client
	var stop atomic.Bool
	var sending sync.WaitGroup
	for i := range clients {
		answered[i] = map[string]bool{}
		sending.Go(func() {
			for !stop.Load() && !t.Failed() {
				answered[i][s.Do(t, "GET", "/v1/health", nil).Must(t, 200).Header.Get("X-Request-Id")] = true
			}
		})
	}
	for n := range rotations {
		awaitLines(t, path)
		must(t, os.Rename(path, path+"."+string(rune('1'+n))))
		must(t, s.command.Process.Signal(syscall.SIGHUP))
	}
	awaitLines(t, path)
	stop.Store(true)
	sending.Wait()
	last := s.Do(t, "GET", "/v1/health", nil).Must(t, 200).Header.Get("X-Request-Id")
	answered[0][last] = true
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 || strings.Contains(log, "ERROR") {
		t.Errorf("got exit code %d and log %s, want 0 and no error", code, log)
	}

	lines, want := requestLines(t, dir), 0
	for _, ids := range answered {
		want += len(ids)
		for id := range ids {
			if got := lines[id]; len(got) != 1 {
				t.Errorf("request %s: got lines in %q, want one line", id, got)
			}
		}
	}
	if len(lines) != want || want == 0 {
		t.Errorf("got lines of %d requests, want %d", len(lines), want)
	}
	if got := lines[last]; len(got) != 1 || got[0] != "access.log" {
		t.Errorf("last request: got lines in %q, want one in the newest file", got)
	}
}

// awaitLines waits until a file has a line.
func awaitLines(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(repeatable.Hang); ; time.Sleep(repeatable.Poll) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("got no line in %s within %v", path, repeatable.Hang)
		}
	}
}

// requestLines returns the names of the files that have a line of a request, by its id.
func requestLines(t *testing.T, dir string) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "access.log*"))
	must(t, err)
	lines := map[string][]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			var entry struct {
				RequestID string `json:"request_id"`
			}
			if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.RequestID == "" {
				t.Errorf("%s: got line %q, want one of a request", path, line)
			}
			lines[entry.RequestID] = append(lines[entry.RequestID], filepath.Base(path))
		}
	}
	return lines
}

// TestHangUpWithoutFile sends SIGHUP to a service that writes its access log to standard
// output, which goes on.
func TestHangUpWithoutFile(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: []string{"DROPYARD_ACCESS_LOG=stdout"}}
	s := r.serve(t)
	must(t, s.command.Process.Signal(syscall.SIGHUP))
	for range 100 { // a process that ends by a signal does not answer all of them
		s.Do(t, "GET", "/v1/health", nil).Must(t, 200)
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 || strings.Contains(log, "ERROR") {
		t.Errorf("got exit code %d and log %s, want 0 and no error", code, log)
	}
}
