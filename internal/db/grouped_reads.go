package db

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// readGroups is how many groups are read at once. While one is under way, the
	// next one gathers; with more of them, groups would be smaller.
	readGroups = 2
	// maxReadGroup bounds the memory that a group takes.
	maxReadGroup = 64
	// readGroupTime ends a group whose connection does not answer, so that the next
	// one can be read on another connection.
	readGroupTime = statementTimeout
)

// Grouped reads values by their keys from a database, for all callers that wait at the same
// time in one transaction.
type Grouped[K comparable, T any] struct {
	groups groupedReads[K, T]
	traces *traces
}

// NewGrouped returns the reads in groups of which find reads one, with statements that it
// sends once. It leaves out a key without a value.
func NewGrouped[K comparable, T any](
	from *Database, find func(ctx context.Context, c Conn, keys []K) (map[K]T, error),
) *Grouped[K, T] {
	r := &Grouped[K, T]{traces: &from.guard().traces}
	r.groups.find = func(ctx context.Context, take func() []K) (found map[K]T, err error) {
		err = from.ReadOnce(ctx, func(c Conn) error {
			found, err = find(ctx, c, take())
			return err
		})
		return found, err
	}
	return r
}

// Read returns the value of a key, the zero T if there is none. Callers of the same key may
// share the value. Its span is the caller's part of the group's transaction.
func (r *Grouped[K, T]) Read(ctx context.Context, key K) (T, error) {
	ctx, span := r.traces.start(ctx, "read transaction")
	found, err := r.groups.read(ctx, key)
	ended(span, err)
	return found, err
}

// groupedReads reads values by their keys, for all callers that wait at the same time
// in one transaction. A caller never waits for others to arrive: if fewer than
// readGroups groups are under way, a new one begins immediately.
//
// A group takes its callers before its first query is sent, on whose view of the data it
// reads. So each caller sees what was committed before it called.
type groupedReads[K comparable, T any] struct {
	// find reads the values of the keys that take returns, on one consistent view. It
	// must call take before its first query. It may call take again, which returns the
	// same keys. A key without a value is left out.
	find func(ctx context.Context, take func() []K) (map[K]T, error)

	mu      sync.Mutex
	waiting []*waitingRead[K, T] // callers that no group has taken; guarded by mu
	groups  int                  // how many goroutines read groups; guarded by mu
}

// waitingRead is a caller of read. value and err are set before done is closed.
type waitingRead[K comparable, T any] struct {
	ctx   context.Context
	key   K
	value T
	err   error
	done  chan struct{}
}

// read returns the value of a key, the zero T if there is none. Callers of the same key
// may share the value.
func (r *groupedReads[K, T]) read(ctx context.Context, key K) (value T, err error) {
	if err := ctx.Err(); err != nil {
		return value, err
	}
	w := &waitingRead[K, T]{ctx: ctx, key: key, done: make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, w)
	begins := r.groups < readGroups
	if begins {
		r.groups++
	}
	r.mu.Unlock()
	if begins {
		go r.readAll()
	}
	select {
	case <-w.done:
		return w.value, w.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// readAll reads groups until no caller waits.
func (r *groupedReads[K, T]) readAll() {
	for {
		r.readGroup(r.take)
		r.mu.Lock()
		if len(r.waiting) == 0 {
			r.groups--
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// take returns callers that wait, and leaves out those whose context has ended.
func (r *groupedReads[K, T]) take() []*waitingRead[K, T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.waiting), maxReadGroup)
	taken := slices.Clone(r.waiting[:n])
	r.waiting = slices.Delete(r.waiting, 0, n)
	return slices.DeleteFunc(taken, func(w *waitingRead[K, T]) bool { return w.ctx.Err() != nil })
}

// readGroup reads for the callers that take returns. The group has a context of its own:
// a caller that gives up does not end it for the others.
func (r *groupedReads[K, T]) readGroup(take func() []*waitingRead[K, T]) {
	ctx, cancel := context.WithTimeout(context.Background(), readGroupTime)
	defer cancel()
	takeOnce := sync.OnceValue(take)
	found, err := r.find(ctx, func() []K { return keysOf(takeOnce()) })
	group := takeOnce() // those that wait, if no transaction could begin
	if err != nil && len(group) > 1 && !errors.Is(err, refusal.ErrUnreachable) && ctx.Err() == nil {
		for i := range group {
			r.readGroup(func() []*waitingRead[K, T] { return group[i : i+1] })
		}
		return
	}
	for _, w := range group {
		w.value, w.err = found[w.key], err
		close(w.done)
	}
}

// keysOf returns the keys of callers, each once.
func keysOf[K comparable, T any](callers []*waitingRead[K, T]) []K {
	keys := make([]K, 0, len(callers))
	seen := make(map[K]bool, len(callers))
	for _, w := range callers {
		if !seen[w.key] {
			seen[w.key] = true
			keys = append(keys, w.key)
		}
	}
	return keys
}
