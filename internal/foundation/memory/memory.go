// Package memory reads how much memory this process may use.
package memory

import "os"

// Limit returns how much memory this process may use, in bytes: that of the machine, or
// the limit of the process's cgroup if that is less. It returns 0 if neither is known.
func Limit() int64 { return least(total(), cgroupLimit(os.DirFS("/"))) }
