// Package feed lets desks follow the dispatch board: a snapshot of all orders under
// way, and then what has changed since.
//
// While desks follow it, a node holds a mirror of the board in memory. It looks up the
// orders that the node itself has changed (Committed) at once. It finds out about those
// of other nodes, and about whatever else changes the table, by comparing the versions
// of its rows with the table.
//
// The mirror numbers its publications. A position names the last one that a desk has.
// At another node the number means nothing; there the position's time counts.
package feed

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Config holds what the service needs.
type Config struct {
	Store Store
	// Shared means that other nodes use the database, too.
	Shared bool
	Now    func() time.Time
	At     func(time.Time) <-chan time.Time // fires at a time by the clock of Now
	Random io.Reader                        // safe for concurrent use
	Log    *slog.Logger
	// Encode encodes what a desk is shown of an order, without Attention and Age,
	// which change by the clock alone. It may write into the buffer.
	Encode func(buffer []byte, e *dispatch.Entry) []byte
}

const (
	// everyShared and everyAlone are the times between two comparisons with the table:
	// on a database that other nodes use, and on one in which only this node's commits
	// and the service's commands change anything.
	everyShared = 250 * time.Millisecond
	everyAlone  = 10 * time.Second
	// settling is how long an order must have been on the board of a shared database
	// until desks are sent it. By then every node that compares in time has it, too, and
	// will notice that it leaves. Without that, a desk that gets a short-lived order
	// from one node and then changes to another would keep it.
	settling = 500 * time.Millisecond
	// restFactor is how many times as long as a comparison takes the next one waits, at
	// least, so that a large board takes a bounded part of a processor.
	restFactor = 4
	// gap is the least time between two publications of the node's own commits. Without
	// it a desk would send a request for each change.
	gap = 200 * time.Millisecond
	// memory is how long it is known which orders have left the board.
	memory = 10 * time.Minute
	// linger is how long the mirror is kept when no desk uses it.
	linger = 2 * time.Minute
	// overlap is how much earlier than its time a position of another node is looked
	// up, because the nodes' ideas of the time may differ. A desk that would be sent
	// nothing but the overlap waits repeatAfter for more.
	overlap     = 5 * time.Second
	repeatAfter = time.Second
	// recount is the greatest age of the counts in an answer.
	recount = time.Second
)

var (
	// ErrPosition means that a position is not the After of an answer.
	ErrPosition = errors.New("not a position of the board")
	// ErrTooOld means that a position is older than what this node remembers.
	ErrTooOld = refusal.New(refusal.CodeGone, "too much has happened since that position: start from a snapshot")
)

// Service carries out the use cases of the feed. It is safe for concurrent use.
type Service struct {
	config Config
	ending chan struct{} // closed by EndWaits
	work   sync.WaitGroup

	mu     sync.Mutex
	mirror *mirror            // nil while no desk follows the board; guarded by mu
	cancel context.CancelFunc // stops following the board; guarded by mu
	users  int                // calls that use the mirror; guarded by mu
	used   time.Time          // when the last of them ended; guarded by mu
}

// NewService returns a service, which does nothing until a desk asks.
func NewService(config Config) *Service {
	return &Service{config: config, ending: make(chan struct{}), cancel: func() {}}
}

// EndWaits ends the wait of every call of Changes, now and from now on. It must be
// called once, when the process stops.
func (s *Service) EndWaits() { close(s.ending) }

// Close drops the mirror. No other method may be called afterwards.
func (s *Service) Close() {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.work.Wait()
}

// Committed takes the ids of orders that the node has created, moved or ended, after
// the commit. It never blocks, and does nothing while no desk follows the board.
func (s *Service) Committed(orderIDs iter.Seq[string]) {
	s.mu.Lock()
	m := s.mirror
	s.mu.Unlock()
	if m != nil {
		m.hints.add(orderIDs)
	}
}

// Snapshot returns all orders under way, sorted by id.
func (s *Service) Snapshot(ctx context.Context) (*Answer, error) {
	m, err := s.use(ctx)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	if err := m.failure(); err != nil {
		return nil, err
	}
	return m.snapshot(s.config.Now()), nil
}

// Changes returns what has changed since a position. If that is nothing, it waits
// for a change, but returns without one when the wait is over or EndWaits is called.
// A row may be returned twice, also in an older version than before if the position
// is of another node; the newer one follows. The error may be ErrPosition or
// ErrTooOld.
func (s *Service) Changes(ctx context.Context, after string, wait time.Duration) (*Answer, error) {
	p, ok := parsePosition(after)
	if !ok {
		return nil, ErrPosition
	}
	m, err := s.use(ctx)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	from, known, err := m.find(p)
	if err != nil {
		return nil, err
	}
	if from < known {
		wait = min(wait, repeatAfter)
	}
	changed, err := s.await(ctx, m, known, wait)
	if err == nil && !changed {
		err = m.failure()
	}
	if err != nil {
		return nil, err
	}
	return m.since(from, s.config.Now()), nil
}

// await waits until there is a publication behind the known one. It reports false
// if there was none within the wait.
func (s *Service) await(ctx context.Context, m *mirror, known int64, wait time.Duration) (changed bool, err error) {
	number, next := m.latest()
	if number > known || wait <= 0 {
		return number > known, nil
	}
	select {
	case <-next:
		return true, nil
	case <-s.config.At(s.config.Now().Add(wait)):
		return false, nil
	case <-s.ending:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// use returns the mirror once it is built. The caller must call leave afterwards,
// unless there is an error.
func (s *Service) use(ctx context.Context) (*mirror, error) {
	m, err := s.enter()
	if err != nil {
		return nil, err
	}
	select {
	case <-m.built:
		err = m.broken
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.leave()
		return nil, err
	}
	return m, nil
}

// enter counts a call that uses the mirror, and begins one if there is none.
func (s *Service) enter() (*mirror, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mirror == nil {
		var id [8]byte
		if _, err := io.ReadFull(s.config.Random, id[:]); err != nil {
			return nil, err
		}
		m := newMirror(hex.EncodeToString(id[:]))
		ctx, cancel := context.WithCancel(context.Background())
		s.mirror, s.cancel = m, cancel
		s.work.Go(func() {
			defer cancel()
			s.follow(ctx, m)
		})
	}
	s.users++
	return s.mirror, nil
}

func (s *Service) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.used = s.config.Now()
}

// retire drops the mirror unless it is in use, or was a short time ago. It reports
// whether it did.
func (s *Service) retire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 || s.config.Now().Sub(s.used) < linger {
		return false
	}
	s.mirror = nil
	return true
}

// Counts returns how many orders are under way, as desks that use this node were last
// told. It is false if none has used it for a while. Callers must not change the maps.
func (s *Service) Counts() (dispatch.Counts, bool) {
	s.mu.Lock()
	m := s.mirror
	s.mu.Unlock()
	if m == nil {
		return dispatch.Counts{}, false
	}
	return m.lastCounts()
}

// Stats describes the feed at one moment.
type Stats struct {
	Desks int // calls that are being answered or wait
	Rows  int // of the mirror; 0 without one
}

// Stats returns the present state.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	stats, m := Stats{Desks: s.users}, s.mirror
	s.mu.Unlock()
	if m != nil {
		stats.Rows = m.size()
	}
	return stats
}
