package pace

import (
	"os"
	"runtime"
)

// count is read before SpreadProcessors can change it.
var count = runtime.GOMAXPROCS(0)

// HalfProcessors returns half of the processors that this process may use, but at least one:
// how much work that keeps a processor busy may run at a time.
func HalfProcessors() int { return max(1, count/2) }

// SpreadProcessors lets Go run twice as many goroutines at a time as there are processors,
// unless the environment has GOMAXPROCS, so that the system shares the processors
// among them. Otherwise, with two processors, a goroutine that keeps one of them
// busy, and another that waits for the disk while Go still counts it as running,
// keep all others waiting for up to 10 ms: the time slice of Go, and its pause
// between two looks at what waits in system calls.
func SpreadProcessors() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) == count {
		runtime.GOMAXPROCS(2 * count)
	}
}
