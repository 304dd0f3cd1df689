package proof

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/dropyard/dropyard/internal/foundation/picture"
)

// Directory stores pictures in a local folder, each in a file of mode 0600 below
// two levels of folders: ab/cd/abcd….jpg. After a crash there may be an incomplete
// file, whose name is not that of a picture.
type Directory struct {
	root string
}

var _ Store = (*Directory)(nil)

// NewDirectory returns a store in a folder, which it makes if there is none.
func NewDirectory(root string) (*Directory, error) {
	if err := durable.MakeFolder(root); err != nil {
		return nil, fmt.Errorf("make the folder of proofs: %w", err)
	}
	return &Directory{root}, nil
}

// folders returns the two folders of a name.
func (d *Directory) folders(name string) (outer, inner string) {
	outer = filepath.Join(d.root, name[:2])
	return outer, filepath.Join(outer, name[2:4])
}

func (d *Directory) file(name string) string {
	_, inner := d.folders(name)
	return filepath.Join(inner, name)
}

// Put stores a picture. It returns once the picture and the folders that lead to it
// are on disk. The error is fs.ErrExist if there is a picture with this name.
func (d *Directory) Put(ctx context.Context, name string, cleaned picture.Picture) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("store a proof: %w", err)
	}
	if !IsName(name) {
		return fmt.Errorf("store a proof: %q is not the name of a picture", name)
	}
	outer, inner := d.folders(name)
	for _, folder := range []string{outer, inner} {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return failed("store", err)
		}
		// Even a folder that exists may not be on disk yet: another goroutine may
		// have just made it.
		if err := durable.SyncFolder(filepath.Dir(folder)); err != nil {
			return failed("store", err)
		}
	}
	if err := durable.WriteNew(d.file(name), cleaned.Data); err != nil {
		return failed("store", err)
	}
	return nil
}

// Get returns a picture. The error is fs.ErrNotExist if there is none.
func (d *Directory) Get(ctx context.Context, name string) (picture.Picture, error) {
	if err := ctx.Err(); err != nil {
		return picture.Picture{}, fmt.Errorf("read a proof: %w", err)
	}
	if !IsName(name) {
		return picture.Picture{}, fs.ErrNotExist
	}
	data, err := os.ReadFile(d.file(name))
	if err != nil {
		return picture.Picture{}, failed("read", err)
	}
	return picture.Picture{Format: FormatOf(name), Data: data}, nil
}

// Has reports whether there is a picture with this name.
func (d *Directory) Has(name string) bool {
	if !IsName(name) {
		return false
	}
	_, err := os.Stat(d.file(name))
	return err == nil
}

// Delete removes a picture, if there is one. It returns once that is on disk.
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
		return failed("delete", err)
	}
	return nil
}

// failed returns the error of an operation on the disk. What is not about names means that
// the disk cannot be used at present, for example because it is full.
func failed(operation string, err error) error {
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s a proof: %w", operation, err)
	}
	return fmt.Errorf("%s a proof: %w: %w", operation, ErrUnavailable, err)
}
