package proof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

// Directory keeps pictures in a folder of this machine, each in a file of mode
// 0600 under two levels of folders: ab/cd/abcd….jpg. A crash may leave a file
// behind that is not whole; its name is none that is ever asked for.
type Directory struct {
	root string
}

var _ Store = (*Directory)(nil)

// NewDirectory makes the folder if it is not there.
func NewDirectory(root string) (*Directory, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of proofs: %w", err)
	}
	if err := durable.SyncFolder(filepath.Dir(filepath.Clean(root))); err != nil {
		return nil, fmt.Errorf("make the folder of proofs: %w", err)
	}
	return &Directory{root}, nil
}

// folders are those of a name, the outer one first.
func (d *Directory) folders(name string) (outer, inner string) {
	outer = filepath.Join(d.root, name[:2])
	return outer, filepath.Join(outer, name[2:4])
}

func (d *Directory) file(name string) string {
	_, inner := d.folders(name)
	return filepath.Join(inner, name)
}

// Put waits until the disk has the picture, and all folders that lead to it.
func (d *Directory) Put(ctx context.Context, name string, picture Picture) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("keep a proof: %w", err)
	}
	if !IsName(name) {
		return fmt.Errorf("%q is no name of a proof", name)
	}
	outer, inner := d.folders(name)
	for _, folder := range []string{outer, inner} {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("keep a proof: %w", err)
		}
		// Whoever else has made it may not have waited for the disk yet.
		if err := durable.SyncFolder(filepath.Dir(folder)); err != nil {
			return fmt.Errorf("keep a proof: %w", err)
		}
	}
	if err := durable.WriteNew(d.file(name), picture.Data); err != nil {
		return fmt.Errorf("keep a proof: %w", err)
	}
	return nil
}

// Get reads a picture.
func (d *Directory) Get(ctx context.Context, name string) (Picture, error) {
	if err := ctx.Err(); err != nil {
		return Picture{}, fmt.Errorf("read a proof: %w", err)
	}
	if !IsName(name) {
		return Picture{}, fs.ErrNotExist
	}
	data, err := os.ReadFile(d.file(name))
	if err != nil {
		return Picture{}, fmt.Errorf("read a proof: %w", err)
	}
	return Picture{KindOf(name), data}, nil
}

// Delete waits until the disk has forgotten the name.
func (d *Directory) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete a proof: %w", err)
	}
	if !IsName(name) {
		return nil
	}
	err := os.Remove(d.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = durable.SyncFolder(filepath.Dir(d.file(name)))
	}
	if err != nil {
		return fmt.Errorf("delete a proof: %w", err)
	}
	return nil
}
