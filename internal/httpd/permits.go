package httpd

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Permit names a kind of work of which only a little runs at a time.
type Permit string

// The kinds of permits.
const (
	// PermitHeavy is what keeps a processor busy for long: labels, CSV files, previews
	// of rate cards, the reading of batches.
	PermitHeavy Permit = "heavy"
	// PermitBatch is a whole batch of orders, most of whose time is waiting.
	PermitBatch Permit = "batch"
	// PermitBody is verifying the signature of a large body.
	PermitBody Permit = "body"
)

// PermitKinds lists them.
var PermitKinds = []Permit{PermitHeavy, PermitBatch, PermitBody}

const (
	// permitPatience is how long a request waits for a permit.
	permitPatience = 5 * time.Second
	// permitRetry is when a client that got no permit should try again.
	permitRetry = 2 * time.Second
	// maxBatches bounds the batches that are settled at a time, and so their memory.
	// Two of one partner keep the committer as busy as more would.
	maxBatches, maxBatchesOfOne = 8, 2
)

// newPermits returns the permits of a server. Heavy work gets half of the processors,
// so that the others are there for what is quick.
func newPermits() map[Permit]*fair.Semaphore {
	heavy := pace.HalfProcessors()
	return map[Permit]*fair.Semaphore{
		PermitHeavy: fair.NewSemaphore(heavy, min(2, max(1, heavy/2))),
		PermitBatch: fair.NewSemaphore(maxBatches, maxBatchesOfOne),
		PermitBody:  fair.NewSemaphore(heavy, 1),
	}
}

var errCrowded = &refusal.Error{
	Code:       refusal.CodeUnavailable,
	Message:    "too much such work is waiting, try again",
	RetryAfter: permitRetry,
}

// WithPermit does work with a permit. Callers take turns by partner or operator; it refuses
// after permitPatience. The work for PermitHeavy should yield to other goroutines.
func (c *Call) WithPermit(permit Permit, work func() error) error {
	ctx, cancel := context.WithTimeout(c.Context(), permitPatience)
	defer cancel()
	if !c.server.takePermit(ctx, c.Payer, permit) {
		return errCrowded
	}
	defer c.server.permits[permit].Free(c.Payer)
	return work()
}

// takePermit waits for a permit, which the caller then frees. It reports false if ctx ends
// first.
func (s *Server) takePermit(ctx context.Context, payer string, permit Permit) bool {
	begun := time.Now() // the real clock, because it measures work
	taken := s.permits[permit].Take(ctx, payer)
	s.config.Observer.Permit(permit, time.Since(begun), taken)
	return taken
}

// InTurns does work that writes a long response. It is with a permit except while the client
// takes what was written, so that a slow client keeps no permit. It waits for its turns as
// long as the request may run.
func (c *Call) InTurns(permit Permit, w io.Writer, work func(io.Writer) error) error {
	turn := &turnWriter{
		Writer: w,
		take:   func() bool { return c.server.takePermit(c.Context(), c.Payer, permit) },
		free:   func() { c.server.permits[permit].Free(c.Payer) },
	}
	if !turn.begin() {
		return errCrowded
	}
	defer turn.end()
	return work(turn)
}

// turnWriter frees a permit during each Write. One goroutine uses it.
type turnWriter struct {
	io.Writer
	take func() bool
	free func()
	held bool
}

func (t *turnWriter) begin() bool {
	t.held = t.take()
	return t.held
}

func (t *turnWriter) end() {
	if t.held {
		t.free()
	}
	t.held = false
}

func (t *turnWriter) Write(p []byte) (int, error) {
	t.end()
	n, err := t.Writer.Write(p)
	if err == nil && !t.begin() {
		err = errCrowded
	}
	return n, err
}

// Heavy returns a handler that runs with a permit for heavy work.
func Heavy(handle Handler) Handler {
	return func(c *Call) (answer Reply, err error) {
		err = c.WithPermit(PermitHeavy, func() error {
			answer, err = handle(c)
			return err
		})
		return answer, err
	}
}
