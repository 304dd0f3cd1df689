package s3_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/proof"
)

// TestPutFile stores a file, which is sent again after a fault of the bucket that passes.
func TestPutFile(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("page"), 100_000)
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	for name, c := range map[string]struct {
		answers  []int
		digest   string
		requests int
		want     string // of the error; empty for none
	}{
		"at once":       {nil, digest, 1, ""},
		"after a fault": {[]int{503, 0}, digest, 3, ""},
		"refused":       {[]int{403}, digest, 1, "403 Forbidden Because403: Not <you> now."},
		"away":          {[]int{500, 500, 500}, digest, 3, "500"},
		"changed":       {nil, strings.Repeat("0", 64), 1, "SignatureDoesNotMatch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, b, _ := newStore(t, nil)
			b.answers = c.answers
			err := store.PutFile(t.Context(), "dropyard.db", path, c.digest)
			if got := len(b.asked); got != c.requests {
				t.Errorf("got %d requests, want %d", got, c.requests)
			}
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
					t.Errorf("got %v, want %q without the secret", err, c.want)
				}
				if unavailable := errors.Is(err, proof.ErrUnavailable); unavailable != (name == "away") {
					t.Errorf("got that it is unavailable: %t", unavailable)
				}
				return
			}
			for stored, object := range b.objects {
				if err != nil || !strings.HasSuffix(stored, "/proofs/dropyard.db") || !bytes.Equal(object, content) {
					t.Errorf("got %d bytes at %s, %v, want the file", len(object), stored, err)
				}
			}
			if len(b.objects) != 1 {
				t.Errorf("got %d objects, %v, want one", len(b.objects), err)
			}
		})
	}
	store, _, _ := newStore(t, nil)
	if err := store.PutFile(t.Context(), "none", path+".none", digest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that does not exist: got %v, want fs.ErrNotExist", err)
	}
}
