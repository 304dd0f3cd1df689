package s3_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestOpen reads an object whose name has a character that is escaped, after a fault of the bucket that passes.
func TestOpen(t *testing.T) {
	t.Parallel()
	const name, content = "day=2026-11-26/manifest.json", "{}"
	path := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	store, b, _ := newStore(t, nil)
	if _, err := store.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
	if err := store.PutFile(t.Context(), name, path, hex.EncodeToString(sum[:])); err != nil {
		t.Fatal(err)
	}
	b.answers = []int{503, 0}
	file, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close()); err != nil || string(got) != content {
		t.Errorf("got %q, %v, want %q", got, err, content)
	}
	b.answers = []int{403}
	if _, err := store.Open(t.Context(), name); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a refusal", err)
	}
}
