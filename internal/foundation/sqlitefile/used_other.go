//go:build !unix

package sqlitefile

import "os"

// Used reports false: other systems do not show who holds a lock.
func Used(path string) (used bool, err error) {
	_, err = os.Stat(path)
	return false, err
}
