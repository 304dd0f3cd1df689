// Command clients writes the clients of a version into a folder: a wheel and a source distribution as PyPI takes
// them, a package as npm takes it, and the archive of the module for Go. They have the same bytes as those that a
// service of this version offers under /downloads.
//
//	go run ./packaging/clients VERSION FOLDER
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard"
	"github.com/dropyard/dropyard/internal/downloads"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: clients VERSION FOLDER")
	}
	version, folder := args[0], args[1]
	packed, err := downloads.New(dropyard.Sources, version).Clients()
	if err != nil {
		return err
	}
	for name, file := range map[string]downloads.File{
		filepath.Base(packed.Wheel.Path):                packed.Wheel,
		filepath.Base(packed.Source.Path):               packed.Source,
		filepath.Base(packed.Package.Path):              packed.Package,
		"dropyard-go-" + packed.Version + ".module.zip": packed.Module,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), file.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
