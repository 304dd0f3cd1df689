package credential_test

import (
	"log/slog"
	"os"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// The arguments with which the test binary runs as a worker: one that computes
// digests, and one that answers nothing of use.
const (
	digests = "run-as-worker"
	broken  = "run-as-broken-worker"
)

func TestMain(m *testing.M) {
	handlers := map[string]func([]byte) []byte{
		digests: credential.Digest,
		broken:  func([]byte) []byte { return nil },
	}
	if len(os.Args) > 1 && handlers[os.Args[1]] != nil {
		if pace.ServeWorker(os.Stdin, os.Stdout, handlers[os.Args[1]]) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestHasherWithWorker checks that a hash is the same wherever it was computed, also
// if the worker answers nonsense or cannot be started.
func TestHasherWithWorker(t *testing.T) {
	t.Parallel()
	alone := credential.NewHasher(cheap, repeatable.Reader(t))
	for name, argument := range map[string]string{
		"worker": digests, "broken worker": broken, "no worker": "-no-such-flag",
	} {
		h := credential.NewHasherWith(pace.NewWorker(slog.New(slog.DiscardHandler), argument), cheap,
			repeatable.Reader(t, name))
		for _, password := range []string{"maple-harbour-42", "épée", "not\xffUTF-8"} {
			hash, err := h.Hash(t.Context(), password)
			if err != nil {
				t.Fatalf("%s: got %v, want a hash", name, err)
			}
			for _, verifier := range []*credential.Hasher{h, alone} {
				right, err := verifier.Verify(t.Context(), hash, password)
				wrong, _ := verifier.Verify(t.Context(), hash, password+"x")
				if err != nil || !right || wrong {
					t.Errorf("%s, %q: got right %t, wrong %t, %v, want true and false", name, password, right, wrong, err)
				}
			}
		}
	}
}

func TestDigestRefusesOtherRequests(t *testing.T) {
	t.Parallel()
	if got := credential.Digest([]byte("password")); got != nil {
		t.Errorf("got %x, want nothing", got)
	}
}
