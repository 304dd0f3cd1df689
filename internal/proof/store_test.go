package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
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

// newName returns a name. Names of one test differ by use.
func newName(t *testing.T, use string, kind picture.Format) string {
	t.Helper()
	name, err := proof.NewName(repeatable.Reader(t, use), kind)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func newService(t *testing.T, store proof.Store) *proof.Service {
	return proof.NewService(proof.Config{
		Cleaner: picture.NewCleaner(),
		Store:   store, Random: repeatable.Reader(t), Log: slog.New(slog.DiscardHandler),
		URL: func(name string) string { return "https://example.com/proofs/" + name },
	})
}

// unannounced is an announce function of Keep that does nothing.
func unannounced(string) error { return nil }

func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	random := repeatable.Reader(t)
	for range 1000 {
		name, err := proof.NewName(random, picture.PNG)
		if err != nil || seen[name] || !proof.IsName(name) || proof.FormatOf(name) != picture.PNG ||
			len(name) != 32+len(".png") {
			t.Fatalf("got %q, want a new name of 32 letters and .png", name)
		}
		seen[name] = true
	}
	valid := newName(t, "a name", picture.JPEG)
	for _, invalid := range []string{
		"", ".", "..", ".png", valid[1:], "0" + valid, strings.ToUpper(valid), valid + ".1234", valid + "\n",
		valid[:31] + "\n" + valid[32:], "\n" + valid, strings.TrimSuffix(valid, "jpg") + "gif",
		strings.TrimSuffix(valid, ".jpg"), "../" + valid[3:], valid[:10] + "/" + valid[11:], valid[:31] + "i.jpg",
	} {
		if proof.IsName(invalid) {
			t.Errorf("IsName(%q): got true", invalid)
		}
	}
	if _, err := proof.NewName(strings.NewReader("short"), picture.PNG); err == nil {
		t.Error("a name of 5 random bytes: got no error")
	}
}

func TestKeepOpenDelete(t *testing.T) {
	t.Parallel()
	store, root := newDirectory(t)
	service, ctx := newService(t, store), context.Background()
	name, err := service.Keep(ctx, "opr_1", encodePNG(t, signature(40, 30)), unannounced)
	if err != nil || proof.FormatOf(name) != picture.PNG {
		t.Fatalf("Keep: got %q, %v, want the name of a PNG", name, err)
	}
	shown, err := service.Open(ctx, name)
	if err != nil || shown.Format != picture.PNG || !bytes.HasPrefix(shown.Data, []byte("\x89PNG")) {
		t.Errorf("Open: got %s, %v, want a PNG", shown.Format, err)
	}
	file := filepath.Join(root, name[:2], name[2:4], name)
	for path, want := range map[string]fs.FileMode{file: 0o600, filepath.Dir(file): 0o700 | fs.ModeDir, root: 0o700 |
		fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: got %v, %v, want mode %v", path, info, err, want)
		}
	}
	for range 2 {
		if err := service.Delete(ctx, name); err != nil {
			t.Error(err)
		}
		for _, gone := range []string{name, newName(t, "a name", picture.JPEG), "none", ""} {
			if _, err := service.Open(ctx, gone); !refusal.HasCode(err, refusal.CodeNotFound) {
				t.Errorf("Open(%q): got %v, want not_found", gone, err)
			}
		}
	}
	if _, err := service.Keep(ctx, "opr_1", []byte("not a picture"),
		unannounced); !refusal.HasCode(err, refusal.CodeValidation) {
		t.Errorf("Keep of a text: got %v, want a validation error", err)
	}
}

// TestDirectoryAfterCrash: the incomplete file that a crash leaves behind is not a
// picture, and does not keep the name from being used.
func TestDirectoryAfterCrash(t *testing.T) {
	t.Parallel()
	store, root := newDirectory(t)
	service, ctx, name := newService(t, store), context.Background(), newName(t, "a name", picture.JPEG)
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
			t.Errorf("Open(%s): got %v, want not_found", asked, err)
		}
		if _, err := store.Get(ctx, asked); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%s): got %v, want fs.ErrNotExist", asked, err)
		}
	}
	whole := picture.Picture{Format: picture.JPEG, Data: []byte("whole")}
	if err := store.Put(ctx, name, whole); err != nil {
		t.Fatal(err)
	}
	if err := store.Put(ctx, name,
		picture.Picture{Format: picture.JPEG, Data: []byte("other")}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Put under a name in use: got %v, want fs.ErrExist", err)
	}
	if got, err := store.Get(ctx, name); err != nil || string(got.Data) != "whole" {
		t.Errorf("Get: got %q, %v, want %q", got.Data, err, whole.Data)
	}
}

// TestDirectoryIsAtomic reads pictures while they are written.
func TestDirectoryIsAtomic(t *testing.T) {
	t.Parallel()
	store, root := newDirectory(t)
	ctx, drawing := context.Background(),
		picture.Picture{Format: picture.PNG, Data: bytes.Repeat([]byte("0123456789abcdef"), 20_000)}
	var running sync.WaitGroup
	for i := range 4 {
		name, written := newName(t, strconv.Itoa(i), picture.PNG), make(chan struct{})
		running.Go(func() {
			defer close(written)
			if err := store.Put(ctx, name, drawing); err != nil {
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
				if err != nil && (done || !errors.Is(err, fs.ErrNotExist)) || err == nil && !bytes.Equal(got.Data, drawing.Data) {
					t.Errorf("got %d bytes, %v, want all %d, or fs.ErrNotExist before Put has returned", len(got.Data), err,
						len(drawing.Data))
				}
			}
		})
	}
	running.Wait()
	err := filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !proof.IsName(entry.Name()) {
			err = fmt.Errorf("got a file %s, want pictures only", entry.Name())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// away is a store that cannot be reached, and from which nothing can be deleted.
type away struct{}

func (away) Put(context.Context, string, picture.Picture) error {
	return fmt.Errorf("%w: no route to 10.0.0.1", proof.ErrUnavailable)
}
func (away) Get(context.Context, string) (picture.Picture, error) {
	return picture.Picture{}, fmt.Errorf("%w: no route to 10.0.0.1", proof.ErrUnavailable)
}
func (away) Delete(context.Context, string) error { return errors.New("denied") }

func TestStoreUnavailable(t *testing.T) {
	t.Parallel()
	service, ctx := newService(t, away{}), context.Background()
	_, kept := service.Keep(ctx, "opr_1", encodePNG(t, signature(9, 9)), unannounced)
	_, opened := service.Open(ctx, newName(t, "a name", picture.PNG))
	for _, err := range []error{kept, opened} {
		if !refusal.HasCode(err, refusal.CodeUnavailable) || strings.Contains(err.Error(), "10.0.0.1") {
			t.Errorf("got %v, want a refusal without the address", err)
		}
	}
	var refused *refusal.Error
	if err := service.Delete(ctx, newName(t, "a name", picture.PNG)); err == nil || errors.As(err, &refused) {
		t.Errorf("Delete: got %v, want the error of the store", err)
	}
}
