// Package machine has what this machine gives to a process: memory, room on its disks, and
// the addresses by which it reaches itself.
package machine

import "os"

// MemoryLimit returns how much memory this process may use, in bytes: that of the machine, or
// the limit of the process's cgroup if that is less. It returns 0 if neither is known.
func MemoryLimit() int64 { return least(total(), cgroupLimit(os.DirFS("/"))) }
