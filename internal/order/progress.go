package order

import (
	"context"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/idempotency"
)

// progress counts the requests that wait under each idempotency key.
type progress struct {
	mu      sync.Mutex
	waiting map[idempotency.Key]int // guarded by mu
}

// join counts a request in and reports whether another one is ahead of it.
func (p *progress) join(key idempotency.Key) (behind bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[idempotency.Key]int{}
	}
	p.waiting[key]++
	return p.waiting[key] > 1
}

func (p *progress) leave(key idempotency.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[key]--; p.waiting[key] == 0 {
		delete(p.waiting, key)
	}
}

// maxBehind is how long a second request waits for the answer to the first.
const maxBehind = 10 * time.Second

// settleOnce settles a command that has an idempotency key. Of several concurrent
// ones all get the answer to the first, unless that takes too long.
func (s *Service) settleOnce(ctx context.Context, key idempotency.Key, cmd command) (Answer, error) {
	settled := s.outcomeOnce(ctx, key, cmd)
	return Answer{Record: settled.answer, Replayed: settled.replayed}, settled.err
}

func (s *Service) outcomeOnce(ctx context.Context, key idempotency.Key, cmd command) outcome {
	behind := s.progress.join(key)
	defer s.progress.leave(key)
	if !behind {
		return s.committer.submit(ctx, cmd)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxBehind, idempotency.ErrInProgress)
	defer cancel()
	settled := s.committer.submit(ctx, cmd)
	if settled.err == errBusy && context.Cause(ctx) == idempotency.ErrInProgress { //nolint:errorlint // these very values
		settled.err = idempotency.ErrInProgress
	}
	return settled
}
