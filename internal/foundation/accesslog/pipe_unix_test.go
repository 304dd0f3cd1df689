//go:build unix

package accesslog_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
)

func TestPipesAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := accesslog.Open(path, nil, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "is not a file") {
		t.Errorf("got error %v, want one that says that it is not a file", err)
	}
}
