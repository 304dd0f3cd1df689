package credential

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// pacer bounds the processor time and the memory that password hashing takes from
// other requests. As many callers as there are permits work at a time, and a permit
// then rests for as long as its caller worked, unless a worker did the work. The rest
// stands in for a low priority, which a goroutine cannot have. It also grows with the
// load: a busy machine makes the work, and so the rest, longer. Further callers wait
// in the order in which they came. It may be used by many goroutines.
type pacer struct {
	permits  chan struct{}
	restless atomic.Bool  // permits do not rest, because a worker does the work
	waiting  atomic.Int64 // calls of take that wait for a permit
	held     atomic.Int64 // calls of hold that have not returned
	hurries  bool         // hold returns at once
}

// Bounds of a pacer.
const (
	// maxPermits bounds the memory: 19 MiB for each, at DefaultCost.
	maxPermits = 4
	// maxWaiting is how many callers may wait. With one permit the last of them waits
	// for about 4 s.
	maxWaiting = 64
	// maxStrangers is how many may wait before strangers are refused: registrations,
	// and attempts from networks with recent failures. An attack thus leaves room for
	// other users.
	maxStrangers = maxWaiting / 2
	// holdFor is how long a refusal is held back. A client that repeats refused
	// attempts without a pause would otherwise take a processor by that alone.
	holdFor = time.Second
	// maxHeld bounds the memory of requests whose refusals are held back.
	maxHeld = 512
)

// newPacer leaves at least half of the processors, if there are two or more, to
// other work.
func newPacer() *pacer {
	return &pacer{permits: make(chan struct{}, min(maxPermits, pace.HalfProcessors()))}
}

// errBusy is the refusal of a caller for whom there is no room to wait.
var errBusy = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "too many passwords are being checked, try again in a moment", RetryAfter: 2 *
		time.Second,
}

// take waits for a permit, unless more than most callers are waiting; then it refuses
// with unavailable. The caller must call release as soon as its work is done.
func (p *pacer) take(ctx context.Context, most int64) (release func(), err error) {
	if p.waiting.Add(1) > most {
		p.waiting.Add(-1)
		p.hold(ctx)
		return nil, errBusy
	}
	defer p.waiting.Add(-1)
	if ctx.Err() == nil { // select chooses at random if both cases are ready
		select {
		case p.permits <- struct{}{}:
			began := time.Now()
			return func() { p.release(began) }, nil
		case <-ctx.Done():
		}
	}
	return nil, fmt.Errorf("wait to hash a password: %w", ctx.Err())
}

// release frees a permit that was taken at the given time, after its rest.
func (p *pacer) release(began time.Time) {
	if p.restless.Load() {
		<-p.permits
		return
	}
	time.AfterFunc(time.Since(began), func() { <-p.permits })
}

// hold waits for holdFor or the end of the context, unless maxHeld others wait.
func (p *pacer) hold(ctx context.Context) {
	if p.hurries {
		return
	}
	defer p.held.Add(-1)
	if p.held.Add(1) > maxHeld {
		return
	}
	select {
	case <-time.After(holdFor):
	case <-ctx.Done():
	}
}
