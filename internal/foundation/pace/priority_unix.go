//go:build unix

package pace

import (
	"os"
	"strconv"
	"syscall"
)

// nice is the priority of a worker: about a tenth of the processor time of others
// while they need it, so that the work goes on under load.
const nice = 10

// lowerPriority lowers the priority of this process. On Linux each thread has a
// priority of its own, which the threads that it starts inherit. Where it fails, the
// work is done at the usual priority.
func lowerPriority() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice)
		return
	}
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, nice)
		}
	}
}
