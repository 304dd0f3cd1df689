package machine

// DiskSpace is the room on a disk, in bytes.
type DiskSpace struct {
	Free  int64 // what this process may still use
	Total int64
}
