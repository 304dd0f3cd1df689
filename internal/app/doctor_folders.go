package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dropyard/dropyard/internal/config"
)

// checkFolders finds folders of the settings that the service cannot make, or cannot write into. It makes none itself.
func (d *Diagnosis) checkFolders(settings *config.Config) {
	for _, one := range storesOf(settings) {
		where, err := one.store()
		if err != nil || where == nil || where.Endpoint != nil {
			continue // wrong settings are refused before
		}
		if err := mayMake(where.Directory); err != nil {
			d.find("the service cannot write into the folder of %s, %s: %v: "+
				"let the user that runs the service write there, or set another one", one.flag, where.Directory, err)
		}
	}
}

// mayMake returns why a folder cannot be written into or, if it does not exist, be made.
func mayMake(folder string) error {
	info, err := os.Stat(folder)
	if parent := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && parent != folder {
		return mayMake(parent)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "write", Path: folder, Err: syscall.ENOTDIR}
	}
	if err := mayWrite(folder); err != nil {
		return &fs.PathError{Op: "write", Path: folder, Err: err}
	}
	return nil
}
