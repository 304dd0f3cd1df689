package outbound

import (
	"net"
	"runtime/debug"
	"sync/atomic"
)

const (
	// mostRequests is how many requests there should be at once where descriptors and
	// memory are plenty.
	mostRequests = 8192
	// memoryShare is how much of the memory limit there should be for each request.
	// A request takes about 64 KiB, with all that the sender keeps for it, so all
	// together take a quarter.
	memoryShare = 256 << 10
	// A request takes up to perRequest descriptors: while a name is resolved or an
	// address of each family is tried, there are two sockets.
	perRequest = 2
)

// MaxRequests returns how many requests there should be at once. With the connections
// that are kept they use at most five sixths of the descriptors that this process may
// have, and about a quarter of the memory limit of the Go runtime.
func MaxRequests() int { return requestsFor(descriptors(), debug.SetMemoryLimit(-1)) }

func requestsFor(descriptors uint64, memory int64) int {
	most := min(mostRequests, memory/memoryShare)
	if descriptors > 0 {
		most = int64(min(uint64(most), descriptors/(perRequest+1)))
	}
	return int(max(1, most))
}

// keeper bounds the connections that wait for another request. net/http could do so
// with MaxIdleConns. But at that limit it closes the connection that has been idle
// longest, even if its answer has arrived but has not been returned yet. A delivery
// would then count as failed.
type keeper struct {
	most    int64        // connections that wait, or that will be kept
	open    atomic.Int64 // connections
	keeping atomic.Int64 // requests under way whose connection will be kept
}

// keep reports whether the connection of a new request will be kept. If it will,
// release must be called when the request has ended. A request whose connection is
// open counts twice, so that fewer are kept than could be when many are under way.
func (k *keeper) keep() bool {
	if k.keeping.Add(1)+k.open.Load() <= k.most {
		return true
	}
	k.keeping.Add(-1)
	return false
}

func (k *keeper) release() { k.keeping.Add(-1) }

// counted returns a connection that is counted as open until it is closed.
func (k *keeper) counted(conn net.Conn) net.Conn {
	k.open.Add(1)
	return &countedConn{Conn: conn, keeper: k}
}

type countedConn struct {
	net.Conn
	keeper *keeper
	closed atomic.Bool
}

// Close closes the connection.
func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.keeper.open.Add(-1)
	}
	return c.Conn.Close()
}
