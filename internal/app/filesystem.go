package app

import (
	"fmt"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// checkFileSystem refuses to keep an embedded database in a file system in which SQLite
// loses data (sqlite.org/wal.html: "WAL does not work over a network filesystem"). The
// warning, if there is one, names a kind that may be such a file system.
func checkFileSystem(folder string, kindOf func(string) (machine.FileSystem, error)) (warning string, err error) {
	if kindOf == nil {
		return "", nil
	}
	kind, err := kindOf(folder)
	switch {
	case err != nil:
		return "", fmt.Errorf("look at the file system of %s: %w", folder, err)
	case kind.Unsafe:
		return "", fmt.Errorf("%s is in a network file system (%s), in which the embedded database would be damaged: "+
			"set --data to a folder of a local disk, or --database to a PostgreSQL server", folder, kind.Name)
	case kind.Name != "":
		return fmt.Sprintf(
			"the file system of %s is %s: the embedded database needs one whose locks and shared memory are those "+
				"of a local disk, and that only this machine writes to", folder, kind.Name,
		), nil
	}
	return "", nil
}
