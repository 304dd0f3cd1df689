package credential

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// saveAgain is the pause after uses of sessions could not be written.
	saveAgain = 30 * time.Second
	// maxUses bounds how many sessions' uses wait to be written, which takes some 10 MB. A
	// session that is left out is noted again when it is used next.
	maxUses = 1 << 16
)

// SessionUse is when a session was last used.
type SessionUse struct {
	TokenHash []byte
	At        time.Time
}

// Uses remembers when sessions were last used until that is written, in the background: a
// request that only reads needs no store that can be written. What is lost when the process
// ends early is the time since the last write, usually some milliseconds. It may be used by
// many goroutines.
type Uses struct {
	save func(ctx context.Context, uses []SessionUse) error
	log  *slog.Logger

	// saving is held while uses are written, so that a later one is not overwritten. It is
	// locked before mu.
	saving sync.Mutex

	mu      sync.Mutex
	waiting map[string]time.Time // the last uses that are not written, by token hash; guarded by mu
	running bool                 // whether a goroutine writes them; guarded by mu
	closed  bool                 // whether none may start; guarded by mu
	stop    chan struct{}        // closed by Close
	done    sync.WaitGroup
}

// NewUses returns Uses that save writes. It starts a goroutine while uses wait.
func NewUses(save func(ctx context.Context, uses []SessionUse) error, log *slog.Logger) *Uses {
	return &Uses{save: save, log: log, waiting: map[string]time.Time{}, stop: make(chan struct{})}
}

// Seen returns the later of the given time and the last use that waits to be written.
func (u *Uses) Seen(tokenHash []byte, stored time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at := u.waiting[string(tokenHash)]; at.After(stored) {
		return at
	}
	return stored
}

// Note remembers that a session is used, and has it written.
func (u *Uses) Note(tokenHash []byte, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.waiting[string(tokenHash)]; !known && len(u.waiting) >= maxUses {
		return
	}
	u.waiting[string(tokenHash)] = at
	if !u.running && !u.closed {
		u.running = true
		u.done.Go(u.run)
	}
}

// run writes uses until none wait.
func (u *Uses) run() {
	for u.more() {
		err := u.Flush(context.Background())
		if err == nil {
			continue
		}
		u.log.Warn("when sessions were last used was not written, trying again later", "error", err)
		select {
		case <-time.After(saveAgain):
		case <-u.stop:
			return
		}
	}
}

// more reports whether uses wait. If none do, run ends.
func (u *Uses) more() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running = len(u.waiting) > 0 && !u.closed
	return u.running
}

// Flush writes all uses that wait. Those that it could not write stay.
func (u *Uses) Flush(ctx context.Context) error {
	u.saving.Lock()
	defer u.saving.Unlock()
	uses := u.list()
	if len(uses) == 0 {
		return nil
	}
	if err := u.save(ctx, uses); err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, use := range uses {
		if u.waiting[string(use.TokenHash)].Equal(use.At) {
			delete(u.waiting, string(use.TokenHash))
		}
	}
	return nil
}

func (u *Uses) list() []SessionUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	uses := make([]SessionUse, 0, len(u.waiting))
	for hash, at := range u.waiting {
		uses = append(uses, SessionUse{[]byte(hash), at})
	}
	return uses
}

// Close ends the writing in the background and writes what waits.
func (u *Uses) Close() error {
	u.mu.Lock()
	closed := u.closed
	u.closed = true
	u.mu.Unlock()
	if !closed {
		close(u.stop)
	}
	u.done.Wait()
	return u.Flush(context.Background())
}
