package app

import (
	"fmt"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// strangersFree is how much room the disks must have for registrations, and for orders and
	// imports of new accounts, in bytes. Established partners go on below it, until the disk is
	// full. It is ten times what readiness asks for.
	strangersFree = 10 * minFree
	// strangersPart bounds strangersFree to a part of a small disk.
	strangersPart = 10
	// strangersRetry is when those who were refused should try again.
	strangersRetry = 10 * time.Minute
)

var errNearlyFull = &refusal.Error{
	Code:       refusal.CodeUnavailable,
	Message:    "the service is nearly full: it accepts no new accounts, nor orders and imports of accounts younger than a month, until there is room",
	RetryAfter: strangersRetry,
}

// strangers finds out whether there is room for those whom the service does not know yet.
type strangers struct {
	folders []string
	space   func(folder string) (machine.DiskSpace, error) // nil if there is always room
	elapsed func() time.Duration                           // by a clock that is never set; nil to look every time
	full    incident

	mu    sync.Mutex // guards the following fields
	until time.Duration
	err   error
}

func (a *App) openStrangers() {
	a.strangers = &strangers{
		folders: a.directories(), space: a.DiskSpace, elapsed: a.Elapsed,
		full: incident{log: a.Log, what: "the disk is nearly full: registrations, and orders and imports of new accounts, are refused"},
	}
}

// refuseStrangers returns the refusal of registrations, and of orders and imports of new
// accounts, if the disk is nearly full. It looks at the disks every lookAgain, because orders wait for
// the answer.
func (a *App) refuseStrangers() error { return a.strangers.refusal() }

func (s *strangers) refusal() error {
	if s.space == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.elapsed == nil {
		return s.look()
	}
	if now := s.elapsed(); now >= s.until {
		s.until = now + lookAgain
		s.err = s.look()
	}
	return s.err
}

// look returns errNearlyFull, which it logs with the folder. A disk that cannot be looked
// at is left to readiness.
func (s *strangers) look() error {
	for _, folder := range s.folders {
		space, err := s.space(folder)
		if err != nil || space.Free >= roomForStrangers(space.Total) {
			continue
		}
		s.full.failed(fmt.Sprintf("the disk of %s has %d MB left, new accounts need %d MB", folder, space.Free>>20,
			roomForStrangers(space.Total)>>20))
		return errNearlyFull
	}
	s.full.over()
	return nil
}

// roomForStrangers returns how many bytes must be free on a disk.
func roomForStrangers(total int64) int64 { return min(strangersFree, total/strangersPart) }

// newAccountChanges returns how many changes other than orders a new account may make a
// day: more than people make, and few enough that what they leave behind is a few
// megabytes. There is no limit without --new-account-bytes.
func newAccountChanges(settings *config.Config) int {
	if settings.NewAccountBytes == 0 {
		return 0
	}
	return 1_000
}
