package app

import (
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/api/v1"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/httpd"
)

// The percentages for the garbage collector (GOGC). The live heap is small usually,
// and with Go's default of 100 a quarter of the CPU time went into collecting
// garbage. But with many large bodies in flight 400 would allow four times as much
// garbage beside them; then the heap is so large that less is enough.
const (
	collectLess = 400
	collectMore = 50
)

// ballast is never used, and so takes no memory. It counts as live, which lets the
// collector wait for at least collectLess percent of it in garbage. Otherwise it
// would run for every few megabytes of garbage while the live heap is small, and delay
// all requests.
const ballast = 8 << 20

// memoryRatio is the part of the memory of the container or machine that Go may
// use before it collects garbage more often than the percentages say. The rest is
// for SQLite, whose memory Go does not see, and for the kernel's buffers.
const memoryRatio = 0.75

// limitMemory sets the memory limit from the limit of the cgroup or the memory of the
// machine, whichever is less, unless the environment has GOMEMLIMIT. It returns the
// limit, in bytes.
func limitMemory() int64 {
	if most := machine.MemoryLimit(); most > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(memoryRatio * float64(most)))
	}
	return debug.SetMemoryLimit(-1) // changes nothing
}

const (
	// flightPart is the part of the memory limit that is room for requests and
	// responses in flight.
	flightPart = 8
	// mostFlight bounds that part, in bytes. More would not make the service faster.
	mostFlight = 128 << 20
)

// newMemory returns the room for requests and responses in flight under a memory
// limit.
func newMemory(limit int64) *httpd.Memory {
	return v1.NewMemory(min(limit/flightPart, mostFlight), func(high bool) { go collector.crossed(high) })
}

// collector sets the percentage of the garbage collector of this process.
var collector garbageCollector

type garbageCollector struct {
	mu      sync.Mutex
	high    int    // how many services hold much; guarded by mu
	ballast []byte // guarded by mu
}

// start sets the percentage of a service without load.
func (g *garbageCollector) start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ballast == nil {
		g.ballast = make([]byte, ballast)
	}
	g.set()
}

// calm is how long a service must have held little before garbage is collected less often again:
// large requests come in bursts, and the first of the next one would find room for four times
// the heap in garbage.
const calm = 5 * time.Second

// crossed sets the percentage after a service has begun to hold much, or some time after it has
// ceased to. Calls may arrive in any order: only their sum matters. Setting the percentage may
// wait for the end of a collection.
func (g *garbageCollector) crossed(high bool) {
	if high {
		g.add(1)
		return
	}
	time.AfterFunc(calm, func() { g.add(-1) })
}

func (g *garbageCollector) add(more int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.high += more
	g.set()
}

// set sets the percentage, unless the environment has GOGC. The caller holds mu.
func (g *garbageCollector) set() {
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := collectLess
	if g.high > 0 {
		percent = collectMore
	}
	debug.SetGCPercent(percent)
}
