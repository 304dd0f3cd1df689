package proof_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/proof"
)

func newDirectory(t *testing.T) (*proof.Directory, string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a", "proofs")
	store, err := proof.NewDirectory(root)
	if err != nil {
		t.Fatal(err)
	}
	return store, root
}

func newName(t *testing.T, kind proof.Kind) string {
	t.Helper()
	name, err := proof.NewName(rand.Reader, kind)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func newService(store proof.Store) *proof.Service {
	return proof.NewService(proof.Config{
		Store: store, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
		URL: func(name string) string { return "https://example.com/proofs/" + name },
	})
}

// unannounced lets a picture be kept.
func unannounced(string) error { return nil }

func TestNamesCannotBeGuessed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		name := newName(t, proof.PNG)
		if seen[name] || !proof.IsName(name) || proof.KindOf(name) != proof.PNG || len(name) != 32+len(".png") {
			t.Fatalf("%q", name)
		}
		seen[name] = true
	}
	sound := newName(t, proof.JPEG)
	for _, none := range []string{
		"", ".", "..", ".png", sound[1:], "0" + sound, strings.ToUpper(sound), sound + ".1234", sound + "\n", sound[:31] + "\n" + sound[32:], "\n" + sound,
		strings.TrimSuffix(sound, "jpg") + "gif", strings.TrimSuffix(sound, ".jpg"), "../" + sound[3:], sound[:10] + "/" + sound[11:], sound[:31] + "i.jpg",
	} {
		if proof.IsName(none) {
			t.Errorf("%q is taken for a name", none)
		}
	}
	if _, err := proof.NewName(strings.NewReader("short"), proof.PNG); err == nil {
		t.Error("a name was drawn from too little")
	}
}

func TestServiceKeepsAndShows(t *testing.T) {
	t.Parallel()
	store, root := newDirectory(t)
	service, ctx := newService(store), context.Background()
	name, err := service.Keep(ctx, encodePNG(t, signature(40, 30)), unannounced)
	if err != nil || proof.KindOf(name) != proof.PNG {
		t.Fatalf("got %q, %v", name, err)
	}
	shown, err := service.Open(ctx, name)
	if err != nil || shown.Kind != proof.PNG || !bytes.HasPrefix(shown.Data, []byte("\x89PNG")) {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(root, name[:2], name[2:4], name)
	for path, want := range map[string]fs.FileMode{file: 0o600, filepath.Dir(file): 0o700 | fs.ModeDir, root: 0o700 | fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	for range 2 {
		if err := service.Delete(ctx, name); err != nil {
			t.Error(err)
		}
		for _, gone := range []string{name, newName(t, proof.JPEG), "none", ""} {
			if _, err := service.Open(ctx, gone); !refusal.HasCode(err, refusal.CodeNotFound) {
				t.Errorf("%q: %v", gone, err)
			}
		}
	}
	if _, err := service.Keep(ctx, []byte("no picture"), unannounced); !refusal.HasCode(err, refusal.CodeValidation) {
		t.Errorf("got %v", err)
	}
}

// TestCrashLeavesNothingToSee: a file that was being written when the machine
// went down is there under a name of its own, and is no proof.
func TestCrashLeavesNothingToSee(t *testing.T) {
	t.Parallel()
	store, root := newDirectory(t)
	service, ctx, name := newService(store), context.Background(), newName(t, proof.JPEG)
	folder := filepath.Join(root, name[:2], name[2:4])
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	half := name + ".123456"
	if err := os.WriteFile(filepath.Join(folder, half), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []string{name, half} {
		if _, err := service.Open(ctx, asked); !refusal.HasCode(err, refusal.CodeNotFound) {
			t.Errorf("%s: %v", asked, err)
		}
		if _, err := store.Get(ctx, asked); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", asked, err)
		}
	}
	whole := proof.Picture{Kind: proof.JPEG, Data: []byte("whole")}
	if err := store.Put(ctx, name, whole); err != nil {
		t.Fatal(err)
	}
	if err := store.Put(ctx, name, proof.Picture{Kind: proof.JPEG, Data: []byte("other")}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a proof was replaced: %v", err)
	}
	if got, err := store.Get(ctx, name); err != nil || string(got.Data) != "whole" {
		t.Errorf("got %q, %v", got.Data, err)
	}
}

// TestNobodySeesAHalf reads while others write.
func TestNobodySeesAHalf(t *testing.T) {
	t.Parallel()
	store, root := newDirectory(t)
	ctx, picture := context.Background(), proof.Picture{Kind: proof.PNG, Data: bytes.Repeat([]byte("0123456789abcdef"), 20_000)}
	var running sync.WaitGroup
	for range 4 {
		name, written := newName(t, proof.PNG), make(chan struct{})
		running.Go(func() {
			defer close(written)
			if err := store.Put(ctx, name, picture); err != nil {
				t.Error(err)
			}
		})
		running.Go(func() {
			for done := false; !done; {
				select {
				case <-written:
					done = true
				default:
				}
				got, err := store.Get(ctx, name)
				if err != nil && (done || !errors.Is(err, fs.ErrNotExist)) || err == nil && !bytes.Equal(got.Data, picture.Data) {
					t.Errorf("got %d bytes, %v", len(got.Data), err)
				}
			}
		})
	}
	running.Wait()
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !proof.IsName(entry.Name()) {
			err = fmt.Errorf("%s was left over", entry.Name())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// away is a store that cannot be reached.
type away struct{}

func (away) Put(context.Context, string, proof.Picture) error {
	return fmt.Errorf("%w: no route to 10.0.0.1", proof.ErrUnavailable)
}
func (away) Get(context.Context, string) (proof.Picture, error) {
	return proof.Picture{}, fmt.Errorf("%w: no route to 10.0.0.1", proof.ErrUnavailable)
}
func (away) Delete(context.Context, string) error { return errors.New("denied") }

func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	service, ctx := newService(away{}), context.Background()
	_, kept := service.Keep(ctx, encodePNG(t, signature(9, 9)), unannounced)
	_, opened := service.Open(ctx, newName(t, proof.PNG))
	for _, err := range []error{kept, opened} {
		if !refusal.HasCode(err, refusal.CodeUnavailable) || strings.Contains(err.Error(), "10.0.0.1") {
			t.Errorf("got %v", err)
		}
	}
	var refused *refusal.Error
	if err := service.Delete(ctx, newName(t, proof.PNG)); err == nil || errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

// TestTwoAtOnce: whoever comes third waits, unless they go.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	store, _ := newDirectory(t)
	data := encodePNG(t, signature(9, 9))
	synctest.Test(t, func(t *testing.T) {
		service := newService(store)
		release := service.Occupy()
		defer service.Occupy()()
		ctx, cancel := context.WithCancel(context.Background())
		gone, waited := make(chan error, 1), make(chan error, 1)
		keep := func(ctx context.Context, done chan<- error) {
			_, err := service.Keep(ctx, data, unannounced)
			done <- err
		}
		go keep(ctx, gone)
		go keep(context.Background(), waited)
		synctest.Wait()
		if len(gone)+len(waited) != 0 {
			t.Error("a third picture was not kept waiting")
		}
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := service.Keep(ctx, data, unannounced); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		release()
		if err := <-waited; err != nil {
			t.Error(err)
		}
	})
}
