// Package diskspace reads how much room there is on the disk that holds a folder.
package diskspace

// Space is the room on a disk, in bytes.
type Space struct {
	Free  int64 // what this process may still use
	Total int64
}
