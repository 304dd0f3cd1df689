package httpd

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"golang.org/x/sync/semaphore"
)

const (
	// uncounted is the size up to which bodies and answers are not counted, in bytes,
	// so that ordinary requests need no lock and are never refused for lack of room.
	uncounted = 16 << 10
	// workFactor is how many times the size of a body is needed to parse and handle
	// it, apart from the body itself.
	workFactor = 8
	// workTimeout is how long a large request waits for its turn to be handled.
	workTimeout = 5 * time.Second
	// streamBytes is what a response in pieces is counted as.
	streamBytes = 256 << 10
	// maxConcurrent is how many requests of one partner may be in flight. Together
	// with the time that a request may take it bounds what a partner can hold. It is
	// far more than one program needs: 64 connections keep two cores busy.
	maxConcurrent = 128
)

// Memory bounds the memory for requests and responses in flight. Each partner,
// each operator, and all strangers together may hold a share of it, so that none of
// them takes it all. Large requests wait for each other before they are parsed,
// because that takes several times their size.
type Memory struct {
	bytes *fair.Quota
	work  *semaphore.Weighted
	// mostWork is the weight of work, in bytes.
	mostWork int64
}

const (
	// muchOf is the part of the memory from which on the garbage collector should run
	// more often.
	muchOf = 8
)

// NewMemory returns memory for so many bytes, but at least for two of the largest
// requests or responses, of so many bytes each. The function crossed, which may be nil, is called with true
// when much of the memory is used, and with false when that is over; it must return
// immediately.
func NewMemory(bytes, largest int64, crossed func(high bool)) *Memory {
	bytes = max(bytes, 2*largest)
	watch := fair.Watch{Level: bytes / muchOf, Crossed: crossed}
	return &Memory{
		bytes:    fair.NewQuota(bytes, max(bytes/4, largest), watch),
		work:     semaphore.NewWeighted(bytes / 2),
		mostWork: bytes / 2,
	}
}

// Stats returns how many bytes are in flight.
func (r *Memory) Stats() fair.Stats { return r.bytes.Stats() }

// errNoMemory means that too many large requests and responses are in flight.
var errNoMemory = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "too many large requests are in progress", RetryAfter: time.Second,
}

// Hold counts n bytes as held by the call, instead of what it held before, or
// refuses if there is no room for them.
func (c *Call) Hold(n int64) error {
	if n <= uncounted {
		n = 0
	}
	if c.held == 0 {
		c.holder = c.Payer
	}
	switch more := n - c.held; {
	case more < 0:
		c.server.memory.bytes.Return(c.holder, -more)
	case more > 0 && !c.server.memory.bytes.Take(c.holder, more):
		return errNoMemory
	}
	c.held = n
	return nil
}

// mustHold is Hold for what is sent even if there is no room: others are refused
// until it is.
func (c *Call) mustHold(n int64) {
	if c.Hold(n) != nil {
		c.server.memory.bytes.Force(c.holder, n-c.held)
		c.held = n
	}
}

// holdAnswer counts the bytes of an answer instead of those of the request. The
// answer to a read is refused if there is no room for it. That to a change is sent
// in any case, because the change has been made.
func (c *Call) holdAnswer(n int64) error {
	if c.Method == http.MethodGet || c.Method == http.MethodHead {
		return c.Hold(n)
	}
	c.mustHold(n)
	return nil
}

// worker is the holder of the memory for parsing and handling large bodies.
const worker = "work"

// BeginWork waits until there is memory to parse and handle the body, if it is
// large. It is called inside the permit of the request, if that has one, so that
// requests that wait for a permit keep no memory from others.
func (c *Call) BeginWork() error {
	if len(c.Content) <= maxStrangerBody || c.working > 0 {
		return nil
	}
	weight := min(workFactor*int64(len(c.Content)), c.server.memory.mostWork)
	ctx, cancel := context.WithTimeout(c.Context(), workTimeout)
	defer cancel()
	if err := c.server.memory.work.Acquire(ctx, weight); err != nil {
		return errNoMemory
	}
	c.server.memory.bytes.Force(worker, weight)
	c.working = weight
	return nil
}

func (c *Call) endWork() {
	if c.working > 0 {
		c.server.memory.bytes.Return(worker, c.working)
		c.server.memory.work.Release(c.working)
		c.working = 0
	}
}

// enter counts the request among those of its partner that are in flight, and
// refuses it if they are too many.
func (s *Server) enter(c *Call) error {
	if !s.concurrent.Take(c.Account, 1) {
		s.config.Observer.Limited(LimitConcurrent, false)
		return TooMany(fmt.Sprintf("more than %d requests at the same time", maxConcurrent), time.Second)
	}
	c.entered = true
	return nil
}

// leave ends the call: it returns all that the call holds.
func (s *Server) leave(c *Call) {
	c.endWork()
	s.unwatch(c)
	_ = c.Hold(0) // never refused
	if c.entered {
		s.concurrent.Return(c.Account, 1)
	}
}
