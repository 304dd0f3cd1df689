package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestKeyRotate rotates the master key of a service that is stopped and started again.
func TestKeyRotate(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	if got := r.do(t, "key", "rotate"); got.code != 1 || got.stdout != "" ||
		!strings.Contains(got.stderr, "stop it first") {
		t.Errorf("beside a service: got %+v, want exit code 1 and what to do", got)
	}
	if code, _ := s.signal(t, syscall.SIGTERM); code != 0 {
		t.Fatalf("SIGTERM: got exit code %d, want 0", code)
	}
	got := r.do(t, "key", "rotate", "--keep-old", "old.key")
	if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "secrets sealed again: 1\n") {
		t.Errorf("got %+v, want exit code 0 and one secret", got)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "old.key")); err != nil {
		t.Errorf("old key: %v", err)
	}
	if got := r.do(t, "key", "rotate", "--keep-old", "old.key"); got.code != 1 ||
		strings.Contains(got.stderr, "run the same") || !strings.Contains(got.stderr, "--keep-old: ") ||
		!strings.Contains(got.stderr, "name another file") {
		t.Errorf("a file that holds an older key: got %+v, want exit code 1 and what to do", got)
	}
	partner.Service = r.serve(t).Service
	partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
}

// TestKeyRotateErrors expects one line on standard error, and no file to be created.
func TestKeyRotateErrors(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		code int
		text string // part of the message
	}{
		"key rotate --data gone":           {1, "gone"},
		"key rotate --data=":               {2, "--data"},
		"key rotate --database mysql://x":  {2, "--database"},
		"key rotate --master-key-file x/y": {2, "--master-key-file"},
	} {
		r := run{dir: testkit.FastDir(t)}
		got := r.do(t, strings.Fields(args)...)
		if got.code != want.code || got.stdout != "" || !strings.Contains(got.stderr, want.text) ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: got %+v, want exit code %d and one line with %q", args, got, want.code, want.text)
		}
		if files, err := os.ReadDir(r.dir); err != nil || len(files) != 0 {
			t.Errorf("%s: got files %v (%v), want none", args, files, err)
		}
	}
}
