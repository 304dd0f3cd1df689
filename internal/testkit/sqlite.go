package testkit

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// SQLiteTemplate is a database file that is filled once and copied for each test, because
// a copy takes a fraction of the time that migrations take.
type SQLiteTemplate struct {
	// Fill creates the database at path. It must have closed it when it returns, with
	// everything in this one file.
	Fill func(ctx context.Context, path string) error

	once    sync.Once
	content []byte // set by once
	err     error  // set by once
}

// Path returns the path of a copy of the test's own, in memory if possible.
func (s *SQLiteTemplate) Path(t testing.TB) string {
	t.Helper()
	return s.In(t, FastDir(t))
}

// In returns the path of a copy in a folder.
func (s *SQLiteTemplate) In(t testing.TB, folder string) string {
	t.Helper()
	s.once.Do(func() {
		path := filepath.Join(FastDir(t), "template.db")
		if s.err = s.Fill(t.Context(), path); s.err == nil {
			s.content, s.err = os.ReadFile(path) //nolint:gosec // the test's own
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	path := filepath.Join(folder, "dropyard.db")
	if err := os.WriteFile(path, s.content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
